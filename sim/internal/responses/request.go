package responses

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// request is a request body of OpenAI's Responses. Source: openai-go
// v3.98.0, responses/response.go, read 2026-11-30.
type request struct {
	raw map[string]json.RawMessage

	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"`
	Tools        []tool          `json:"tools"`
	ToolChoice   json.RawMessage `json:"tool_choice"`
	Text         *struct {
		Format *struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"format"`
	} `json:"text"`
	Reasoning *struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
	} `json:"reasoning"`
	MaxOutputTokens *int     `json:"max_output_tokens"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	Previous        string   `json:"previous_response_id"`
	Include         []string `json:"include"`
	Stream          bool     `json:"stream"`

	facts    claims.Facts
	items    []item
	choice   core.Choice
	choiceOK bool
}

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

// item is an item of the input.
type item struct {
	raw map[string]json.RawMessage

	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Sealed    string          `json:"encrypted_content"`
}

func (i *item) UnmarshalJSON(b []byte) error {
	type plain item
	if err := jsondoc.Decode(b, (*plain)(i), &i.raw); err != nil {
		return err
	}
	if i.Type == "" && i.Role != "" {
		i.Type = "message"
	}
	return nil
}

func (i *item) isCall() bool {
	return i.Type == "function_call" || i.Type == "custom_tool_call"
}

func (i *item) isOutput() bool {
	return i.Type == "function_call_output" || i.Type == "custom_tool_call_output"
}

func readRequest(body []byte) (*request, error) {
	r := &request{}
	if err := jsondoc.Decode(body, r, &r.raw); err != nil {
		return nil, err
	}
	r.choice, r.choiceOK = readChoice(r.ToolChoice)
	if text, ok := jsondoc.Text(r.Input); ok {
		r.items = []item{{Type: "message", Role: "user", Content: jsondoc.Quote(text)}}
		return r, nil
	}
	if jsondoc.IsNull(r.Input) {
		return r, nil
	}
	err := json.Unmarshal(r.Input, &r.items)
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		t.Field = strings.TrimSuffix("input."+t.Field, ".")
	}
	return r, err
}

// readChoice reads tool_choice, which is flat here. ok is false for what
// is none of its forms. A choice of a hosted tool is left to the model.
func readChoice(raw json.RawMessage) (c core.Choice, ok bool) {
	if jsondoc.IsNull(raw) {
		return core.Choice{}, true
	}
	if word, isText := jsondoc.Text(raw); isText {
		mode, known := map[string]core.ChoiceMode{
			"auto": core.ChoiceAuto, "none": core.ChoiceNone, "required": core.ChoiceAny,
		}[word]
		return core.Choice{Mode: mode}, known
	}
	var o struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Mode  string `json:"mode"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(raw, &o) != nil || o.Type == "" {
		return core.Choice{}, false
	}
	switch o.Type {
	case "function", "custom":
		return core.Choice{Mode: core.ChoiceNamed, Name: o.Name}, o.Name != ""
	case "allowed_tools":
		c.Allowed = []string{}
		for _, t := range o.Tools {
			c.Allowed = append(c.Allowed, t.Name)
		}
		if o.Mode == "required" {
			c.Mode = core.ChoiceAny
		}
		return c, o.Mode == "auto" || o.Mode == "required"
	}
	return core.Choice{}, true
}

func (r *request) Describe() (string, bool) { return r.Model, r.Stream }

func (r *request) effort() string {
	if r.Reasoning == nil {
		return ""
	}
	return r.Reasoning.Effort
}

func (r *request) thinks() bool {
	return models.FindReasoning("openai-responses", r.Model).Reasons(r.effort())
}

// hasPhases reports whether the model labels its messages. GPT-5.4 and later do.
// Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
func (r *request) hasPhases() bool {
	return claims.About("openai", r.Model).Is(claims.Tools) == "refused_while_thinking"
}

func (r *request) ReadTask() *core.Task {
	task := &core.Task{Choice: r.choice, Thinks: r.thinks()}
	for _, t := range r.Tools {
		if t.Type == "function" || t.Type == "custom" {
			task.Tools = append(task.Tools,
				core.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters, Free: t.Type == "custom"})
		}
	}
	r.readFormat(task)
	if r.MaxOutputTokens != nil {
		task.Limit = *r.MaxOutputTokens
	}
	called := map[string]string{}
	for _, i := range r.items {
		switch {
		case i.Type == "message" && i.Role == "user":
			task.Prompt, task.Results = core.ReadContent(i.Content), nil
		case i.isCall():
			called[i.CallID] = i.Name
		case i.isOutput():
			task.Results = append(task.Results, core.Result{Tool: called[i.CallID], Text: core.ReadContent(i.Output)})
		}
	}
	for _, part := range []string{"input", "tools", "instructions"} {
		task.Input += core.CountTokens(string(r.raw[part]))
	}
	task.Seed = core.MakeID(32, string(r.Input), string(r.raw["tools"]), r.Instructions)
	return task
}

func (r *request) readFormat(task *core.Task) {
	if r.Text == nil || r.Text.Format == nil {
		return
	}
	switch f := r.Text.Format; f.Type {
	case "json_schema":
		task.Schema = f.Schema
	case "json_object":
		task.Schema = core.FindPromptedSchema(r.readTexts())
	}
}

// readTexts reads the messages as text, with the instructions before them.
func (r *request) readTexts() []core.TextMessage {
	out := []core.TextMessage{{Role: "system", Text: r.Instructions}}
	for _, i := range r.items {
		if i.Type == "message" {
			out = append(out, core.TextMessage{Role: i.Role, Text: core.ReadContent(i.Content)})
		}
	}
	return out
}

// Serve answers a Responses request.
func Serve(x *core.Exchange) {
	r, err := readRequest(x.Body)
	if err != nil {
		x.Refuse(core.RefuseUnreadable(err))
		return
	}
	r.facts = claims.About("openai-responses", r.Model)
	x.Serve(r)
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	reply := &reply{x: x, request: r, answer: out, turn: t, id: "resp_" + core.MakeHexID(48, x.ID, seed)}
	reply.buildItems(seed)
	return reply
}
