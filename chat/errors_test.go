package chat_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
)

var kinds = chat.Kinds()

// TestErrorChain: the kind and the cause are found, through wrapping, and no
// other kind is.
func TestErrorChain(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.Error(), func(t *testing.T) {
			t.Parallel()
			in := &chat.Error{Kind: kind, Err: fmt.Errorf("reading: %w", io.ErrUnexpectedEOF)}
			err := fmt.Errorf("asking: %w", in)
			for _, other := range kinds {
				if got := errors.Is(err, other); got != (other == kind) { //nolint:errorlint // compares the sentinels themselves
					t.Errorf("errors.Is(%v) is %t", other, got)
				}
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
				t.Error("the cause is lost, or another is found")
			}
			if e, ok := errors.AsType[*chat.Error](err); !ok || e != in {
				t.Errorf("errors.AsType gives %v", e)
			}
			var as *chat.Error
			if !errors.As(err, &as) || as != in {
				t.Errorf("errors.As gives %v", as)
			}
		})
	}
	if len((&chat.Error{}).Unwrap()) != 0 {
		t.Error("an empty error wraps something")
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  *chat.Error
		want string
	}{
		{"empty", &chat.Error{}, ""},
		{"kind", &chat.Error{Kind: chat.ErrServer}, "server error"},
		{"full", &chat.Error{Kind: chat.ErrRateLimited, Engine: "groq", Status: 429, Message: "slow down"}, "groq: rate limited (429): slow down"},
		{"status of a good answer", &chat.Error{Kind: chat.ErrTruncated, Engine: "groq", Status: 200}, "groq: truncated"},
		{"path", chat.Invalid("Tools[1].Name", "is empty"), "invalid request: Tools[1].Name: is empty"},
		{"cause", &chat.Error{Kind: chat.ErrNetwork, Message: "api.example.com", Err: io.ErrUnexpectedEOF}, "network error: api.example.com: unexpected EOF"},
		{"cause that is the message", &chat.Error{Kind: chat.ErrNetwork, Message: "EOF", Err: io.EOF}, "network error: EOF"},
		{"line ends", &chat.Error{Kind: chat.ErrServer, Message: "a\r\nb\tc"}, "server error: a  b c"},
		{"terminal escapes", &chat.Error{Kind: chat.ErrServer, Message: "\x1b[31mred\x07\x00\x7f\u009bK"}, "server error: [31mredK"},
		{"control characters in the cause", &chat.Error{Kind: chat.ErrServer, Err: errors.New("a\nb\x1b")}, "server error: a b"},
		{"unicode stays", &chat.Error{Kind: chat.ErrServer, Message: "Köln 南京 🏰"}, "server error: Köln 南京 🏰"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestErrorTextIsBounded: a provider's page of text stays one short line, cut
// between characters, and Message keeps it whole.
func TestErrorTextIsBounded(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		long := strings.Repeat("x", shift) + strings.Repeat("🏰", 10_000)
		err := &chat.Error{Kind: chat.ErrServer, Message: long, Err: errors.New(strings.Repeat("ü", 10_000))}
		text := err.Error()
		if len(text) > 1100 || !utf8.ValidString(text) || strings.Count(text, "…") != 2 {
			t.Errorf("%d bytes, valid %t: %.60q", len(text), utf8.ValidString(text), text)
		}
		if err.Message != long {
			t.Error("Message was cut")
		}
	}
}

// TestErrorTextIsOneLine: a path or an engine's name can hold a caller's words,
// too.
func TestErrorTextIsOneLine(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"param":   &chat.Error{Kind: chat.ErrBadRequest, Param: "a\nb\x1b[0m", Message: "no"},
		"message": &chat.Error{Kind: chat.ErrBadRequest, Message: "a\nb\x1b[0m"},
		"joined":  &chat.Error{Kind: chat.ErrBadRequest, Err: errors.Join(io.EOF, io.ErrClosedPipe)},
	} {
		if text := err.Error(); strings.ContainsAny(text, "\n\x1b") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestUnsupportedError(t *testing.T) {
	t.Parallel()
	in := &chat.UnsupportedError{
		Engine: "deepseek", Model: "deepseek-v4-flash", Feature: "forced tool choice tool(place)", Reason: "not with extended thinking",
	}
	const short = `deepseek: forced tool choice tool(place) on "deepseek-v4-flash": not with extended thinking`
	if in.Error() != short {
		t.Errorf("%q, want %q", in, short)
	}
	in.Instead = []string{"switch thinking off", "use another engine"}
	if want := short + " (instead: switch thinking off; or use another engine)"; in.Error() != want {
		t.Errorf("%q, want %q", in, want)
	}
	err := fmt.Errorf("asking: %w", in)
	for _, kind := range kinds {
		if got := errors.Is(err, kind); got != (kind == chat.ErrUnsupported) { //nolint:errorlint // compares the sentinels themselves
			t.Errorf("errors.Is(%v) is %t", kind, got)
		}
	}
	if e, ok := errors.AsType[*chat.UnsupportedError](err); !ok || e != in {
		t.Errorf("errors.AsType gives %v", e)
	}
	if e, ok := errors.AsType[*chat.Error](err); ok {
		t.Errorf("it is no chat.Error: %v", e)
	}
}
