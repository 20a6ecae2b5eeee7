package chat

import (
	"encoding/json"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/hermes"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// request is a Chat Completions request body.
type request struct {
	raw map[string]json.RawMessage

	Model          string          `json:"model"`
	Messages       []message       `json:"messages"`
	Tools          []tool          `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`

	Effort   *string `json:"reasoning_effort"`
	Thinking *struct {
		Type string `json:"type"`
	} `json:"thinking"`
	ReasoningFormat string `json:"reasoning_format"`

	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	N                   *int            `json:"n"`
	Stop                json.RawMessage `json:"stop"`

	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage       bool  `json:"include_usage"`
		IncludeObfuscation *bool `json:"include_obfuscation"`
	} `json:"stream_options"`

	persona  *Persona
	facts    claims.Facts
	choice   core.Choice
	choiceOK bool
}

type message struct {
	raw map[string]json.RawMessage

	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []call          `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

func (m *message) UnmarshalJSON(b []byte) error {
	type plain message
	if err := json.Unmarshal(b, (*plain)(m)); err != nil {
		return err
	}
	return json.Unmarshal(b, &m.raw)
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name string `json:"name"`
	} `json:"custom"`
}

func (c *call) name() string {
	if c.Type == "custom" {
		return c.Custom.Name
	}
	return c.Function.Name
}

type tool struct {
	core.FunctionTool
	Custom *struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"custom"`
}

func (t *tool) name() string {
	switch {
	case t.Function != nil:
		return t.Function.Name
	case t.Custom != nil:
		return t.Custom.Name
	}
	return ""
}

func readRequest(body []byte) (*request, error) {
	r := &request{}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, err
	}
	return r, json.Unmarshal(body, &r.raw)
}

// hasMember reports whether a member is there, null or not.
func (r *request) hasMember(name string) bool {
	_, ok := r.raw[name]
	return ok
}

// isObfuscated reports whether chunks are padded, as OpenAI does by default.
func (r *request) isObfuscated() bool {
	o := r.StreamOptions
	return o == nil || o.IncludeObfuscation == nil || *o.IncludeObfuscation
}

func (r *request) formatType() string {
	if r.ResponseFormat == nil {
		return "text"
	}
	return r.ResponseFormat.Type
}

func (r *request) effort() string {
	if r.Effort == nil {
		return ""
	}
	return *r.Effort
}

func (r *request) asksToThink() bool {
	if r.Thinking != nil {
		return r.Thinking.Type != "disabled"
	}
	return r.effort() != "" && r.effort() != "none"
}

type namedItem struct {
	Name string `json:"name"`
}

func (r *request) readTexts() []core.TextMessage {
	out := make([]core.TextMessage, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = core.TextMessage{Role: m.Role, Text: core.ReadContent(m.Content)}
	}
	return out
}

// readChoice reads every spelling of tool_choice. ok is false for one that
// is none.
func readChoice(raw json.RawMessage) (c core.Choice, ok bool) {
	if jsondoc.IsNull(raw) {
		return core.Choice{}, true
	}
	if word, isText := jsondoc.Text(raw); isText {
		mode, known := map[string]core.ChoiceMode{
			"auto": core.ChoiceAuto, "none": core.ChoiceNone, "required": core.ChoiceAny, "any": core.ChoiceAny,
		}[word]
		return core.Choice{Mode: mode}, known
	}
	var o struct {
		Type     string    `json:"type"`
		Function namedItem `json:"function"`
		Custom   namedItem `json:"custom"`
		Allowed  struct {
			Mode  string `json:"mode"`
			Tools []tool `json:"tools"`
		} `json:"allowed_tools"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return core.Choice{}, false
	}
	switch o.Type {
	case "function":
		return core.Choice{Mode: core.ChoiceNamed, Name: o.Function.Name}, o.Function.Name != ""
	case "custom":
		return core.Choice{Mode: core.ChoiceNamed, Name: o.Custom.Name}, o.Custom.Name != ""
	case "allowed_tools":
		c.Allowed = []string{}
		for _, t := range o.Allowed.Tools {
			c.Allowed = append(c.Allowed, t.name())
		}
		if o.Allowed.Mode == "required" {
			c.Mode = core.ChoiceAny
		}
		return c, o.Allowed.Mode == "auto" || o.Allowed.Mode == "required"
	}
	return core.Choice{}, false
}

// ReadTask turns the request into what it wants.
func (r *request) ReadTask() *core.Task {
	task := &core.Task{Choice: r.choice, Thinks: r.persona.thinks(r), Stops: readStops(r.Stop)}
	for _, t := range r.Tools {
		if t.Function != nil {
			task.Tools = append(task.Tools, t.Function.Tool())
		} else if t.Custom != nil {
			task.Tools = append(task.Tools, core.Tool{Name: t.Custom.Name, Description: t.Custom.Description, Free: true})
		}
	}
	switch f := r.ResponseFormat; {
	case f != nil && f.Type == "json_schema" && f.JSONSchema != nil:
		task.Schema = f.JSONSchema.Schema
	case f != nil && f.Type == "json_object":
		task.Schema = core.FindPromptedSchema(r.readTexts())
	}
	for _, n := range []*int{r.MaxTokens, r.MaxCompletionTokens} {
		if n != nil {
			task.Limit = *n
		}
	}
	r.readConversation(task)
	task.Input = core.CountTokens(string(r.raw["messages"])) + core.CountTokens(string(r.raw["tools"]))
	task.Seed = core.MakeID(32, string(r.raw["messages"]), string(r.raw["tools"]))
	if r.persona.lax && task.Schema != nil && !task.Thinks {
		task.Tools = nil // the grammar holds from the first token
	}
	if r.persona.textTools {
		hermes.ReadTask(task, r.readTexts())
	}
	return task
}

func (r *request) readConversation(task *core.Task) {
	called := map[string]string{}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			called[c.ID] = c.name()
		}
		switch m.Role {
		case "user":
			task.Prompt, task.Results = core.ReadContent(m.Content), nil
		case "tool":
			task.Results = append(task.Results, core.Result{Tool: called[m.ToolCallID], Text: core.ReadContent(m.Content)})
		}
	}
}

func readStops(raw json.RawMessage) []string {
	if s, ok := jsondoc.Text(raw); ok {
		return []string{s}
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// Serve answers a Chat Completions request as that provider does.
func Serve(x *core.Exchange, p *Persona) {
	r, err := readRequest(x.Body)
	if err != nil {
		x.Refuse(core.RefuseUnreadable(err))
		return
	}
	r.persona, r.facts = p, claims.About(p.engine, r.Model)
	r.choice, r.choiceOK = readChoice(r.ToolChoice)
	if p.lax {
		r.choice, r.MaxCompletionTokens = core.Choice{}, nil
	}
	x.Serve(r)
}

func (r *request) Describe() (string, bool) { return r.Model, r.Stream }

// Check holds a request against the rules: the provider's and the dialect's.
func (r *request) Check() *core.Refusal {
	if r.persona.check != nil {
		if f := r.persona.check(r); f != nil {
			return f
		}
	}
	switch {
	case r.persona.lax:
		return nil
	case !r.choiceOK:
		return core.RefuseParam("tool_choice", "invalid_value",
			"Invalid value for 'tool_choice': it is none of the supported forms.")
	}
	return checkBasics(r)
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	if r.persona.textTools {
		hermes.WriteCalls(out)
	}
	c := &reply{x: x, persona: r.persona, request: r, answer: out, turn: t, id: core.MakeID(12, x.ID, seed)}
	c.applyStyle(seed)
	return c
}
