package gemini_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func TestRepliesThatAreNone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body    string
		kind    error
		retry   bool
		message string
	}{
		"empty":                  {"", chat.ErrBadReply, false, "empty body"},
		"HTML":                   {"<!doctype html><TITLE> Bad\n gateway </TITLE>", chat.ErrBadReply, false, "an HTML page: Bad gateway"},
		"HTML without a title":   {"<p>no", chat.ErrBadReply, false, "an HTML page"},
		"cut off":                {`{"candidates":[{"content":{`, chat.ErrBadReply, false, `{"candidates":[{"content":{`},
		"something after it":     {`{"candidates":[]} x`, chat.ErrBadReply, false, `{"candidates":[]} x`},
		"feedback of null":       {`{"promptFeedback":null}`, chat.ErrBadReply, false, `{"promptFeedback":null}`},
		"bare text":              {`"hello"`, chat.ErrBadReply, false, `"hello"`},
		"null":                   {`null`, chat.ErrBadReply, false, "null"},
		"an empty list":          {`[]`, chat.ErrBadReply, false, "[]"},
		"a list of nothing":      {`[null,7]`, chat.ErrBadReply, false, "[null,7]"},
		"a broken list":          {`[{"candidates":[{"content":{}}]},`, chat.ErrBadReply, false, `[{"candidates":[{"content":{}}]},`},
		"another object":         {`{"totalTokens":25}`, chat.ErrBadReply, false, `{"totalTokens":25}`},
		"no candidates":          {`{"candidates":[]}`, chat.ErrBadReply, false, `{"candidates":[]}`},
		"an empty candidate":     {`{"candidates":[{"index":0}]}`, chat.ErrBadReply, false, `{"candidates":[{"index":0}]}`},
		"only a second one":      {`{"candidates":[{"index":1,"finishReason":"STOP"}]}`, chat.ErrBadReply, false, `{"candidates":[{"index":1,"finishReason":"STOP"}]}`},
		"error object":           {`{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`, chat.ErrOverloaded, true, "busy"},
		"error in a list":        {`[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]`, chat.ErrRateLimited, true, "slow down"},
		"error after a response": {`[` + saying("", `{"text":"a"}`) + `,{"error":{"code":500,"message":"oh","status":"INTERNAL"}}]`, chat.ErrServer, true, "oh"},
		"error by word alone":    {`{"error":{"message":"oh","status":"INTERNAL"}}`, chat.ErrServer, true, "oh"},
		"error that passes":      {`{"error":{"message":"oh","status":"DEADLINE_EXCEEDED"}}`, chat.ErrServer, true, "oh"},
		"error that stays":       {`{"error":{"message":"oh","status":"UNIMPLEMENTED"}}`, chat.ErrServer, false, "oh"},
		"error after all":        {`{"error":{"message":"oh","status":"ABORTED"}}`, chat.ErrServer, true, "oh"},
		"error by number alone":  {`{"error":{"code":429,"message":"slow down"}}`, chat.ErrRateLimited, true, "slow down"},
		"error beside candidate": {`{"candidates":[{"content":{}}],"error":{"message":"no"}}`, chat.ErrServer, false, "no"},
		"error as text":          {`{"error":"no"}`, chat.ErrServer, false, "no"},
		"a list without its end": {`[` + saying("", `{"text":"a"}`) + `]`, chat.ErrTruncated, false, ""},
		"prompt blocked":         {`{"promptFeedback":{"safetyRatings":[{}],"blockReason":"OTHER","blockReasonMessage":"not this"}}`, chat.ErrFiltered, false, "the prompt was blocked: OTHER: not this"},
		"a call without a name":  {saying("STOP", `{"functionCall":{"id":"a","args":{"b":1}}}`), chat.ErrBadReply, false, ""},
		"a piece of no call":     {saying("STOP", piece("", true, `{"jsonPath":"$.a","numberValue":1}`)), chat.ErrBadReply, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := wiretest.Reply(codec, []byte(tt.body))
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || r != nil {
				t.Fatalf("reply %v, error %v", r, err)
			}
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != 200 || e.Message != tt.message {
				t.Errorf("got %v, retryable %v, message %q", e, e.Retryable, e.Message)
			}
		})
	}
}

