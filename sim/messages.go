package sim

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// messagesPersona is Anthropic, and whoever else speaks Messages. Source:
// Anthropic, API reference, "Messages", read 2026-11-30.
var messagesPersona = &persona{
	idHeader: "Request-Id",
	key: func(x *exchange) string {
		if k := x.r.Header.Get("X-Api-Key"); k != "" {
			return k
		}
		return bearer(x.r.Header)
	},
	limits:  anthropicLimits,
	failure: anthropicFailure,
}

func anthropicLimits(h http.Header, left string) {
	h.Set("Anthropic-Ratelimit-Requests-Limit", "500")
	h.Set("Anthropic-Ratelimit-Requests-Remaining", left)
	h.Set("Anthropic-Ratelimit-Requests-Reset", "2026-11-30T12:00:01Z")
	h.Set("Anthropic-Ratelimit-Tokens-Limit", "200000")
	h.Set("Anthropic-Ratelimit-Tokens-Remaining", "199000")
	h.Set("Anthropic-Ratelimit-Tokens-Reset", "2026-11-30T12:00:01Z")
	h.Set("Anthropic-Organization-Id", "00000000-0000-4000-8000-000000000000")
}

func messagesCallID(seed string) string { return "toolu_01" + hashed(22, seed) }

// messagesRequest is a Messages request body.
type messagesRequest struct {
	raw     map[string]json.RawMessage
	version string
	beta    string

	Model      string           `json:"model"`
	MaxTokens  *int             `json:"max_tokens"`
	System     json.RawMessage  `json:"system"`
	Messages   []message        `json:"messages"`
	Tools      []messagesTool   `json:"tools"`
	ToolChoice *messagesChoice  `json:"tool_choice"`
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

type messagesChoice struct {
	raw  map[string]json.RawMessage
	Type string `json:"type"`
	Name string `json:"name"`
}

func (c *messagesChoice) UnmarshalJSON(b []byte) error {
	type plain messagesChoice
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	return json.Unmarshal(b, &c.raw)
}

type messagesTool struct {
	raw         map[string]json.RawMessage
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Strict      bool            `json:"strict"`
}

func (t *messagesTool) UnmarshalJSON(b []byte) error {
	type plain messagesTool
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	return json.Unmarshal(b, &t.raw)
}

// hosted reports whether the tool runs on the server.
func (t *messagesTool) hosted() bool { return t.Type != "" && t.Type != "custom" }

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
		m.Content = []block{textBlock(text)}
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

func textBlock(text string) block {
	return block{Type: "text", Text: text, raw: map[string]json.RawMessage{"type": jsondoc.Quote("text"), "text": jsondoc.Quote(text)}}
}

func (b *block) UnmarshalJSON(raw []byte) error {
	type plain block
	if err := json.Unmarshal(raw, (*plain)(b)); err != nil {
		return err
	}
	return json.Unmarshal(raw, &b.raw)
}

func readMessages(body []byte, h http.Header) (*messagesRequest, error) {
	r := &messagesRequest{version: h.Get("Anthropic-Version"), beta: strings.Join(h.Values("Anthropic-Beta"), ",")}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, err
	}
	return r, json.Unmarshal(body, &r.raw)
}

func unreadableMessages(err error) *refusal {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return fault("%s: Input should be a valid value, not a JSON %s", t.Field, t.Value)
	}
	return fault("The request body is not valid JSON: %s", err)
}

// choice is the tool choice without its wire form.
func (r *messagesRequest) choice() choice {
	if r.ToolChoice == nil {
		return choice{}
	}
	switch r.ToolChoice.Type {
	case "any":
		return choice{mode: choiceAny}
	case "none":
		return choice{mode: choiceNone}
	case "tool":
		return choice{mode: choiceNamed, name: r.ToolChoice.Name}
	}
	return choice{}
}

func (r *messagesRequest) effort() string {
	if r.Output == nil {
		return ""
	}
	return r.Output.Effort
}

// ask turns the request into what it wants.
func (r *messagesRequest) ask() *ask {
	a := &ask{choice: r.choice(), thinks: r.thinks(), stops: r.Stop}
	for _, t := range r.Tools {
		if !t.hosted() {
			a.tools = append(a.tools, tool{name: t.Name, description: t.Description, schema: t.Schema})
		}
	}
	if r.Output != nil && r.Output.Format != nil {
		a.schema = r.Output.Format.Schema
	}
	if r.MaxTokens != nil {
		a.limit = *r.MaxTokens
	}
	r.readConversation(a)
	for _, part := range []string{"messages", "tools", "system"} {
		a.input += tokens(string(r.raw[part]))
	}
	a.seed = hashed(32, string(r.raw["messages"]), string(r.raw["tools"]), string(r.System))
	return a
}

// readConversation finds the prompt and the tool results beside or after it.
func (r *messagesRequest) readConversation(a *ask) {
	called := map[string]string{}
	for _, m := range r.Messages {
		var texts []string
		var results []result
		for _, b := range m.Content {
			switch b.Type {
			case "tool_use":
				called[b.ID] = b.Name
			case "tool_result":
				results = append(results, result{tool: called[b.ToolUseID], text: contentText(b.Content), failed: b.IsError})
			case "text":
				texts = append(texts, b.Text)
			}
		}
		if m.Role != "user" {
			continue
		}
		if len(texts) > 0 && len(results) == 0 {
			a.prompt, a.results = strings.Join(texts, "\n"), nil
		}
		a.results = append(a.results, results...)
	}
}

// thinks reports whether this request gets a thought: thinking is on, by the
// request or by default, and nothing keeps the model from it. A forced call
// comes without a thought. Source: pydantic-ai,
// tests/models/cassettes/test_anthropic, recorded with Opus 4.6; read
// 2026-11-30.
func (r *messagesRequest) thinks() bool {
	if r.choice().forced() {
		return false
	}
	if r.Thinking == nil {
		return claudeModel(r.Model).byDefault
	}
	return slices.Contains([]string{"enabled", "adaptive", "between_tools"}, r.Thinking.Type)
}

// omits reports whether the thought's text is withheld.
func (r *messagesRequest) omits() bool {
	if r.Thinking != nil && r.Thinking.Display != "" {
		return r.Thinking.Display == "omitted"
	}
	return claudeModel(r.Model).omits
}

// serveMessages answers a Messages request.
func serveMessages(x *exchange) {
	r, err := readMessages(x.body, x.r.Header)
	switch {
	case err != nil:
		x.refuse(unreadableMessages(err))
	case r.MaxTokens == nil || *r.MaxTokens != 0:
		x.play(r)
	case x.admit(r): // only warms the cache
		m := &messagesReply{x: x, request: r, answer: &answer{finish: "length", usage: Usage{Input: r.ask().input}}, id: "msg_01" + hashed(22, x.id)}
		x.reply(m.whole())
	}
}

func (r *messagesRequest) about() (string, bool) { return r.Model, r.Stream }

func (r *messagesRequest) check() *refusal { return checkMessagesRequest(r) }

func (r *messagesRequest) fill(x *exchange, out *answer, t *Turn, seed string) response {
	m := &messagesReply{x: x, request: r, answer: out, turn: t, id: "msg_01" + hashed(22, x.id, seed)}
	m.build(seed)
	return m
}
