package gemini_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// A stream that ends early but cleanly is an error, wherever it ends, and so
// is one that ends inside a frame.
func TestTruncatedAnywhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"text", "text-lf", "thinking", "tool-call", "tool-calls-parallel", "structured-output", "tool-call-partial-args-vertex"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, "fixtures", name, "stream.sse")
			whole := strings.LastIndex(body, "}") + 1
			for cut := 0; cut < whole; cut += 23 {
				wantTruncated(t, body[:cut])
			}
			for cut := range body {
				if strings.HasPrefix(body[cut:], "data:") {
					wantTruncated(t, body[:cut])
				}
			}
			wantTruncated(t, body[:whole-1])
			if _, _, err := wiretest.Stream(codec, strings.NewReader(body[:whole])); err != nil {
				t.Errorf("whole, but %v", err)
			}
		})
	}
}

func wantTruncated(t *testing.T, body string) {
	t.Helper()
	if _, _, err := wiretest.Stream(codec, strings.NewReader(body)); !errors.Is(err, chat.ErrTruncated) {
		t.Fatalf("cut at %d: %v", len(body), err)
	}
}

func TestTruncatedKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	_, _, err := wiretest.Stream(codec, strings.NewReader(wiretest.Read(t, "fixtures", "truncated", "stream.sse")))
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(e, chat.ErrTruncated) || e.Reply.Text() != "Kittiwake can lie on C7 tonig" || e.Reply.Usage.Output != 9 {
		t.Errorf("got %v", err)
	}
}

func TestFramesOfAStream(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return saying("", `{"text":"`+s+`"}`) }
	stop := saying("STOP", `{"text":""}`)
	for _, tt := range []struct {
		name   string
		frames []string
		want   string // the parts, one per line
		events int
	}{
		{"texts go on", []string{text("a"), text("b"), stop}, "text ab ", 2},
		{"a token ends a text", []string{saying("", `{"text":"a","thoughtSignature":"1"}`), text("b"), stop}, "text a 1\ntext b ", 2},
		{"a token comes last, alone", []string{text("a"), saying("STOP", `{"text":"","thoughtSignature":"1"}`)}, "text a 1", 1},
		{"a token without a text", []string{text("a"), saying("STOP", `{"thoughtSignature":"1"}`)}, "text a 1", 1},
		{"thought and text take turns", []string{
			saying("", `{"text":"hm","thought":true}`), text("a"), saying("", `{"text":"hm","thought":true}`), text("b"), stop,
		}, "thought hm \ntext a \nthought hm \ntext b ", 4},
		{"a token for the thought", []string{saying("", `{"text":"hm","thought":true}`), saying("", `{"text":"","thought":true,"thoughtSignature":"1"}`), text("a"), stop}, "thought hm 1\ntext a ", 2},
		{"text around a call", []string{text("a"), saying("", `{"functionCall":{"name":"f","args":{"x":1}}}`), text("b"), stop}, "text a \ncall f{\"x\":1} \ntext b ", 4},
		{"two calls in one frame", []string{saying("STOP", `{"functionCall":{"name":"f"}}`, `{"functionCall":{"name":"g"}}`)}, "call f{} \ncall g{} ", 2},
		{"a frame without candidates", []string{text("a"), `{"usageMetadata":{"promptTokenCount":1}}`, stop}, "text a ", 1},
		{"frames after the end", []string{text("a"), stop, `{"usageMetadata":{"promptTokenCount":1}}`, saying("", `{"text":"","thoughtSignature":"1"}`)}, "text a 1", 1},
		{"a list in a frame", []string{"[" + text("a") + "," + stop + "]"}, "text a ", 1},
		{"members and kinds unknown", []string{`{"x":[1],"candidates":[{"y":{},"content":{"z":1,"parts":[{"text":"a","w":2}]}}]}`, stop}, "text a ", 1},
		{"the end mark of others", []string{text("a"), stop, "[DONE]"}, "text a ", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, events, err := collect(t, tt.frames...)
			if err != nil {
				t.Fatal(err)
			}
			if got := listed(r); got != tt.want || len(events) != tt.events {
				t.Errorf("got %q, %d events, want %q, %d", got, len(events), tt.want, tt.events)
			}
		})
	}
}

func listed(r *chat.Reply) string {
	lines := make([]string, 0, len(r.Parts))
	for _, p := range r.Parts {
		switch p := p.(type) {
		case chat.Text:
			lines = append(lines, "text "+p.Text+" "+p.Signature.Data)
		case chat.Thinking:
			lines = append(lines, "thought "+p.Text+" "+p.Signature.Data)
		case chat.ToolCall:
			lines = append(lines, "call "+p.Name+string(p.Arguments)+" "+p.Signature.Data)
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
		}
	}
	return strings.Join(lines, "\n")
}

// Each frame brings the counts so far; one may leave some out.
func TestUsageOverwrites(t *testing.T) {
	t.Parallel()
	r, _, err := collect(t,
		`{"usageMetadata":{"promptTokenCount":10,"thoughtsTokenCount":4}}`,
		`{"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3}}`,
		`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":9}}`)
	if want := (chat.Usage{Input: 10, Output: 13, Reasoning: 4}); err != nil || r.Usage != want {
		t.Errorf("got %+v, %v, want %+v", r.Usage, err, want)
	}
}

func TestErrorsInsideAStream(t *testing.T) {
	t.Parallel()
	first := saying("", `{"text":"a"}`)
	for _, tt := range []struct {
		name, body string
		kind       error
		retry      bool
	}{
		{"as an event", sse(first, `{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`), chat.ErrOverloaded, true},
		{"in a list", sse(first, `[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]`), chat.ErrRateLimited, true},
		{"by its name", sse(first) + "event: error\ndata: {\"message\":\"oh\",\"code\":500}\n\n", chat.ErrServer, true},
		{"after the end", sse(first, saying("STOP"), `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`), chat.ErrBadRequest, false},
		{"no JSON", sse(first, `oops`), chat.ErrBadReply, false},
		{"half a frame", sse(first, `{"candidates":[{"con`), chat.ErrTruncated, false},
		{"the end mark of others, too early", sse(first, "[DONE]"), chat.ErrTruncated, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, events, err := wiretest.Stream(codec, strings.NewReader(tt.body))
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != 200 {
				t.Fatalf("got %v", err)
			}
			if len(events) != 1 || e.Reply == nil || e.Reply.Text() != "a" {
				t.Errorf("%d events, reply %+v", len(events), e.Reply)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, frame := range map[string]string{
		"text":      saying("", `{"text":"0123456789"}`),
		"arguments": saying("", `{"functionCall":{"name":"f","args":{"a":"0123456789"}}}`),
		"pieces":    saying("", piece("f", true, `{"jsonPath":"$.a","stringValue":"0123456789"}`)),
	} {
		a := wire.NewAssembly(wire.Limits{Reply: 8})
		_, err := wire.ReadReply(codec, a, []byte(frame))
		if !errors.Is(err, chat.ErrBadReply) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// piece is a part with a piece of a call.
func piece(name string, more bool, args ...string) string {
	s := "{"
	if name != "" {
		s += fmt.Sprintf(`"name":%q,`, name)
	}
	return fmt.Sprintf(`{"functionCall":%s"partialArgs":[%s],"willContinue":%t}}`, s, strings.Join(args, ","), more)
}