// Case C031: a blocked prompt is no empty success. What it cost is told.
func TestPromptBlocked(t *testing.T) {
	t.Parallel()
	const body = `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5},"modelVersion":"gemini-2.5-flash"}`
	_, err := wiretest.Reply(codec, []byte(body))
	check := func(err error) {
		t.Helper()
		e, ok := errors.AsType[*chat.Error](err)
		if !ok || !errors.Is(e, chat.ErrFiltered) || e.Retryable || e.Code != "PROHIBITED_CONTENT" || !strings.Contains(e.Message, e.Code) {
			t.Fatalf("got %v", err)
		}
		if r := e.Reply; r == nil || r.Finish != chat.FinishFiltered || r.Usage.Input != 5 || r.Model != "gemini-2.5-flash" {
			t.Errorf("got %+v", e.Reply)
		}
	}
	check(err)
	_, _, err = collect(t, body)
	check(err)
}

func TestBlockReasonBesideAnAnswer(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"promptFeedback":{"blockReason":"SAFETY"},"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}`)
	if r.Text() != "hi" || r.Finish != chat.FinishStop {
		t.Errorf("got %+v", r)
	}
}

func TestRepliesThatAreOdd(t *testing.T) {
	t.Parallel()
	hi := []chat.Part{chat.Text{Text: "hi"}}
	withID := func(id, name, args string) chat.ToolCall {
		c := wiretest.ToolCall(id, name, args)
		c.Signature.Kind = "id"
		return c
	}
	tests := map[string]struct {
		body  string
		parts []chat.Part
	}{
		"no finish reason":     {saying("", `{"text":"hi"}`), hi},
		"no role, no index":    {`{"candidates":[{"content":{"parts":[{"text":"hi"}]}}]}`, hi},
		"error of null":        {`{"error":null,"candidates":[{"content":{"parts":[{"text":"hi"}]}}]}`, hi},
		"index behind content": {`{"candidates":[{"content":{"parts":[{"text":"no"}]},"index":1},{"content":{"parts":[{"text":"hi"}]},"index":0}]}`, hi},
		"content of null":      {`{"candidates":[{"content":null,"finishReason":"STOP"}]}`, nil},
		"parts of null":        {`{"candidates":[{"content":{"parts":null,"role":"model"}}]}`, nil},
		"unknown parts":        {saying("STOP", `{"executableCode":{"code":"1"}}`, `{"codeExecutionResult":{}}`, `{"inlineData":{"data":"AQ=="},"thoughtSignature":"x"}`, `{"text":"hi"}`, `7`, `null`, `{}`), hi},
		"text around a part that has none here": {
			saying("STOP", `{"text":"a"}`, `{"inlineData":{}}`, `{"text":"b"}`),
			[]chat.Part{chat.Text{Text: "a"}, chat.Text{Text: "b"}},
		},
		"texts side by side are one":     {saying("STOP", `{"text":"h"}`, `{"text":"i"}`), hi},
		"a null token":                   {saying("STOP", `{"text":"hi","thoughtSignature":null}`), hi},
		"an empty token":                 {saying("STOP", `{"text":"hi","thoughtSignature":""}`), hi},
		"a token escaped":                {saying("STOP", `{"text":"hi","thoughtSignature":"a\u003d\u003d"}`), []chat.Part{chat.Text{Text: "hi", Signature: chat.Signature{Kind: "thought_signature", Data: "a=="}}}},
		"args with spaces":               {saying("STOP", `{"functionCall":{"id":"a","name":"f","args":{ "b" : [1, 9007199254740993] }}}`), []chat.Part{withID("a", "f", `{"b":[1,9007199254740993]}`)}},
		"no args":                        {saying("STOP", `{"functionCall":{"id":"a","name":"f"}}`), []chat.Part{withID("a", "f", `{}`)}},
		"args are text":                  {saying("STOP", `{"functionCall":{"id":"a","name":"f","args":"{\"b\":1}"}}`), []chat.Part{withID("a", "f", `{"b":1}`)}},
		"an empty call":                  {saying("STOP", `{"functionCall":{}}`, `{"text":"hi"}`), hi},
		"a thought, then words":          {saying("STOP", `{"text":"hm","thought":true}`, `{"text":"hi","thought":false}`), []chat.Part{chat.Thinking{Text: "hm", Signature: chat.Signature{Kind: "thought"}}, hi[0]}},
		"escapes":                        {saying("STOP", `{"text":"\u00e9\ud83d\ude00\n\"<"}`), []chat.Part{chat.Text{Text: "é😀\n\"<"}}},
		"a list of responses, as stream": {"[" + saying("", `{"text":"h"}`) + ",\n" + saying("STOP", `{"text":"i"}`) + "]", hi},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := decode(t, tt.body).Parts; !reflect.DeepEqual(got, tt.parts) {
				t.Errorf("got %+v, want %+v", got, tt.parts)
			}
		})
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	calls := decode(t, saying("STOP",
		`{"functionCall":{"id":"a","name":"f","args":{}}}`, `{"functionCall":{"id":"a","name":"f","args":{"n":2}}}`, `{"functionCall":{"name":"f","args":{}}}`)).ToolCalls()
	if len(calls) != 3 || calls[0].ID != "a" || calls[1].ID == "a" || calls[1].ID == "" || calls[2].ID == calls[1].ID {
		t.Fatalf("got %+v", calls)
	}
	for i, kind := range []string{"id", "", ""} { // what was made up isn't sent back
		if calls[i].Signature.Kind != kind {
			t.Errorf("call %d: %+v", i, calls[i].Signature)
		}
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	const text, tool = `{"text":"hi"}`, `{"functionCall":{"name":"f","args":{}}}`
	for _, tt := range []struct {
		word, part string
		want       chat.FinishReason
	}{
		{"STOP", text, chat.FinishStop},
		{"STOP", tool, chat.FinishToolCalls},
		{"MAX_TOKENS", text, chat.FinishLength},
		{"MAX_TOKENS", tool, chat.FinishLength}, // case C020: nothing of it is run
		{"SAFETY", text, chat.FinishFiltered},
		{"RECITATION", text, chat.FinishFiltered},
		{"BLOCKLIST", text, chat.FinishFiltered},
		{"PROHIBITED_CONTENT", tool, chat.FinishFiltered},
		{"SPII", text, chat.FinishFiltered},
		{"IMAGE_SAFETY", text, chat.FinishFiltered},
		{"IMAGE_RECITATION", text, chat.FinishFiltered},
		{"CONTINUATION", text, chat.FinishPaused},
		{"MALFORMED_FUNCTION_CALL", text, chat.FinishMalformed},
		{"UNEXPECTED_TOOL_CALL", tool, chat.FinishMalformed},
		{"TOO_MANY_TOOL_CALLS", text, chat.FinishMalformed},
		{"OTHER", text, chat.FinishError},
		{"LANGUAGE", text, chat.FinishError},
		{"NO_IMAGE", text, chat.FinishError},
		{"FINISH_REASON_UNSPECIFIED", text, chat.FinishOther},
		{"FUNCTION_CALL", tool, chat.FinishToolCalls},
		{"SOMETHING_NEW", text, chat.FinishOther},
	} {
		t.Run(tt.word, func(t *testing.T) {
			t.Parallel()
			if r := decode(t, saying(tt.word, tt.part)); r.Finish != tt.want || r.RawFinish != tt.word {
				t.Errorf("got %s, %s", r.Finish, r.RawFinish)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	const counts = `{"promptTokenCount":10,"toolUsePromptTokenCount":5,"cachedContentTokenCount":4,"candidatesTokenCount":7,"thoughtsTokenCount":3,"totalTokenCount":25}`
	r := decode(t, `{"candidates":[{"content":{}}],"usageMetadata":`+counts+`}`)
	if want := (chat.Usage{Input: 15, CachedInput: 4, Output: 10, Reasoning: 3}); r.Usage != want || r.Usage.Total() != 25 {
		t.Errorf("got %+v, want %+v", r.Usage, want)
	}
	r = decode(t, `{"candidates":[{"content":{}}],"usageMetadata":{"promptTokenCount":-1,"candidatesTokenCount":1e300,"thoughtsTokenCount":null}}`)
	if r.Usage.Input != 0 || r.Usage.Output <= 0 {
		t.Errorf("got %+v", r.Usage)
	}
}

func TestTooManyParts(t *testing.T) {
	t.Parallel()
	part := `{"functionCall":{"name":"f","args":{}}}`
	body := saying("STOP", strings.Repeat(part+",", 10_000)+part)
	if _, err := wiretest.Reply(codec, []byte(body)); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("got %v", err)
	}
}
