package anthropic_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// What real servers were seen to do; their exchanges are in testdata/captures,
// see the README there.

func captured(t *testing.T, server, name string) *chat.Reply {
	t.Helper()
	if body := "anthropic-" + name; strings.HasSuffix(name, "stream") {
		r, _, err := wiretest.Stream(anthropic.Codec{}, strings.NewReader(wiretest.Read(t, "captures", server, body, "stream.sse")))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	return decode(t, wiretest.Read(t, "captures", server, "anthropic-"+name, "reply.json"))
}

func TestLlamaServerStartsAToolWithoutInput(t *testing.T) {
	t.Parallel()
	if strings.Contains(wiretest.Read(t, "captures", "llama-server", "anthropic-tools-stream", "stream.sse"), `"input":`) {
		t.Fatal("the recording has an input after all")
	}
	calls := captured(t, "llama-server", "tools-stream").ToolCalls()
	if len(calls) != 1 || calls[0].Name != "get_weather" || string(calls[0].Arguments) != `{"city": "Paris"}` {
		t.Errorf("got %+v", calls)
	}
}

func TestLlamaServerNamesMessagesAsChatCompletions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stream", "tools", "tools-stream", "stop"} {
		if r := captured(t, "llama-server", name); !strings.HasPrefix(r.ID, "chatcmpl-") {
			t.Errorf("%s: id %q", name, r.ID)
		}
	}
}

func TestLlamaServerCountsTheCachedPromptApart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stream", "max-tokens"} {
		want := chat.Usage{Input: 25, CachedInput: 24, Output: 12}
		if name == "max-tokens" {
			want.Output = 3
		}
		if got := captured(t, "llama-server", name).Usage; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestAStopSequenceCalledEndTurn(t *testing.T) {
	t.Parallel()
	if r := captured(t, "llama-server", "stop"); r.Finish != chat.FinishStopSequence || r.RawFinish != "end_turn" {
		t.Errorf("llama.cpp names the sequence: %s %s", r.Finish, r.RawFinish)
	}
	if r := captured(t, "ollama", "stop"); r.Finish != chat.FinishStop || r.RawFinish != "end_turn" {
		t.Errorf("Ollama doesn't, nobody can tell: %s %s", r.Finish, r.RawFinish)
	}
}

func TestOllamaLeavesOutNullFields(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]chat.FinishReason{
		"stream": chat.FinishStop, "tools": chat.FinishToolCalls, "tools-stream": chat.FinishToolCalls, "max-tokens": chat.FinishLength,
	} {
		if r := captured(t, "ollama", name); r.Finish != finish || len(r.Parts) != 1 {
			t.Errorf("%s: %s %+v", name, r.Finish, r.Parts)
		}
	}
}

// message_start estimates 2 (31 with tools), message_delta says what it was.
func TestOllamaCountsInputAgainAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]chat.Usage{"stream": {Input: 25, Output: 12}, "tools-stream": {Input: 333, Output: 4}} {
		if got := captured(t, "ollama", name).Usage; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestAWholeInputInOneDelta(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"llama-server", "ollama", "aimock"} {
		body := wiretest.Read(t, "captures", server, "anthropic-tools-stream", "stream.sse")
		_, events, err := wiretest.Stream(anthropic.Codec{}, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			if d, ok := ev.(chat.ToolCallDelta); ok && !(chat.ToolCall{Arguments: []byte(d.Arguments)}).Sound() {
				t.Errorf("%s: a piece of arguments: %q", server, d.Arguments)
			}
		}
	}
}

// The same answer, asked for in two ways: all but ids and spaces agrees.
func TestCapturedTwinsAgree(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"llama-server", "ollama", "aimock"} {
		whole, streamed := captured(t, server, "tools"), captured(t, server, "tools-stream")
		if whole.Finish != streamed.Finish || whole.RawFinish != streamed.RawFinish || whole.Usage.Output != streamed.Usage.Output {
			t.Errorf("%s: %s %+v and %s %+v", server, whole.Finish, whole.Usage, streamed.Finish, streamed.Usage)
		}
		a, b := whole.ToolCalls(), streamed.ToolCalls()
		if len(a) != len(b) || len(a) == 0 {
			t.Fatalf("%s: %d calls, streamed %d", server, len(a), len(b))
		}
		for i := range a {
			wiretest.WantAt(t, string(a[i].Arguments), string(b[i].Arguments))
			if a[i].Name != b[i].Name {
				t.Errorf("%s: %s, streamed %s", server, a[i].Name, b[i].Name)
			}
		}
	}
}

// aimock closes the connection in the middle of its stream.
func TestACutConnectionIsAnError(t *testing.T) {
	t.Parallel()
	body := wiretest.Read(t, "captures", "aimock", "anthropic-cut-stream", "stream.sse")
	_, _, err := wiretest.Stream(anthropic.Codec{}, strings.NewReader(body))
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(e, chat.ErrTruncated) || e.Reply == nil || e.Reply.ID != "msg_ynwKQSZ_3CC-NfA4" {
		t.Errorf("got %v", err)
	}
}

func TestCapturedErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path   []string
		status int
		kind   error
		retry  bool
		id     string
	}{
		"llama-server in OpenAI's shape":    {[]string{"llama-server", "err-401-anthropic-wrong-key", "error.json"}, 401, chat.ErrAuth, false, ""},
		"llama-server: 500 for a bad one":   {[]string{"llama-server", "anthropic-err-no-messages", "error.json"}, 500, chat.ErrServer, true, ""},
		"Ollama in Anthropic's shape":       {[]string{"ollama", "anthropic-err-no-messages", "error.json"}, 400, chat.ErrBadRequest, false, "req_c1167e84d043c6c5bf09a786"},
		"Ollama wants max_tokens":           {[]string{"ollama", "anthropic-err-no-max-tokens", "error.json"}, 400, chat.ErrBadRequest, false, "req_90f0844865850aca584d1935"},
		"Ollama has no count_tokens: text":  {[]string{"ollama", "anthropic-count-tokens", "error.txt"}, 404, chat.ErrNotFound, false, ""},
		"a mock that lacks the path":        {[]string{"dwmkerr-mock-llm", "anthropic", "error.json"}, 404, chat.ErrNotFound, false, ""},
		"overloaded":                        {[]string{"aimock", "anthropic-529", "error.json"}, 529, chat.ErrOverloaded, true, ""},
		"a rate limit without the envelope": {[]string{"aimock", "chaos-429-anthropic", "error.json"}, 429, chat.ErrRateLimited, true, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, append([]string{"captures"}, tt.path...)...)
			e := anthropic.Codec{}.DecodeError(tt.status, nil, []byte(body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.RequestID != tt.id || e.Message == "" {
				t.Errorf("got %v, retryable %v, id %q", e, e.Retryable, e.RequestID)
			}
		})
	}
}
