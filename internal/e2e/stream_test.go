//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

func TestCutStream(t *testing.T) {
	t.Parallel()
	all := func(dialect) bool { return true }
	tests := []struct {
		prompt string
		in     func(dialect) bool
	}{
		{"cut the text", all},
		{"cut the call", inPieces},
		{"cut behind the call", func(d dialect) bool { return d.name == "ollama" }}, // Gemini's call is its end
	}
	for _, tt := range tests {
		t.Run(tt.prompt, func(t *testing.T) {
			t.Parallel()
			for d, f := range pairs(having(tt.in), []form{streamed}) {
				t.Run(d.name, func(t *testing.T) {
					t.Parallel()
					s := d.open(nil)
					got := f.call(t, s, askWith(tt.prompt, toolchoice.Auto()))
					if !errors.Is(got.err, chat.ErrTruncated) {
						t.Fatalf("got %v, %+v", got.err, got.reply)
					}
					e, ok := errors.AsType[*chat.Error](got.err)
					if !ok || e.Reply == nil {
						t.Fatal("the error doesn't carry what was read")
					}
					if e.Reply.Text() != got.text() || len(e.Reply.Parts) == 0 {
						t.Errorf("the error carries %+v, the deltas say %q", e.Reply.Parts, got.text())
					}
					if calls := got.ready(); len(calls) > 0 {
						t.Errorf("half a call was delivered as ready: %+v", calls)
					}
					wantStatuses(t, s, http.StatusOK)
				})
			}
		})
	}
}

func TestLeavingAStream(t *testing.T) {
	t.Parallel()
	leave := map[string]func(context.CancelFunc) (stop bool){
		"break":  func(context.CancelFunc) bool { return true },
		"cancel": func(cancel context.CancelFunc) bool { cancel(); return false },
	}
	for name, leave := range leave {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for d, f := range pairs(dialects, []form{streamed}) {
				t.Run(d.name+" "+f.name, func(t *testing.T) {
					t.Parallel()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					start := time.Now()
					var last error
					for ev, err := range d.open(nil).Stream(ctx, ask("talk for long")) {
						last = err
						if _, ok := ev.(chat.TextDelta); ok && leave(cancel) {
							break
						}
					}
					if name == "cancel" && !errors.Is(last, context.Canceled) {
						t.Errorf("the stream ended with %v", last)
					}
					if d := time.Since(start); d > 3*time.Second { // the whole answer takes six
						t.Errorf("left after %v", d)
					}
				})
			}
		})
	}
}
