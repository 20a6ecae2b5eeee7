package bedrockconverse_test

import (
	"encoding/base64"
	"errors"
	"reflect"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	r, events, err := collect(t, whole(toolUse,
		`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"hm"}}}`,
		`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"ab"}}}`,
		`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"c=d"}}}`,
		`contentBlockStop {"contentBlockIndex":0}`,
		`contentBlockStart {"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"t1","name":"now"}}}`,
		`contentBlockDelta {"contentBlockIndex":2,"delta":{"toolUse":{"input":""}}}`,
		`contentBlockDelta {"p":"x","delta":{"text":"Let me \"look\""},"contentBlockIndex":1}`,
		`contentBlockStart {"contentBlockIndex":3,"start":{"toolUse":{"toolUseId":"t2","name":"f"}}}`,
		`contentBlockDelta {"contentBlockIndex":3,"delta":{"toolUse":{"input":"{\"n\":"}}}`,
		`contentBlockDelta {"contentBlockIndex":3,"delta":{"toolUse":{"input":"9007199254740993}"}}}`,
	)...)
	if err != nil {
		t.Fatal(err)
	}
	wantEvents := []chat.Event{
		chat.ThinkingDelta{Text: "hm"},
		chat.ToolCallStart{Index: 0, ID: "t1", Name: "now"},
		chat.TextDelta{Text: `Let me "look"`},
		chat.ToolCallStart{Index: 1, ID: "t2", Name: "f"},
		chat.ToolCallDelta{Index: 1, Arguments: `{"n":`},
		chat.ToolCallDelta{Index: 1, Arguments: `9007199254740993}`},
	}
	if !reflect.DeepEqual(events, wantEvents) {
		t.Errorf("events %+v", events)
	}
	want := []chat.Part{
		thought("hm", "abc=d"),
		chat.Text{Text: `Let me "look"`},
		wiretest.ToolCall("t1", "now", "{}"), wiretest.ToolCall("t2", "f", `{"n":9007199254740993}`),
	}
	if !reflect.DeepEqual(r.Parts, want) || r.Finish != chat.FinishToolCalls || r.Usage != (chat.Usage{Input: 10, Output: 4}) {
		t.Errorf("got %+v", r)
	}
}

// A blob in pieces, each with its own padding, is one blob in the end.
func TestRedactedReasoningInPieces(t *testing.T) {
	t.Parallel()
	delta := func(data string) string {
		return `contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"` + data + `"}}}`
	}
	const stop = `contentBlockStop {"contentBlockIndex":0}`
	b64 := base64.StdEncoding.EncodeToString
	tests := map[string]struct {
		lines []string
		want  string
	}{
		"whole":              {[]string{delta(b64([]byte("abcd"))), stop}, b64([]byte("abcd"))},
		"padded pieces":      {[]string{delta(b64([]byte("a"))), delta(b64([]byte("bcde"))), delta(b64([]byte("fgh"))), stop}, b64([]byte("abcdefgh"))},
		"pieces of threes":   {[]string{delta(b64([]byte("abc"))), delta(b64([]byte("de"))), stop}, b64([]byte("abcde"))},
		"not base64 at all":  {[]string{delta("a=b!"), delta("c"), stop}, "a=b!c"},
		"half of it":         {[]string{delta("YQ=="), delta("Yg="), stop}, "YQ==Yg="},
		"nothing in a piece": {[]string{delta(""), delta("YQ=="), stop}, "YQ=="},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, whole(endTurn, tt.lines...)...)
			if err != nil {
				t.Fatal(err)
			}
			if want := []chat.Part{redacted(tt.want)}; !reflect.DeepEqual(r.Parts, want) {
				t.Errorf("got %+v", r.Parts)
			}
		})
	}
}

