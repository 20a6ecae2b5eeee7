package ollama_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func callLine(calls string) string {
	return `{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[` + calls + `]},"done":false}`
}

const doneLine = `{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":50,"eval_count":20}`

// TestCallsBeforeTheLastLine: each line may hold calls, all of them whole.
// Ids may be missing and indexes say nothing; every call stays one of its own.
func TestCallsBeforeTheLastLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"no ids, one name": {[]string{
			callLine(`{"function":{"name":"get_weather","arguments":{"city":"Oslo"}}}`),
			callLine(`{"function":{"name":"get_weather","arguments":{"city":"Bergen"}}}`),
		}, `new get_weather({"city":"Oslo"}) new get_weather({"city":"Bergen"})`},
		"the same call twice": {[]string{
			callLine(`{"function":{"name":"now","arguments":{}}}`), callLine(`{"function":{"name":"now","arguments":{}}}`),
		}, `new now({}) new now({})`},
		"index 0 in every line": {[]string{
			callLine(`{"id":"a","function":{"index":0,"name":"f","arguments":{"n":1}}}`),
			callLine(`{"id":"b","function":{"index":0,"name":"f","arguments":{"n":2}}}`),
		}, `a f({"n":1}) b f({"n":2})`},
		"one id for two": {[]string{
			callLine(`{"id":"a","function":{"name":"f","arguments":{"n":1}}},{"id":"a","function":{"name":"g","arguments":{"n":2}}}`),
		}, `a f({"n":1}) new g({"n":2})`},
		"arguments as text, null and missing": {[]string{
			callLine(`{"id":"a","function":{"name":"f","arguments":"{\"n\": 1}"}},{"id":"b","function":{"name":"g","arguments":null}},{"id":"c","function":{"name":"h"}}`),
		}, `a f({"n":1}) b g({}) c h({})`},
		"a big number": {[]string{
			callLine(`{"id":"a","function":{"name":"f","arguments":{"z": 12345678901234567890, "a": "\u00e9 é"}}}`),
		}, `a f({"z":12345678901234567890,"a":"\u00e9 é"})`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := stream(append(tt.lines, doneLine)...)
			if err != nil {
				t.Fatal(err)
			}
			calls := r.ToolCalls()
			said := make([]string, 0, len(calls))
			for _, c := range calls {
				if len(c.ID) == len(wire.MakeCallID()) {
					c.ID = "new"
				}
				said = append(said, fmt.Sprintf("%s %s(%s)", c.ID, c.Name, c.Arguments))
			}
			if got := strings.Join(said, " "); got != tt.want || r.Finish != chat.FinishToolCalls || r.RawFinish != "stop" || r.Text() != "" {
				t.Errorf("got %s, %s", got, r.Finish)
			}
			if r.Usage.Input != 50 || r.Usage.Output != 20 {
				t.Errorf("usage %+v", r.Usage)
			}
		})
	}
}

