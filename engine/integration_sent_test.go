package engine_test

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/claims"
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
		for _, model := range modelsOf(entry) {
			for name, choice := range allChoices {
				for _, mode := range []chat.ThinkingMode{chat.ThinkingDefault, chat.ThinkingOff} {
					t.Run(model+"/"+name+"/"+cmp.Or(string(mode), "unset"), func(t *testing.T) {
						t.Parallel()
						checkSent(t, entry, call, &chat.Request{
							Model: model, Messages: chat.Prompt("Where is the Gravensteen?"), Tools: matrixTools,
							ToolChoice: choice, Thinking: chat.ThinkingConfig{Mode: mode},
						})
					})
				}
			}
		}
	})
}

func checkSent(t *testing.T, entry engine.Entry, call caller, req *chat.Request) {
	t.Helper()
	plan, refused := entry.New(placed(engine.Config{})).Plan(req)
	m := mock(t, entry, engine.Config{APIKey: testKey, Header: http.Header{"X-Team": {"blue"}}},
		says(entry, obey(plan, req.ToolChoice)))
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
	checkBody(t, entry, got, plan)
	v, err := look(entry.Profile.Dialect, got.address(t), got.body)
	if err != nil {
		t.Fatal(err)
	}
	checkSpelling(t, entry, v, plan, req.ToolChoice)
}

