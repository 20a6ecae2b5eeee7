package openaichat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// outcome is what became of a recorded answer.
type outcome struct {
	*chat.Reply

	events []chat.Event
	err    *chat.Error
}

func (o outcome) call(i int) chat.ToolCall {
	if calls := o.ToolCalls(); i < len(calls) {
		return calls[i]
	}
	return chat.ToolCall{}
}

// recorded decodes a file of testdata; status is only needed for errors.
func recorded(t *testing.T, file string, status int) outcome {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	var o outcome
	switch base := filepath.Base(file); {
	case strings.HasPrefix(base, "error."):
		err = codec.DecodeError(status, nil, body)
	case base == "stream.sse":
		o.Reply, o.events, err = wiretest.Stream(codec, bytes.NewReader(body))
	default:
		o.Reply, err = wiretest.Reply(codec, body)
	}
	if err != nil {
		e, ok := errors.AsType[*chat.Error](err)
		if !ok {
			t.Fatal(err)
		}
		o.err = e
	}
	return o
}

// TestRecordedAnswers states, one by one, what real servers were seen to do
// and what a caller gets to see of it.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	const hello, city = "Hello! I am a tiny model. What next?", `{"city":"Paris"}`
	for _, tt := range []struct {
		name, file string
		ok         func(o outcome) bool
	}{
		{"first chunk with a role and null content", "llama-server/chat/stream.sse", func(o outcome) bool { return o.Text() == hello }},
		{"the role in every chunk, the last with empty text", "ollama/chat/stream.sse", func(o outcome) bool { return o.Text() == hello }},
		{"the role in every chunk, another server", "inference-server/chat/stream.sse", func(o outcome) bool { return strings.HasSuffix(o.Text(), hello) }},
		{"a whole call in one delta", "ollama/tools-auto/stream.sse", func(o outcome) bool { return len(o.events) == 2 && o.call(0).Sound() }},
		{"a byte of arguments per delta", "llama-server/tools-required-stream/stream.sse", func(o outcome) bool {
			return len(o.events) > 60 && o.call(0).Name == "book_table" && o.call(0).Sound()
		}},
		{"ids have no fixed prefix", "llama-server/tools-auto/reply.json", func(o outcome) bool { return len(o.call(0).ID) == 32 }},
		{"index in a call that isn't streamed", "ollama/tools-auto/reply.json", func(o outcome) bool { return string(o.call(0).Arguments) == city }},
		{"spaces in arguments stay", "llama-server/tools-auto/reply.json", func(o outcome) bool { return string(o.call(0).Arguments) == `{"city": "Paris"}` }},
		{"cut in the markup of a call", "llama-server/tools-truncated/reply.json", func(o outcome) bool {
			return o.Finish == chat.FinishLength && len(o.ToolCalls()) == 0 && strings.HasPrefix(o.Text(), "<tool_call>")
		}},
		{"two whole calls and a third that is cut", "llama-server/tools-parallel-stream-cut/stream.sse", func(o outcome) bool {
			return o.Finish == chat.FinishLength && o.call(0).Sound() && o.call(1).Sound() && o.call(2).ID != "" && !o.call(2).Sound()
		}},
		{"a call of a tool that wasn't offered vanishes", "ollama/tools-truncated/reply.json", func(o outcome) bool {
			return len(o.Parts) == 0 && o.Finish == chat.FinishStop && o.Usage.Output > 0
		}},
		{"and vanishes from the stream", "ollama/tools-required-stream/stream.sse", func(o outcome) bool { return len(o.Parts) == 0 && o.Finish == chat.FinishStop }},
		{"usage in a chunk without choices, beside timings", "llama-server/chat-stream-usage/stream.sse", func(o outcome) bool { return o.Usage.Input == 44 && o.Usage.CachedInput == 43 }},
		{"another tool than the one named", "llama-server/tools-named/reply.json", func(o outcome) bool { return o.call(0).Name == "get_weather" }},
		{"a call under none", "ollama/tools-none/reply.json", func(o outcome) bool { return o.Finish == chat.FinishToolCalls && o.call(0).Sound() }},
		{"call markup as text under none", "llama-server/tools-none/reply.json", func(o outcome) bool {
			return len(o.ToolCalls()) == 0 && strings.HasPrefix(o.Text(), "<tool_call>")
		}},
		{"json_object that isn't enforced", "llama-server/json-object/reply.json", func(o outcome) bool { return !json.Valid([]byte(o.Text())) }},
		{"a schema that is enforced", "llama-server/json-schema/reply.json", func(o outcome) bool { return json.Valid([]byte(o.Text())) }},
		{"white space after the document", "ollama/json-schema/reply.json", func(o outcome) bool { return json.Valid([]byte(o.Text())) }},
		{"max_completion_tokens ignored", "ollama/chat-max-completion-tokens/reply.json", func(o outcome) bool { return o.Finish == chat.FinishStop }},
		{"two choices: the first counts", "llama-server/chat-n2/reply.json", func(o outcome) bool { return o.Text() == "Hello! I" }},
		{"reasoning_content", "llama-server/reasoning/stream.sse", func(o outcome) bool { return o.Thoughts() == "Hmm.\n" && o.Text() == hello }},
		{"reasoning_content, another server", "aimock/openai-reasoning-stream/stream.sse", func(o outcome) bool { return o.Thoughts() == "Six times seven is forty-two." && o.Text() == "42." }},
		{"a prompt cut in silence", "ollama/err-context-overflow-stream/stream.sse", func(o outcome) bool { return o.err == nil && o.Text() == hello }},
		{"an unknown model, answered all the same", "llama-server/err-unknown-model/reply.json", func(o outcome) bool { return o.Model == "tiny" && o.Text() != "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if o := recorded(t, tt.file, 200); o.err != nil || !tt.ok(o) {
				t.Errorf("got %+v, %v", o.Reply, o.err)
			}
		})
	}
}

