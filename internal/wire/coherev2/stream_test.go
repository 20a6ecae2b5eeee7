package coherev2_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	r, events, err := collect(t, whole(toolCall,
		`{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"thinking","thinking":"h"}}}}`,
		`{"type":"content-delta","index":0,"delta":{"message":{"content":{"thinking":"m"}}}}`,
		`{"type":"content-end","index":0}`,
		`{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I will \"look\""}}}`,
		`{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","type":"function","function":{"name":"now","arguments":""}}}}}`,
		`{"type":"tool-call-end","index":0}`,
		`{"delta":{"message":{"tool_calls":{"id":"b","type":"function","function":{"name":"f","arguments":"{"}}}},"index":1,"type":"tool-call-start"}`,
		`{"type":"tool-call-delta","index":1,"delta":{"message":{"tool_calls":{"function":{"arguments":"\"n\":9007199254740993}"}}}}}`,
		`{"type":"tool-call-end","index":1}`)...)
	if err != nil {
		t.Fatal(err)
	}
	wantEvents := []chat.Event{
		chat.ThinkingDelta{Text: "h"},
		chat.ThinkingDelta{Text: "m"},
		chat.ThinkingDelta{Text: `I will "look"`},
		chat.ToolCallStart{Index: 0, ID: "a", Name: "now"},
		chat.ToolCallStart{Index: 1, ID: "b", Name: "f"},
		chat.ToolCallDelta{Index: 1, Arguments: `{`},
		chat.ToolCallDelta{Index: 1, Arguments: `"n":9007199254740993}`},
	}
	if !reflect.DeepEqual(events, wantEvents) {
		t.Errorf("events %+v", events)
	}
	want := []chat.Part{plan(`I will "look"`), thought("hm"), wiretest.ToolCall("a", "now", "{}"), wiretest.ToolCall("b", "f", `{"n":9007199254740993}`)}
	if !reflect.DeepEqual(r.Parts, want) || r.Finish != chat.FinishToolCalls || r.ID != "r1" {
		t.Errorf("got %+v", r)
	}
}

// Imitators send calls as a list, without an index or an id.
func TestCallsInOtherShapes(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"a list": {
			`{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]}}}`,
			`{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":[{"function":{"arguments":"{\"x\":1}"}}]}}}`,
			`{"type":"tool-call-start","index":1,"delta":{"message":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]}}}`,
		},
		"no index": {
			`{"type":"tool-call-start","delta":{"message":{"tool_calls":{"id":"a","function":{"name":"f","arguments":"{\"x\""}}}}}`,
			`{"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments":":1}"}}}}}`,
			`{"type":"tool-call-start","delta":{"message":{"tool_calls":{"id":"b","function":{"name":"g","arguments":"null"}}}}}`,
		},
	}
	for name, events := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, whole(toolCall, events...)...)
			if err != nil {
				t.Fatal(err)
			}
			if want := []chat.Part{wiretest.ToolCall("a", "f", `{"x":1}`), wiretest.ToolCall("b", "g", "{}")}; !reflect.DeepEqual(r.Parts, want) {
				t.Errorf("got %+v", r.Parts)
			}
		})
	}
	r, _, err := collect(t, whole(toolCall, `{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"function":{"name":"f"}}}}}`)...)
	if err != nil || len(r.ToolCalls()) != 1 || !strings.HasPrefix(r.ToolCalls()[0].ID, "call_") {
		t.Errorf("without an id: %+v, %v", r, err)
	}
}

func TestPassesOverTheUnknown(t *testing.T) {
	t.Parallel()
	r, _, err := collect(t, whole(complete,
		`{"type":"debug","prompt":"no"}`,
		`{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"hologram","hologram":"no"}}}}`,
		`{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"text":"no"}}}}`,
		`{"type":"content-delta","index":0,"delta":null}`,
		`{"type":"content-delta","index":0,"delta":{"message":{"content":null,"tool_plan":null,"tool_calls":null}}}`,
		`{"type":"content-delta","index":0,"logprobs":{"text":"no"},"delta":{"message":{"content":{"text":"yes","x":[1]}}}}`,
		`{"type":"tide-forecast","delta":{"message":{"content":{"text":"no"}}}}`,
		`[DONE]`, `[]`)...)
	if err != nil {
		t.Fatal(err)
	}
	if want := []chat.Part{chat.Text{Text: "yes"}}; !reflect.DeepEqual(r.Parts, want) || r.Finish != chat.FinishStop {
		t.Errorf("got %s %+v", r.Finish, r.Parts)
	}
}

