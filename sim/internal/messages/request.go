package messages

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// Persona is Anthropic, and whoever else speaks Messages. Source:
// Anthropic, API reference, "Messages", read 2026-11-30.
var Persona = &core.Persona{
	IDHeader: "Request-Id",
	Key: func(x *core.Exchange) string {
		if k := x.R.Header.Get("X-Api-Key"); k != "" {
			return k
		}
		return core.FindBearer(x.R.Header)
	},
	Limits:  writeLimits,
	Failure: encodeFailure,
}

// MakeCallID makes the id of a call.
func MakeCallID(seed string) string { return "toolu_01" + core.MakeID(22, seed) }

// Request is a Messages request body.
type Request struct {
	raw     map[string]json.RawMessage
	version string
	beta    string
	claude  models.Claude

	Model      string           `json:"model"`
	MaxTokens  *int             `json:"max_tokens"`
	System     json.RawMessage  `json:"system"`
	Messages   []message        `json:"messages"`
	Tools      []tool           `json:"tools"`
	ToolChoice *toolChoice      `json:"tool_choice"`
	Thinking   *thinkingSetting `json:"thinking"`
	Output     *struct {
		Effort string `json:"effort"`
		Format *struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	TopK        *int     `json:"top_k"`
	Stop        []string `json:"stop_sequences"`
	Stream      bool     `json:"stream"`
}

type thinkingSetting struct {
	Type    string `json:"type"`
	Budget  *int   `json:"budget_tokens"`
	Display string `json:"display"`
}

type toolChoice struct {
	raw  map[string]json.RawMessage
	Type string `json:"type"`
	Name string `json:"name"`
}

func (c *toolChoice) UnmarshalJSON(b []byte) error {
	type plain toolChoice
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	return json.Unmarshal(b, &c.raw)
}

type tool struct {
	raw         map[string]json.RawMessage
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Strict      bool            `json:"strict"`
}

func (t *tool) UnmarshalJSON(b []byte) error {
	type plain tool
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	return json.Unmarshal(b, &t.raw)
}

// isHosted reports whether the tool runs on the server.
func (t *tool) isHosted() bool { return t.Type != "" && t.Type != "custom" }

// message is one turn, its content always as blocks.
type message struct {
	Role    string
	Content []block
	empty   bool // the content was an empty text
}

func (m *message) UnmarshalJSON(b []byte) error {
	var raw struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	m.Role = raw.Role
	if text, ok := jsondoc.Text(raw.Content); ok {
		m.empty = text == ""
		m.Content = []block{makeTextBlock(text)}
		return nil
	}
	if jsondoc.IsNull(raw.Content) {
		return nil
	}
	return json.Unmarshal(raw.Content, &m.Content)
}

// block is one block of a content.
type block struct {
	raw       map[string]json.RawMessage
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

func makeTextBlock(text string) block {
	return block{
		Type: "text", Text: text, raw: map[string]json.RawMessage{"type": jsondoc.Quote("text"), "text": jsondoc.Quote(text)},
	}
}

func (b *block) UnmarshalJSON(raw []byte) error {
	type plain block
	if err := json.Unmarshal(raw, (*plain)(b)); err != nil {
		return err
	}
	return json.Unmarshal(raw, &b.raw)
}

// Read reads a request body and the headers that belong to it.
func Read(body []byte, h http.Header) (*Request, error) {
	r := &Request{version: h.Get("Anthropic-Version"), beta: strings.Join(h.Values("Anthropic-Beta"), ",")}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, err
	}
	r.claude = models.FindClaude(r.Model)
	return r, json.Unmarshal(body, &r.raw)
}

func refuseUnreadable(err error) *core.Refusal {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return refuse("%s: Input should be a valid value, not a JSON %s", t.Field, t.Value)
	}
	return refuse("The request body is not valid JSON: %s", err)
}