// obey is the answer of a model that does as the plan's body tells it.
func obey(plan *chat.Plan, choice toolchoice.Choice) answer {
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

func took(plan *chat.Plan, kind chat.PlanStepKind) bool {
	return slices.ContainsFunc(plan.Steps, func(s chat.PlanStep) bool { return s.Kind == kind })
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
func checkEnvelope(t *testing.T, entry engine.Entry, got sent, plan *chat.Plan) {
	t.Helper()
	p := entry.Profile
	planned := addressOf(entry, "", plan.Model, false)
	if want := addressOf(entry, "", plan.Model, got.streams(t)); got.method != http.MethodPost || got.url != want || plan.URL() != planned {
		t.Errorf("sent %s %s, planned %s, want POST %s", got.method, got.url, plan.URL(), want)
	}
	want := map[string]string{"Content-Type": "application/json", "X-Team": "blue"}
	if p.Auth.Header != "" {
		want[p.Auth.Header] = p.Auth.Prefix + testKey
	}
	for name, want := range want {
		if v := got.header[http.CanonicalHeaderKey(name)]; len(v) != 1 || v[0] != want {
			t.Errorf("header %s is %q, want %q", name, v, want)
		}
	}
	// Source: platform.claude.com, "Versions", read 2026-11-30.
	if v := got.header.Get("Anthropic-Version"); (p.Dialect == profile.AnthropicMessages) != (v == "2023-06-01") {
		t.Errorf("anthropic-version is %q", v)
	}
	for name, values := range got.header {
		if name != p.Auth.Header && strings.Contains(strings.Join(values, " "), testKey) {
			t.Errorf("the key is in header %s, too", name)
		}
	}
	if strings.Contains(got.url, testKey) || bytes.Contains(got.body, []byte(testKey)) != keyInBody(entry) {
		t.Error("the key is in the address or in the body")
	}
}

// keyInBody reports whether a provider wants its key in the body.
func keyInBody(entry engine.Entry) bool { return entry.Profile.Dialect == profile.AKINative }

// carriesKey reports whether a request has the key where the provider wants it.
func carriesKey(entry engine.Entry, s sent) bool {
	auth := entry.Profile.Auth
	if keyInBody(entry) {
		return strings.Contains(string(s.body), `"key":"`+testKey+`"`)
	}
	return s.header.Get(auth.Header) == auth.Prefix+testKey
}

// checkBody: Chat sends the plan's body byte for byte, but for a key that goes
// into the body; Stream the same and its own members.
func checkBody(t *testing.T, entry engine.Entry, got sent, plan *chat.Plan) {
	t.Helper()
	want := bodyOf(t, plan)
	if got.streams(t) {
		var err error
		if want, err = plan.StreamBody(); err != nil {
			t.Fatal(err)
		}
	}
	if keyInBody(entry) {
		want = append([]byte(`{"key":"`+testKey+`",`), want[1:]...)
	}
	if !bytes.Equal(got.body, want) {
		t.Errorf("sent    %s\nplanned %s", got.body, want)
	}
	rest := decoded(t, got.body)
	options := entry.Profile.Dialect == profile.OpenAIChat && !entry.Profile.Quirks.NoStreamOptions && got.streams(t)
	if (dig(rest, "stream_options", "include_usage") == true) != options {
		t.Errorf("stream options: %v", rest["stream_options"])
	}
	plain := decoded(t, bodyOf(t, plan))
	for _, body := range []object{rest, plain} {
		delete(body, "stream")
		delete(body, "stream_options")
		delete(body, "key")
	}
	if !reflect.DeepEqual(rest, plain) {
		t.Errorf("streamed %v\nplanned  %v", rest, plain)
	}
}

// checkSpelling: the choice is spelled by the wire's own rules, or rewritten as
// the plan says.
func checkSpelling(t *testing.T, entry engine.Entry, v wireView, plan *chat.Plan, choice toolchoice.Choice) {
	t.Helper()
	tools, said := len(matrixTools), choice
	switch {
	case took(plan, chat.StepToolsLeftOut):
		checkNoTools(t, v)
		return
	case took(plan, chat.StepToolsAsText):
		checkNoTools(t, v)
		checkInWords(t, v, choice)
		return
	case took(plan, chat.StepToolAsSchema), took(plan, chat.StepToolsAsSchema):
		checkStill(t, entry, v)
		checkSchemaSent(t, v.schema, took(plan, chat.StepToolsAsSchema))
		return
	case took(plan, chat.StepNamedAsAny):
		tools, said = 1, toolchoice.Any()
	}
	if len(v.tools) != tools {
		t.Errorf("tools %v sent", v.tools)
	}
	auto := claims.About(entry.Profile.Name, v.model).Is(claims.Auto)
	if said.Mode() == toolchoice.ModeAuto && (auto == "no_form" || auto == "ignored") {
		said = toolchoice.Choice{}
	}
	raw, err := said.To(entry.Profile.Tools)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if raw != nil {
		want = decoded(t, []byte(`{"c":`+string(raw)+`}`))["c"]
	}
	if inner := dig(want, "functionCallingConfig"); inner != nil { // Gemini's is wrapped
		want = inner
	}
	if !reflect.DeepEqual(v.choice, want) {
		t.Errorf("tool choice is %v, want %v", v.choice, want)
	}
}

// checkInWords: the tools stand in the conversation, and so does the choice.
func checkInWords(t *testing.T, v wireView, choice toolchoice.Choice) {
	t.Helper()
	said := asJSON(v.messages)
	for _, want := range []string{"place", "trip", "tool_call"} {
		if !strings.Contains(said, want) {
			t.Errorf("the conversation lacks %s: %s", want, said)
		}
	}
	if strings.Contains(said, "Your answer must be") != choice.Forced() {
		t.Errorf("asked for %s in words: %s", choice, said)
	}
}

// checkStill: where a choice travels as a schema, the tools stay with a choice
// of none, or there are none.
func checkStill(t *testing.T, entry engine.Entry, v wireView) {
	t.Helper()
	if entry.Profile.Dialect != profile.AnthropicMessages {
		checkNoTools(t, v)
		return
	}
	if len(v.tools) != len(matrixTools) || dig(v.choice, "type") != "none" {
		t.Errorf("tools %v, tool choice %v", v.tools, v.choice)
	}
}

func checkNoTools(t *testing.T, v wireView) {
	t.Helper()
	if len(v.tools) > 0 || v.body["tools"] != nil || v.body["toolConfig"] != nil || v.choice != nil || v.body["parallel_tool_calls"] != nil {
		t.Errorf("tools %v, tool choice %v in a body without tools: %v", v.tools, v.choice, v.body)
	}
}

// checkSchemaSent: the tool's schema, or the union of all, is the answer's form.
func checkSchemaSent(t *testing.T, format any, union bool) {
	t.Helper()
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
