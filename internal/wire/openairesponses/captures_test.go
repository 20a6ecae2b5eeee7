package openairesponses_test

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// recorded decodes a recorded answer and counts the events of a stream.
func recorded(t *testing.T, file string) (r *chat.Reply, events int) {
	t.Helper()
	body := wiretest.Read(t, strings.Split(file, "/")...)
	if path.Base(file) != "stream.sse" {
		return decoded(t, body), 0
	}
	r, evs, err := wiretest.Stream(codec, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r, len(evs)
}

// TestRecordedAnswers states, one by one, what real servers were seen to do
// and what a caller gets to see of it.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	const hello = "Hello! I am a tiny model. What next?"
	calls := func(r *chat.Reply) bool {
		c := r.ToolCalls()
		return len(c) == 1 && c[0].Name == "get_weather" && c[0].Sound() && strings.HasPrefix(c[0].ID, "call_") && r.Finish == chat.FinishToolCalls
	}
	for _, tt := range []struct {
		name, file string
		ok         func(r *chat.Reply, events int) bool
	}{
		{"events without index and number", "llama-server/responses-stream/stream.sse", func(r *chat.Reply, n int) bool { return r.Text() == hello && n == 11 }},
		{"a call without its arguments' end", "llama-server/responses-tools-stream/stream.sse", func(r *chat.Reply, n int) bool { return calls(r) && n == 2 }},
		{"spaces in arguments stay", "llama-server/responses-tools/reply.json", func(r *chat.Reply, _ int) bool {
			return calls(r) && string(r.ToolCalls()[0].Arguments) == `{"city": "Paris"}`
		}},
		{"members in the order of the alphabet", "ollama/responses-stream/stream.sse", func(r *chat.Reply, n int) bool { return r.Text() == hello && n > 1 }},
		{"a call with all its events", "ollama/responses-tools-stream/stream.sse", func(r *chat.Reply, n int) bool { return calls(r) && n == 2 }},
		{"a call, not streamed", "ollama/responses-tools/reply.json", func(r *chat.Reply, _ int) bool { return calls(r) }},
		{"a result was read", "ollama/responses-tool-result/reply.json", func(r *chat.Reply, _ int) bool { return strings.HasPrefix(r.Text(), "The tool has answered") }},
		{"a format that is ignored", "llama-server/responses-json-schema/reply.json", func(r *chat.Reply, _ int) bool { return !json.Valid([]byte(r.Text())) }},
		{"a format that is enforced", "ollama/responses-json-schema/reply.json", func(r *chat.Reply, _ int) bool { return json.Valid([]byte(r.Text())) }},
		{"completed though it was cut", "llama-server/responses-max-tokens/reply.json", func(r *chat.Reply, _ int) bool { return r.Finish == chat.FinishStop && r.Text() == "Hello! I" }},
		{"completed though it was cut, another server", "ollama/responses-max-tokens/reply.json", func(r *chat.Reply, _ int) bool { return r.Finish == chat.FinishStop && r.Usage.Output == 3 }},
		{"an empty text where the input is missing", "ollama/responses-err-no-input/reply.json", func(r *chat.Reply, _ int) bool { return len(r.Parts) == 0 && r.Finish == chat.FinishStop }},
		{"an id of an earlier response that is ignored", "ollama/responses-err-previous-id/reply.json", func(r *chat.Reply, _ int) bool { return r.Text() == hello }},
		{"cached tokens", "llama-server/responses/reply.json", func(r *chat.Reply, _ int) bool { return r.Usage.Input == 44 && r.Usage.CachedInput == 43 }},
		{"a thought that can't go back", "aimock/responses-reasoning-stream/stream.sse", func(r *chat.Reply, _ int) bool {
			th, ok := r.Parts[0].(chat.Thinking)
			return ok && th.Text == "Six times seven is forty-two." && th.Signature.IsZero() && r.Text() == "42."
		}},
		{"two calls", "aimock/responses-tools-stream/stream.sse", func(r *chat.Reply, n int) bool {
			return summary(r) == `call_p=get_weather({"city":"Paris"})|call_r=get_weather({"city":"Rome"})` && n == 4
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if r, n := recorded(t, tt.file); !tt.ok(r, n) {
				t.Errorf("got %+v, %d events", r, n)
			}
		})
	}
}

// TestRecordedTurnsGoBack: what a real server said is sent back to it in the
// form that it gave it.
func TestRecordedTurnsGoBack(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"llama-server/responses-tools-stream/stream.sse": `[{"type":"function_call","id":"fc_ytyCv3aOKiEPNLsDenN3dtZlTEwCMOUE",
			"call_id":"call_ytyCv3aOKiEPNLsDenN3dtZlTEwCMOUE","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}]`,
		"ollama/responses-tools-stream/stream.sse": `[{"type":"function_call","id":"fc_631169_0","call_id":"call_jgz02132",
			"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}]`,
		"aimock/responses-reasoning-stream/stream.sse": `[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"42."}]}]`,
		"ollama/responses-stream/stream.sse": `[{"type":"message","id":"msg_567236","status":"completed","role":"assistant",
			"content":[{"type":"output_text","text":"Hello! I am a tiny model. What next?","annotations":[]}]}]`,
	} {
		r, _ := recorded(t, file)
		wantInput(t, input(t, r.Message()), want)
	}
}

func TestRecordedErrors(t *testing.T) {
	t.Parallel()
	for file, tt := range map[string]struct {
		status int
		kind   error
	}{
		"llama-server/responses-err-no-input":    {400, chat.ErrBadRequest},
		"llama-server/responses-err-previous-id": {400, chat.ErrBadRequest},
		"dwmkerr-mock-llm/responses":             {404, chat.ErrNotFound},
	} {
		if e := codec.DecodeError(tt.status, nil, []byte(wiretest.Read(t, file, "error.json"))); !errors.Is(e, tt.kind) || e.Message == "" {
			t.Errorf("%s: %+v", file, e)
		}
	}
}