// TestRecordedErrors does the same for answers that are none.
func TestRecordedErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		status     int
		kind       error
		ok         func(e *chat.Error) bool
	}{
		{"a prompt too long", "llama-server/err-context-overflow-stream/error.json", 400, chat.ErrTooLong, func(e *chat.Error) bool { return e.Type == "exceed_context_size_error" }},
		{"an unknown model", "ollama/err-unknown-model/error.json", 404, chat.ErrNotFound, func(e *chat.Error) bool { return e.Code == "" }},
		{"a numeric code", "llama-server/err-bad-tool-choice/error.json", 400, chat.ErrBadRequest, func(e *chat.Error) bool { return e.Code == "400" }},
		{"a code in words", "aimock/err-401-openai/error.json", 401, chat.ErrAuth, func(e *chat.Error) bool { return e.Code == "invalid_api_key" }},
		{"a bare string", "inference-server/unknown-model/error.json", 400, chat.ErrBadRequest, func(e *chat.Error) bool { return e.Message == "Model does not exist" }},
		{"a word and a message side by side", "dwmkerr-mock-llm/badjson/error.json", 400, chat.ErrBadRequest, func(e *chat.Error) bool {
			return e.Type == "SyntaxError" && e.Message == "Unexpected end of JSON input"
		}},
		{"plain text", "ollama/err-wrong-method/error.txt", 405, chat.ErrBadRequest, func(e *chat.Error) bool { return e.Message == "405 method not allowed" }},
		{"an HTML page", "inference-server/badjson/error.txt", 400, chat.ErrBadRequest, func(e *chat.Error) bool { return e.Message == "an HTML page: Error" }},
		{"500 for a picture", "llama-server/err-image/error.json", 500, chat.ErrServer, func(e *chat.Error) bool { return strings.Contains(e.Message, "image input") }},
		{"503 for a bad request", "aimock/openai-nomatch/error.json", 503, chat.ErrBadRequest, func(e *chat.Error) bool { return !e.Retryable }},
		{"a stream cut off", "aimock/openai-cut-stream/stream.sse", 200, chat.ErrTruncated, func(e *chat.Error) bool { return e.Reply.Text() == "This answer is cut o" }},
		{"broken JSON with status 200", "aimock/chaos-malformed/reply.json", 200, chat.ErrBadReply, func(e *chat.Error) bool { return e.Reply == nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := recorded(t, tt.file, tt.status)
			if o.err == nil || !errors.Is(o.err, tt.kind) || !tt.ok(o.err) {
				t.Errorf("got %+v, %+v", o.Reply, o.err)
			}
		})
	}
}