// TestReplies are answers that differ from the usual one.
func TestReplies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body   string
		finish chat.FinishReason
		raw    string
		text   string
	}{
		"no reason, as old servers":   {`{"message":{"content":"hi"},"done":true}`, chat.FinishStop, "", "hi"},
		"no done at all":              {`{"message":{"content":"hi"}}`, chat.FinishOther, "", "hi"},
		"a reason that nobody knows":  {`{"message":{"content":"hi"},"done":true,"done_reason":"tired"}`, chat.FinishOther, "tired", "hi"},
		"the reason before the text":  {`{"done_reason":"length","done":true,"message":{"content":"hi"}}`, chat.FinishLength, "length", "hi"},
		"members that nobody knows":   {`{"message":{"content":"hi","mood":[1]},"done":true,"done_reason":"stop","x":{"y":null}}`, chat.FinishStop, "stop", "hi"},
		"kinds that nobody expects":   {`{"model":7,"message":{"content":["hi"],"thinking":null,"tool_calls":{}},"done":true,"prompt_eval_count":"x","eval_count":-4}`, chat.FinishStop, "", ""},
		"an error that is none":       {`{"message":{"content":"hi"},"done":true,"error":null}`, chat.FinishStop, "", "hi"},
		"done without a message":      {`{"done":true,"done_reason":"unload"}`, chat.FinishOther, "unload", ""},
		"a cut call keeps the length": {`{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":"}}]},"done":true,"done_reason":"length"}`, chat.FinishLength, "length", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := wiretest.Reply(codec, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if r.Finish != tt.finish || r.RawFinish != tt.raw || r.Text() != tt.text {
				t.Errorf("got %q, %s %q", r.Text(), r.Finish, r.RawFinish)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body    string
		kind    error
		message string
	}{
		"an error with status 200": {`{"error":"out of memory"}`, chat.ErrServer, "out of memory"},
		"an object":                {`{"error":{"message":"slow down","type":"rate","code":"c1"}}`, chat.ErrServer, "slow down"},
		"a status in the body":     {`{"error":"slow down","status":429}`, chat.ErrRateLimited, "slow down"},
		"an empty error":           {`{"error":""}`, chat.ErrServer, ""},
		"nothing at all":           {`{}`, chat.ErrBadReply, "no message"},
		"the first of many lines":  {`{"message":{"content":"hi"},"done":false}`, chat.ErrTruncated, "the reply is not done"},
		"two lines":                {`{"message":{"content":"hi"},"done":false}` + "\n" + doneLine, chat.ErrBadReply, ""},
		"a page":                   {`<html><title>Sign in</title>`, chat.ErrBadReply, "an HTML page: Sign in"},
		"a list":                   {`[]`, chat.ErrBadReply, "[]"},
		"cut":                      {`{"message":{"content":"hi`, chat.ErrBadReply, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := wiretest.Reply(codec, []byte(tt.body))
			e, ok := errors.AsType[*chat.Error](err)
			if r != nil || !ok || !errors.Is(err, tt.kind) || tt.message != "" && e.Message != tt.message {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
}

// TestErrorBodies: what stands between a client and Ollama answers in its own
// way.
func TestErrorBodies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status    int
		body      string
		kind      error
		message   string
		retryable bool
	}{
		"an object":       {500, `{"error":{"message":"no","type":"t","code":"c"}}`, chat.ErrServer, "no", true},
		"a detail":        {404, `{"detail":"Not Found"}`, chat.ErrNotFound, "Not Found", false},
		"a bare string":   {400, `"no"`, chat.ErrBadRequest, "no", false},
		"empty":           {502, ``, chat.ErrServer, "empty body", true},
		"not implemented": {501, `{"error":"no"}`, chat.ErrServer, "no", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := codec.DecodeError(tt.status, nil, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Message != tt.message || e.Retryable != tt.retryable || e.Status != tt.status {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestStreamEnds: only the line that says done is an end, and nothing is read
// after it.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	const hi = `{"message":{"content":"hi"},"done":false}`
	for name, tt := range map[string]struct {
		lines []string
		kind  error
		text  string
	}{
		"done":                {[]string{hi, doneLine, "garbage"}, nil, "hi"},
		"blank lines":         {[]string{"", hi, " ", doneLine}, nil, "hi"},
		"an unknown line":     {[]string{hi, `{"ping":1}`, doneLine}, nil, "hi"},
		"an early clean end":  {[]string{hi}, chat.ErrTruncated, "hi"},
		"half a line":         {[]string{hi, `{"message":{"con`}, chat.ErrTruncated, "hi"},
		"nothing":             {nil, chat.ErrTruncated, ""},
		"a line that is none": {[]string{hi, "oops"}, chat.ErrBadReply, "hi"},
		"an error":            {[]string{hi, `{"error":"gone"}`, doneLine}, chat.ErrServer, "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := stream(tt.lines...)
			if !errors.Is(err, tt.kind) {
				t.Fatalf("got %v", err)
			}
			if e, ok := errors.AsType[*chat.Error](err); ok {
				r = e.Reply
			}
			if r != nil && r.Text() != tt.text || r == nil && tt.text != "" {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestReplay: what the model said goes back as it said it, thoughts included.
func TestReplay(t *testing.T) {
	t.Parallel()
	r, _, err := stream(`{"message":{"thinking":"I need "},"done":false}`, `{"message":{"thinking":"the table."},"done":false}`,
		`{"message":{"content":"Looking."},"done":false}`, callLine(`{"id":"a","function":{"index":0,"name":"f","arguments":{"n":1}}}`), doneLine)
	if err != nil {
		t.Fatal(err)
	}
	c := wire.Call{Model: "m", Messages: []chat.Message{r.Message()}}
	wiretest.SameJSON(t, []byte(member(t, encode(t, c), "messages")), []byte(`[{"role":"assistant","content":"Looking.",`+
		`"thinking":"I need the table.","tool_calls":[{"id":"a","function":{"index":0,"name":"f","arguments":{"n":1}}}]}]`))
}

// TestLimit: a reply beyond the limit is an error in both forms.
func TestLimit(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(map[string]any{"message": map[string]string{"content": strings.Repeat("x", 100)}, "done": true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wire.ReadReply(codec, wire.NewAssembly(wire.Limits{Reply: 99}), body); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("reply: %v", err)
	}
	events, err := wire.ReadEvent(codec, wire.NewAssembly(wire.Limits{Reply: 99}), frame.Frame{Data: body})
	if !errors.Is(err, chat.ErrBadReply) || len(events) > 0 {
		t.Errorf("stream: %v, %d events", err, len(events))
	}
}