// ReadChoice is the tool choice without its wire form.
func (r *Request) ReadChoice() core.Choice {
	if r.ToolChoice == nil {
		return core.Choice{}
	}
	switch r.ToolChoice.Type {
	case "any":
		return core.Choice{Mode: core.ChoiceAny}
	case "none":
		return core.Choice{Mode: core.ChoiceNone}
	case "tool":
		return core.Choice{Mode: core.ChoiceNamed, Name: r.ToolChoice.Name}
	}
	return core.Choice{}
}

func (r *Request) effort() string {
	if r.Output == nil {
		return ""
	}
	return r.Output.Effort
}

// ReadTask turns the request into what it wants.
func (r *Request) ReadTask() *core.Task {
	task := &core.Task{Choice: r.ReadChoice(), Thinks: r.thinks(), Stops: r.Stop}
	for _, t := range r.Tools {
		if !t.isHosted() {
			task.Tools = append(task.Tools, core.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
		}
	}
	if r.Output != nil && r.Output.Format != nil {
		task.Schema = r.Output.Format.Schema
	}
	if r.MaxTokens != nil {
		task.Limit = *r.MaxTokens
	}
	r.readConversation(task)
	for _, part := range []string{"messages", "tools", "system"} {
		task.Input += core.CountTokens(string(r.raw[part]))
	}
	task.Seed = core.MakeID(32, string(r.raw["messages"]), string(r.raw["tools"]), string(r.System))
	return task
}

// readConversation finds the prompt and the tool results beside or after it.
func (r *Request) readConversation(task *core.Task) {
	called := map[string]string{}
	for _, m := range r.Messages {
		var texts []string
		var results []core.Result
		for _, b := range m.Content {
			switch b.Type {
			case "tool_use":
				called[b.ID] = b.Name
			case "tool_result":
				results = append(results,
					core.Result{Tool: called[b.ToolUseID], Text: core.ReadContent(b.Content), Failed: b.IsError})
			case "text":
				texts = append(texts, b.Text)
			}
		}
		if m.Role != "user" {
			continue
		}
		if len(texts) > 0 && len(results) == 0 {
			task.Prompt, task.Results = strings.Join(texts, "\n"), nil
		}
		task.Results = append(task.Results, results...)
	}
}

// thinks reports whether this request gets a thought: thinking is on, by the
// request or by default, and nothing keeps the model from it. A forced call
// comes without a thought. Source: pydantic-ai,
// tests/models/cassettes/test_anthropic, recorded with Opus 4.6; read
// 2026-11-30.
func (r *Request) thinks() bool {
	if r.ReadChoice().IsForced() {
		return false
	}
	if r.Thinking == nil {
		return r.claude.ByDefault
	}
	return slices.Contains([]string{"enabled", "adaptive", "between_tools"}, r.Thinking.Type)
}

func (r *Request) omitsThoughts() bool {
	if r.Thinking != nil && r.Thinking.Display != "" {
		return r.Thinking.Display == "omitted"
	}
	return r.claude.Omits
}

// Serve answers a Messages request.
func Serve(x *core.Exchange) {
	r, err := Read(x.Body, x.R.Header)
	switch {
	case err != nil:
		x.Refuse(refuseUnreadable(err))
	case r.MaxTokens == nil || *r.MaxTokens != 0:
		x.Serve(r)
	case x.Admit(r): // only warms the cache
		m := &reply{
			x: x, request: r, answer: &core.Answer{Finish: "length", Usage: core.Usage{Input: r.ReadTask().Input}},
			id: "msg_01" + core.MakeID(22, x.ID),
		}
		x.Send(m.Whole())
	}
}

// Describe is the model, and whether the answer is streamed.
func (r *Request) Describe() (string, bool) { return r.Model, r.Stream }

// EncodeReply writes an answer in the dialect's own form.
func (r *Request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	m := &reply{x: x, request: r, answer: out, turn: t, id: "msg_01" + core.MakeID(22, x.ID, seed)}
	m.buildBlocks(seed)
	return m
}