// Blocks, events and members that aren't known are passed over.
func TestPassesOverTheUnknown(t *testing.T) {
	t.Parallel()
	r, _, err := collect(t, whole(endTurn,
		`solarFlare not even JSON`,
		`contentBlockStart {"contentBlockIndex":0,"start":{"image":{"format":"png"}}}`,
		`contentBlockDelta {"contentBlockIndex":0,"delta":{"image":{"source":{}}}}`,
		`contentBlockStart {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"s1","name":"nova_grounding","type":"server_tool_use"}}}`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"toolUse":{"input":"{}"}}}`,
		`contentBlockStart {"contentBlockIndex":2,"start":{"toolResult":{"toolUseId":"s1"}}}`,
		`contentBlockDelta {"contentBlockIndex":2,"delta":{"toolResult":[{"text":"no"}]}}`,
		`contentBlockStart {"contentBlockIndex":3,"start":{}}`,
		`contentBlockStart {"contentBlockIndex":3,"start":null}`,
		`contentBlockDelta {"contentBlockIndex":3,"delta":{"citation":{"title":"no"}}}`,
		`contentBlockDelta {"contentBlockIndex":3,"delta":{"text":"yes","toolUse":null}}`,
		`contentBlockDelta {"contentBlockIndex":3,"delta":null}`,
		`contentBlockDelta []`)...)
	if err != nil {
		t.Fatal(err)
	}
	if want := []chat.Part{chat.Text{Text: "yes"}}; !reflect.DeepEqual(r.Parts, want) || r.Finish != chat.FinishStop {
		t.Errorf("got %s %+v", r.Finish, r.Parts)
	}
}

func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	failure := func(name string) string { return "!" + name + ` {"message":"m"}` }
	tests := map[string]struct {
		lines []string
		kind  error
		retry bool
		read  string // what the error's reply holds
	}{
		"no messageStop":           {[]string{start, text, `contentBlockStop {"contentBlockIndex":0}`}, chat.ErrTruncated, false, "hi"},
		"usage but no messageStop": {[]string{start, text, usage}, chat.ErrTruncated, false, "hi"},
		"nothing at all":           {nil, chat.ErrTruncated, false, ""},
		"throttled at once":        {[]string{failure("throttlingException")}, chat.ErrRateLimited, true, ""},
		"unavailable":              {[]string{start, text, failure("serviceUnavailableException")}, chat.ErrOverloaded, true, "hi"},
		"internal":                 {[]string{start, failure("internalServerException")}, chat.ErrServer, true, ""},
		"validation":               {[]string{failure("validationException")}, chat.ErrBadRequest, false, ""},
		"of the model, no status":  {[]string{start, text, failure("modelStreamErrorException")}, chat.ErrServer, true, "hi"},
		"of the model, refused":    {[]string{`!modelStreamErrorException {"message":"m","originalStatusCode":400}`}, chat.ErrBadRequest, false, ""},
		"of the model, limited":    {[]string{`!modelStreamErrorException {"originalMessage":"m","originalStatusCode":429}`}, chat.ErrRateLimited, true, ""},
		"of the model, its key":    {[]string{`!modelStreamErrorException {"originalStatusCode":401}`}, chat.ErrServer, true, ""},
		"of a kind not known":      {[]string{failure("solarFlareException")}, chat.ErrServer, true, ""},
		"sent as an event":         {[]string{start, `throttlingException {"message":"m"}`}, chat.ErrRateLimited, true, ""},
		"error without a payload":  {[]string{"!InternalError "}, chat.ErrServer, true, ""},
		"error in words":           {[]string{"! it broke"}, chat.ErrServer, true, ""},
		"half an event":            {[]string{start, text, `contentBlockDelta {"contentBlockIndex":`}, chat.ErrTruncated, false, "hi"},
		"broken JSON":              {[]string{start, text, `contentBlockDelta {"contentBlockIndex":`, usage}, chat.ErrBadReply, false, "hi"},
		"text for a call":          {[]string{start, `contentBlockStart {"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"f"}}}`, text}, chat.ErrBadReply, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, tt.lines...)
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || r != nil {
				t.Fatalf("reply %v, error %v", r, err)
			}
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != 200 {
				t.Errorf("got %v, retryable %v, status %d", e, e.Retryable, e.Status)
			}
			if e.Reply != nil && e.Reply.Text() != tt.read || e.Reply == nil && tt.read != "" {
				t.Errorf("read before: %+v, want %q", e.Reply, tt.read)
			}
		})
	}
}