// The type in the data decides; the event's name does where there is none.
func TestEventsWithoutAType(t *testing.T) {
	t.Parallel()
	const body = "event: message-start\ndata: {\"id\":\"r1\"}\n\n" +
		"event: content-delta\ndata: {\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"hi\"}}}}\n\n" +
		"event: message-end\ndata: {\"type\":\"content-end\"}\n\n" +
		"event: message-end\ndata: {\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n\n"
	r, _, err := wiretest.Stream(coherev2.Codec{}, strings.NewReader(body))
	if err != nil || r.Text() != "hi" || r.ID != "r1" || r.Finish != chat.FinishStop {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events []string
		kind   error
		retry  bool
		msg    string
		read   string // what the error's reply holds
	}{
		"no message-end":         {[]string{start, text, `{"type":"content-end","index":0}`}, chat.ErrTruncated, false, "", "hi"},
		"[DONE] is no end":       {[]string{start, text, `[DONE]`}, chat.ErrTruncated, false, "", "hi"},
		"nothing at all":         {nil, chat.ErrTruncated, false, "", ""},
		"nothing but the end":    {[]string{`{"type":"message-end","delta":{}}`}, chat.ErrBadReply, false, "", ""},
		"failure at the end":     {[]string{start, text, `{"type":"message-end","delta":{"error":"it broke","finish_reason":"ERROR"}}`}, chat.ErrServer, true, "it broke", "hi"},
		"an error body":          {[]string{`{"id":"x","message":"too many requests"}`}, chat.ErrServer, true, "too many requests", ""},
		"an error event":         {[]string{start, text, `{"type":"error","message":"it broke"}`}, chat.ErrServer, true, "it broke", "hi"},
		"an error without words": {[]string{`{"type":"error"}`}, chat.ErrServer, true, `{"type":"error"}`, ""},
		"an imitator's":          {[]string{`{"error":{"message":"it broke","type":"InternalServerError","code":500}}`}, chat.ErrServer, true, "it broke", ""},
		"half an event":          {[]string{start, text, `{"type":"content-delta",`}, chat.ErrTruncated, false, "", "hi"},
		"broken JSON":            {[]string{start, text, `{"type":"content-delta",`, text}, chat.ErrBadReply, false, `{"type":"content-delta",`, "hi"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, tt.events...)
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || r != nil {
				t.Fatalf("reply %v, error %v", r, err)
			}
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != 200 || e.Message != tt.msg {
				t.Errorf("got %v, retryable %v, status %d, message %q", e, e.Retryable, e.Status, e.Message)
			}
			if e.Reply != nil && e.Reply.Text() != tt.read || e.Reply == nil && tt.read != "" {
				t.Errorf("read before: %+v, want %q", e.Reply, tt.read)
			}
		})
	}
}

