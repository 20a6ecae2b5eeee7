package engine_test

import (
	"bytes"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

var allChoices = map[string]toolchoice.Choice{
	"unset": {}, "auto": toolchoice.Auto(), "none": toolchoice.None(), "any": toolchoice.Any(), "named": toolchoice.Tool("place"),
}

// TestSentForEachChoice holds what was really sent, for every engine, model,
// choice and way to call, against the plan and against the wire's own spelling.
func TestSentForEachChoice(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		for _, model := range append([]string{entry.Profile.Example}, matrixModels[entry.Profile.Name]...) {
			for name, choice := range allChoices {
				for _, mode := range []chat.ThinkingMode{chat.ThinkingDefault, chat.ThinkingOff} {
					t.Run(model+"/"+name+"/"+thinkLabel(mode), func(t *testing.T) {
						t.Parallel()
						checkSent(t, entry, call, &chat.Request{
							Model: model, Messages: chat.Prompt("Where is the Gravensteen?"), Tools: matrixTools,
							ToolChoice: choice, Thinking: chat.Think{Mode: mode},
						})
					})
				}
			}
		}
	})
}

func checkSent(t *testing.T, entry engine.Entry, call caller, req *chat.Request) {
	t.Helper()
	plan, refused := entry.New(engine.Config{}).Plan(req)
	m := mock(t, entry, engine.Config{APIKey: testKey, Header: http.Header{"X-Team": {"blue"}}},
		says(entry.Profile.Dialect, obey(plan, req.ToolChoice)))
	_, err := call(t, m, req)
	if refused != nil {
		checkRefused(t, m, err, refused)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := m.last(t)
	checkEnvelope(t, entry, got, plan)
	if m.calls() != 1 {
		t.Errorf("%d requests for one call", m.calls())
	}
	body := object(t, got.body)
	checkBody(t, entry, got.body, body, plan)
	checkSpelling(t, entry, body, plan, req.ToolChoice)
}

// obey is the answer of a model that does as the plan's body tells it.
func obey(plan *engine.Plan, choice toolchoice.Choice) answer {
	switch {
	case plan == nil:
	case took(plan, chat.StepToolAsSchema):
		return answer{text: `{"city":"Ghent"}`}
	case took(plan, chat.StepToolsAsSchema):
		return answer{text: `{"call":{"name":"place","arguments":{"city":"Ghent"}}}`}
	case choice.Forced():
		return answer{calls: []string{"place"}}
	}
	return answer{text: "In Ghent."}
}

func took(plan *engine.Plan, kind chat.StepKind) bool {
	return slices.ContainsFunc(plan.Steps(), func(s chat.Step) bool { return s.Kind == kind })
}

func checkRefused(t *testing.T, m *mocked, err, planned error) {
	t.Helper()
	refused, ok := errors.AsType[*chat.UnsupportedError](err)
	if !ok || !errors.Is(err, chat.ErrUnsupported) || err.Error() != planned.Error() {
		t.Fatalf("error %v, want the plan's: %v", err, planned)
	}
	if refused.Engine != m.entry.Profile.Name || refused.Model == "" || refused.Reason == "" {
		t.Errorf("the refusal says too little: %+v", refused)
	}
	if m.calls() != 0 {
		t.Errorf("%d requests were sent", m.calls())
	}
}

// checkEnvelope checks everything but the body.
func checkEnvelope(t *testing.T, entry engine.Entry, got sent, plan *engine.Plan) {
	t.Helper()
	p := entry.Profile
	if want := p.BaseURL + endpoints[p.Dialect]; got.method != http.MethodPost || got.url != want || plan.URL() != want {
		t.Errorf("sent %s %s, planned %s, want POST %s", got.method, got.url, plan.URL(), want)
	}
	for name, want := range map[string]string{
		p.Auth.Header: p.Auth.Prefix + testKey, "Content-Type": "application/json", "X-Team": "blue",
	} {
		if v := got.header[http.CanonicalHeaderKey(name)]; len(v) != 1 || v[0] != want {
			t.Errorf("header %s is %q, want %q", name, v, want)
		}
	}
	// Source: platform.claude.com, "Versions", read 2026-11-30.
	if v := got.header.Get("Anthropic-Version"); (p.Dialect == engine.AnthropicMessages) != (v == "2023-06-01") {
		t.Errorf("anthropic-version is %q", v)
	}
	for name, values := range got.header {
		if name != p.Auth.Header && strings.Contains(strings.Join(values, " "), testKey) {
			t.Errorf("the key is in header %s, too", name)
		}
	}
	if strings.Contains(got.url, testKey) || bytes.Contains(got.body, []byte(testKey)) {
		t.Error("the key is in the address or in the body")
	}
}

// checkBody: Chat sends the plan's body byte for byte, Stream the same and its
// own members.
func checkBody(t *testing.T, entry engine.Entry, raw []byte, body map[string]any, plan *engine.Plan) {
	t.Helper()
	if body["stream"] == nil {
		if !bytes.Equal(raw, plan.Body()) {
			t.Errorf("sent    %s\nplanned %s", raw, plan.Body())
		}
		return
	}
	options := entry.Profile.Dialect == engine.OpenAIChat && !entry.Profile.Quirks.NoStreamOptions
	if body["stream"] != true || (dig(body, "stream_options", "include_usage") == true) != options {
		t.Errorf("stream members: %v, %v", body["stream"], body["stream_options"])
	}
	rest := object(t, raw)
	delete(rest, "stream")
	delete(rest, "stream_options")
	if want := object(t, plan.Body()); !reflect.DeepEqual(rest, want) {
		t.Errorf("streamed %v\nplanned  %v", rest, want)
	}
}

// checkSpelling: the choice is spelled by the wire's own rules, or rewritten as
// the plan says.
func checkSpelling(t *testing.T, entry engine.Entry, body map[string]any, plan *engine.Plan, choice toolchoice.Choice) {
	t.Helper()
	switch {
	case took(plan, chat.StepToolsLeftOut):
		checkNoTools(t, body)
		return
	case took(plan, chat.StepToolAsSchema), took(plan, chat.StepToolsAsSchema):
		checkNoTools(t, body)
		checkSchemaSent(t, body, took(plan, chat.StepToolsAsSchema))
		return
	}
	if n := len(body["tools"].([]any)); n != len(matrixTools) {
		t.Errorf("%d tools sent", n)
	}
	raw, err := choice.To(entry.Profile.Tools)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if raw != nil {
		want = object(t, []byte(`{"c":`+string(raw)+`}`))["c"]
	}
	if got := body["tool_choice"]; !reflect.DeepEqual(got, want) {
		t.Errorf("tool_choice is %v, want %v", got, want)
	}
}

func checkNoTools(t *testing.T, body map[string]any) {
	t.Helper()
	if body["tools"] != nil || body["tool_choice"] != nil || body["parallel_tool_calls"] != nil {
		t.Errorf("tools %v, tool_choice %v, parallel %v in a body without tools", body["tools"], body["tool_choice"], body["parallel_tool_calls"])
	}
}

// checkSchemaSent: the tool's schema, or the union of all, is the answer's form.
func checkSchemaSent(t *testing.T, body map[string]any, union bool) {
	t.Helper()
	format := dig(body, "response_format", "json_schema", "schema")
	if format == nil {
		format = dig(body, "output_config", "format", "schema")
	}
	if !union {
		if dig(format, "properties", "city", "type") != "string" {
			t.Errorf("schema %v is not the tool's", format)
		}
		return
	}
	text := asJSON(format)
	for _, want := range []string{`"place"`, `"trip"`, `"city"`, `"to"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the union %s lacks %s", text, want)
		}
	}
}

// TestInvalidRequestsSendNothing: what is wrong in itself is an error with the
// path of the field, before any network.
func TestInvalidRequestsSendNothing(t *testing.T) {
	t.Parallel()
	result := chat.Results(chat.TextResult("c1", "there"))
	for _, tt := range []struct {
		name, path string
		change     func(*chat.Request)
	}{
		{"unknown tool in the choice", "ToolChoice", func(r *chat.Request) { r.ToolChoice = toolchoice.Tool("rm") }},
		{"nameless tool in the choice", "ToolChoice", func(r *chat.Request) { r.ToolChoice = toolchoice.Tool("") }},
		{"choice without tools", "ToolChoice", func(r *chat.Request) { r.Tools, r.ToolChoice = nil, toolchoice.Any() }},
		{"duplicate tool", "Tools[2].Name", func(r *chat.Request) { r.Tools = append(slices.Clone(r.Tools), r.Tools[0]) }},
		{"nameless tool", "Tools[0].Name", func(r *chat.Request) { r.Tools = []chat.ToolDef{{}} }},
		{"schema that is none", "Tools[0].Schema", func(r *chat.Request) { r.Tools = []chat.ToolDef{{Name: "x", Schema: []byte(`{"type":7}`)}} }},
		{"output schema that is none", "Output.Schema", func(r *chat.Request) { r.Output = &chat.Output{Schema: []byte(`[]`)} }},
		{"empty conversation", "Messages", func(r *chat.Request) { r.Messages = nil }},
		{"orphan result", "Messages[1].Parts[0].CallID", func(r *chat.Request) { r.Messages = append(r.Messages, result) }},
		{"missing result", "Messages[1].Parts[0]", func(r *chat.Request) {
			call := chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{}`)}
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call}}, chat.User("hm"))
		}},
		{"owned extra", `Extra["openai-chat"]["model"]`, func(r *chat.Request) {
			r.Tools = nil
			r.Extra = chat.Extra{"openai-chat": {"model": []byte(`"x"`)}, "anthropic": {"model": []byte(`"x"`)}}
		}},
		{"no model", "Model", func(r *chat.Request) { r.Model = "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				m := mock(t, entry, engine.Config{APIKey: testKey}, document(200, "{}"))
				req := hello(entry)
				req.Tools = matrixTools
				tt.change(req)
				_, err := call(t, m, req)
				e, ok := errors.AsType[*chat.Error](err)
				path := strings.Replace(tt.path, "openai-chat", entry.Profile.Dialect.String(), 1)
				if !ok || !errors.Is(err, chat.ErrInvalid) || e.Param != path || e.Engine != entry.Profile.Name {
					t.Errorf("error %v, want ErrInvalid at %s", err, path)
				}
				if m.calls() != 0 {
					t.Errorf("%d requests were sent", m.calls())
				}
			})
		})
	}
}

// TestBaseURLIsJoined: a base URL of the caller's, with or without a slash at
// its end, gets the dialect's path.
func TestBaseURLIsJoined(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		d := entry.Profile.Dialect
		m := mock(t, entry, engine.Config{BaseURL: "https://gateway.example/team/v1"}, canned(t, d, "text"))
		slash := entry.New(engine.Config{BaseURL: "https://gateway.example/team/v1/", HTTPClient: &http.Client{Transport: m.mock}})
		for _, eng := range []engine.Engine{m, slash} {
			if _, err := call(t, eng, hello(entry)); err != nil {
				t.Fatal(err)
			}
			if got, want := m.last(t).url, "https://gateway.example/team/v1"+endpoints[d]; got != want {
				t.Errorf("sent to %s, want %s", got, want)
			}
		}
	})
}
