package anthropic_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/wire/wiretest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
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
		"HTML":                   {"<!doctype html><TITLE> Bad gateway </TITLE>", chat.ErrBadReply, false, "an HTML page: Bad gateway"},
		"HTML without a title":   {"<p>no", chat.ErrBadReply, false, "an HTML page"},
		"cut off":                {`{"type":"message","content":[{"type":"text"`, chat.ErrBadReply, false, `{"type":"message","content":[{"type":"text"`},
		"something after it":     {`{"type":"message","content":[]} x`, chat.ErrBadReply, false, `{"type":"message","content":[]} x`},
		"a list":                 {`[]`, chat.ErrBadReply, false, "[]"},
		"bare text":              {`"hello"`, chat.ErrBadReply, false, `"hello"`},
		"null":                   {`null`, chat.ErrBadReply, false, "null"},
		"another object":         {`{"input_tokens":25}`, chat.ErrBadReply, false, `{"input_tokens":25}`},
		"a message of nothing":   {`{"type":"message","content":null}`, chat.ErrBadReply, false, `{"type":"message","content":null}`},
		"error object":           {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, chat.ErrOverloaded, true, "Overloaded"},
		"error in OpenAI's way":  {`{"error":{"message":"no","type":"invalid_request_error","code":"x"}}`, chat.ErrBadRequest, false, "no"},
		"error beside a content": {`{"content":[],"error":{"type":"api_error","message":"no"}}`, chat.ErrServer, true, "no"},
		"error as text":          {`{"error":"no"}`, chat.ErrServer, true, "no"},
		"error by type alone":    {`{"type":"error","message":"no"}`, chat.ErrServer, true, "no"},
		"error by type, null":    {`{"type":"error","error":null,"message":"no"}`, chat.ErrServer, true, "no"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := wiretest.Reply(anthropic.Codec{}, []byte(tt.body))
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

func TestRepliesThatAreOdd(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body  string
		parts []chat.Part
	}{
		"null fields left out (Ollama)": {`{"id":"m","type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`, []chat.Part{chat.Text{Text: "hi"}}},
		"error of null":                 {`{"type":"message","error":null,"content":[{"type":"text","text":"hi"}]}`, []chat.Part{chat.Text{Text: "hi"}}},
		"no content, but an end":        {`{"type":"message","content":null,"stop_reason":"end_turn"}`, nil},
		"no type":                       {`{"content":[{"type":"text","text":"hi"}]}`, []chat.Part{chat.Text{Text: "hi"}}},
		"unknown blocks":                {`{"content":[{"type":"server_tool_use","id":"s","name":"w","input":{"q":1}},{"type":"text","text":"hi"},7,null]}`, []chat.Part{chat.Text{Text: "hi"}}},
		"input with spaces":             {`{"content":[{"type":"tool_use","id":"a","name":"f","input":{ "b" : [1, 9007199254740993] }}]}`, []chat.Part{wiretest.ToolCall("a", "f", `{"b":[1,9007199254740993]}`)}},
		"no input":                      {`{"content":[{"type":"tool_use","id":"a","name":"f"}]}`, []chat.Part{wiretest.ToolCall("a", "f", `{}`)}},
		"input is text":                 {`{"content":[{"type":"tool_use","id":"a","name":"f","input":"{\"b\":1}"}]}`, []chat.Part{wiretest.ToolCall("a", "f", `{"b":1}`)}},
		"id is a number":                {`{"content":[{"type":"tool_use","id":7,"name":"f","input":{}}]}`, []chat.Part{wiretest.ToolCall("7", "f", `{}`)}},
		"escapes":                       {`{"content":[{"type":"text","text":"\u00e9\ud83d\ude00\n\"<"}]}`, []chat.Part{chat.Text{Text: "é😀\n\"<"}}},
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

func TestCallWithoutAnIDGetsOne(t *testing.T) {
	t.Parallel()
	calls := decode(t, `{"content":[{"type":"tool_use","name":"f","input":{}}]}`).ToolCalls()
	if len(calls) != 1 || calls[0].ID == "" || calls[0].Name != "f" {
		t.Errorf("got %+v", calls)
	}
}

func TestTooManyBlocks(t *testing.T) {
	t.Parallel()
	block := `{"type":"text","text":"x"},`
	body := `{"content":[` + strings.Repeat(block, 10_000) + block[:len(block)-1] + `]}`
	if _, err := wiretest.Reply(anthropic.Codec{}, []byte(body)); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("got %v", err)
	}
}