func TestReasonsToStop(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]chat.FinishReason{
		"COMPLETE": chat.FinishStop, "STOP_SEQUENCE": chat.FinishStopSequence, "MAX_TOKENS": chat.FinishLength,
		"TOOL_CALL": chat.FinishStop, // the word without a call
		"ERROR":     chat.FinishError, "TIMEOUT": chat.FinishError, "ERROR_TOXIC": chat.FinishOther,
	} {
		whole := decode(t, `{"id":"r1","message":{"content":[{"type":"text","text":"hi"}]},"finish_reason":"`+raw+`"}`)
		streamed, _, err := collect(t, start, text, `{"type":"message-end","delta":{"finish_reason":"`+raw+`"}}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*chat.Reply{whole, streamed} {
			if r.Finish != want || r.RawFinish != raw {
				t.Errorf("%s: got %s %s", raw, r.Finish, r.RawFinish)
			}
		}
	}
}

// What the model saw counts, not what is billed.
func TestUsage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		usage string
		want  chat.Usage
	}{
		"both":         {`{"billed_units":{"input_tokens":5,"output_tokens":2},"tokens":{"input_tokens":500,"output_tokens":5},"cached_tokens":448}`, chat.Usage{Input: 500, CachedInput: 448, Output: 5}},
		"billed only":  {`{"billed_units":{"input_tokens":5,"output_tokens":2,"search_units":1}}`, chat.Usage{Input: 5, Output: 2}},
		"fractions":    {`{"tokens":{"input_tokens":5.0,"output_tokens":2.9}}`, chat.Usage{Input: 5, Output: 2}},
		"none":         {`null`, chat.Usage{}},
		"nonsense":     {`{"tokens":{"input_tokens":-5,"output_tokens":1e300},"cached_tokens":7}`, chat.Usage{Output: 1 << 40}},
		"another kind": {`{"tokens":[],"billed_units":7}`, chat.Usage{}},
	}
	for name, tt := range tests {
		if got := decode(t, `{"message":{},"finish_reason":"COMPLETE","usage":`+tt.usage+`}`).Usage; got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestWholeReplies(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		message string
		want    []chat.Part
	}{
		"content is a text":  {`{"content":"hi"}`, []chat.Part{chat.Text{Text: "hi"}}},
		"several items":      {`{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"hm"},{"type":"text","text":"b"},null]}`, []chat.Part{thought("hm"), chat.Text{Text: "ab"}}},
		"same call twice":    {`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]}`, []chat.Part{wiretest.ToolCall("a", "f", "{}"), wiretest.ToolCall("b", "f", "{}")}},
		"arguments as JSON":  {`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"n":1}}}]}`, []chat.Part{wiretest.ToolCall("a", "f", `{"n":1}`)}},
		"empty everything":   {`{"content":[],"tool_plan":"","tool_calls":[],"citations":[]}`, nil},
		"null everything":    {`{"content":null,"tool_plan":null,"tool_calls":null}`, nil},
		"unknown everything": {`{"mood":"good","content":[{"type":"video","video":{}}]}`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := decode(t, `{"id":"r1","finish_reason":"COMPLETE","message":`+tt.message+`}`); !reflect.DeepEqual(r.Parts, tt.want) {
				t.Errorf("got %+v, want %+v", r.Parts, tt.want)
			}
		})
	}
}

func TestRepliesThatAreNone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		kind error
		msg  string
	}{
		"broken":             {`{"message":`, chat.ErrBadReply, `{"message":`},
		"a page":             {"<html><title>Login</title>", chat.ErrBadReply, "an HTML page: Login"},
		"empty object":       {`{}`, chat.ErrBadReply, "{}"},
		"a failure with 200": {`{"id":"x","message":"no"}`, chat.ErrServer, "no"},
		"an imitator's":      {`{"error":{"message":"no","type":"error"}}`, chat.ErrServer, "no"},
		"an error in words":  {`{"error":"no"}`, chat.ErrServer, "no"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wiretest.Reply(coherev2.Codec{}, []byte(tt.body))
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || !errors.Is(e, tt.kind) || e.Message != tt.msg || e.Status != 200 || e.Type != "" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status  int
		body    string
		kind    error
		retry   bool
		message string
		id      string
	}{
		"a page":         {502, "<html><title>Bad Gateway</title>", chat.ErrServer, true, "an HTML page: Bad Gateway", "h1"},
		"nothing":        {503, "", chat.ErrOverloaded, true, "empty body", "h1"},
		"a string":       {400, `"no"`, chat.ErrBadRequest, false, "no", "h1"},
		"an id of its":   {429, `{"id":"b1","message":"slow down"}`, chat.ErrRateLimited, true, "slow down", "b1"},
		"an imitator's":  {400, `{"error":{"message":"no","type":"BadRequestError","code":400}}`, chat.ErrBadRequest, false, "no", "h1"},
		"other details":  {422, `{"detail":[{"msg":"field required"}]}`, chat.ErrBadRequest, false, "field required", "h1"},
		"not even words": {500, `{"message":null}`, chat.ErrServer, true, `{"message":null}`, "h1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := coherev2.Codec{}.DecodeError(tt.status, http.Header{"X-Request-Id": {"h1"}}, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Message != tt.message || e.RequestID != tt.id || e.Status != tt.status {
				t.Errorf("got %v, message %q, id %q, retryable %v", e, e.Message, e.RequestID, e.Retryable)
			}
		})
	}
}

func TestLimitsHold(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{Reply: 1})
	if events, err := wire.ReadEvent(coherev2.Codec{}, a, frame.Frame{Data: []byte(text)}); !errors.Is(err, chat.ErrBadReply) || len(events) > 0 {
		t.Errorf("got %v, %v", events, err)
	}
	body := []byte(`{"message":{"content":"too long"},"finish_reason":"COMPLETE"}`)
	if _, err := wire.ReadReply(coherev2.Codec{}, wire.NewAssembly(wire.Limits{Reply: 1}), body); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("got %v", err)
	}
}