// The reply is whole with messageStop; the frame after it only counts tokens.
func TestEndOfAStream(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines []string
		usage chat.Usage
	}{
		"as documented":       {[]string{start, text, endTurn, usage}, chat.Usage{Input: 10, Output: 4}},
		"without the usage":   {[]string{start, text, endTurn}, chat.Usage{}},
		"usage first":         {[]string{start, text, usage, endTurn}, chat.Usage{Input: 10, Output: 4}},
		"usage, then metrics": {[]string{start, text, usage, `metadata {"metrics":{"latencyMs":5}}`, endTurn}, chat.Usage{Input: 10, Output: 4}},
		"more after the end":  {[]string{start, text, endTurn, usage, "contentBlockDelta broken"}, chat.Usage{Input: 10, Output: 4}},
		"with a cache": {
			[]string{start, text, endTurn, `metadata {"usage":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":30,"cacheWriteInputTokens":400,"cacheDetails":[]}}`},
			chat.Usage{Input: 431, CachedInput: 30, CacheWrite: 400, Output: 2},
		},
		"nonsense": {[]string{start, text, endTurn, `metadata {"usage":{"inputTokens":-1,"outputTokens":null,"cacheReadInputTokens":1e300}}`}, chat.Usage{Input: 1 << 40, CachedInput: 1 << 40}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, tt.lines...)
			if err != nil {
				t.Fatal(err)
			}
			if r.Text() != "hi" || r.Finish != chat.FinishStop || r.Usage != tt.usage {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestReasonsToStop(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]chat.FinishReason{
		"end_turn": chat.FinishStop, "stop_sequence": chat.FinishStopSequence, "max_tokens": chat.FinishLength,
		"model_context_window_exceeded": chat.FinishLength, "guardrail_intervened": chat.FinishFiltered,
		"content_filtered": chat.FinishFiltered, "malformed_tool_use": chat.FinishMalformed,
		"malformed_model_output": chat.FinishMalformed, "tool_use": chat.FinishStop, // the word without a call
		"steered": chat.FinishOther, "": chat.FinishOther,
	} {
		body := `{"output":{"message":{"content":[{"text":"hi"}]}},"stopReason":"` + raw + `"}`
		streamed, _, err := collect(t, start, text, `messageStop {"stopReason":"`+raw+`"}`, usage)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*chat.Reply{decode(t, body), streamed} {
			if r.Finish != want || r.RawFinish != raw {
				t.Errorf("%s: got %s %s", raw, r.Finish, r.RawFinish)
			}
		}
	}
}

func TestWholeReplies(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		content string
		want    []chat.Part
	}{
		"input as text": {`{"toolUse":{"toolUseId":"a","name":"f","input":"{\"n\":1}"}}`, []chat.Part{wiretest.ToolCall("a", "f", `{"n":1}`)}},
		"input of none": {`{"toolUse":{"toolUseId":"a","name":"f","input":{ }}}`, []chat.Part{wiretest.ToolCall("a", "f", "{}")}},
		"input of null": {`{"toolUse":{"toolUseId":"a","name":"f","input":null}}`, []chat.Part{wiretest.ToolCall("a", "f", "{}")}},
		"big number":    {`{"toolUse":{"toolUseId":"a","name":"f","input":{"n": 9007199254740993}}}`, []chat.Part{wiretest.ToolCall("a", "f", `{"n":9007199254740993}`)}},
		"citations":     {`{"citationsContent":{"citations":[{"title":"no"}],"content":[{"text":"a"},{"x":[]},{"text":"b"}]}}`, []chat.Part{chat.Text{Text: "ab"}}},
		"remote call":   {`{"toolUse":{"toolUseId":"a","name":"f","input":{},"type":"server_tool_use"}},{"text":"b"}`, []chat.Part{chat.Text{Text: "b"}}},
		"unknown":       {`{"hologram":{"text":"no"}},{"image":{}},{"toolResult":{}},null,7,{"text":"b"}`, []chat.Part{chat.Text{Text: "b"}}},
		"unsigned":      {`{"reasoningContent":{"reasoningText":{"text":"hm"}}}`, []chat.Part{chat.Thinking{Text: "hm"}}},
		"two thoughts":  {`{"reasoningContent":{"redactedContent":"YQ=="}},{"reasoningContent":{"reasoningText":{"signature":"s","text":""}}}`, []chat.Part{redacted("YQ=="), thought("", "s")}},
		"nothing":       {``, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := decode(t, `{"metrics":{},"stopReason":"end_turn","output":{"message":{"role":"assistant","content":[`+tt.content+`]}}}`)
			if !reflect.DeepEqual(r.Parts, tt.want) {
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
		"broken":             {`{"output":`, chat.ErrBadReply, `{"output":`},
		"a page":             {"<html><title>Login</title>", chat.ErrBadReply, "an HTML page: Login"},
		"empty object":       {`{}`, chat.ErrBadReply, "{}"},
		"a list":             {`[]`, chat.ErrBadReply, "[]"},
		"a failure with 200": {`{"message":"no"}`, chat.ErrServer, "no"},
		"its type in it":     {`{"__type":"com.amazon#ThrottlingException","message":"no"}`, chat.ErrRateLimited, "no"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wiretest.Reply(bedrockconverse.Codec{}, []byte(tt.body))
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || !errors.Is(e, tt.kind) || e.Message != tt.msg || e.Status != 200 {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLimitsHold(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{Reply: 1})
	events, err := wire.ReadEvent(bedrockconverse.Codec{}, a, frame.Frame{
		Event: []byte("contentBlockDelta"), Data: []byte(`{"contentBlockIndex":0,"delta":{"text":"too long"}}`),
	})
	if !errors.Is(err, chat.ErrBadReply) || len(events) > 0 {
		t.Errorf("got %v, %v", events, err)
	}
	body := []byte(`{"output":{"message":{"content":[{"text":"too long"}]}},"stopReason":"end_turn"}`)
	if _, err := wire.ReadReply(bedrockconverse.Codec{}, wire.NewAssembly(wire.Limits{Reply: 1}), body); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("got %v", err)
	}
}
