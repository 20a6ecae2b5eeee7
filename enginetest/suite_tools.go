package enginetest

import (
	"errors"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// choices holds each tool choice against what comes back, in both ways of
// calling.
func (s suite) choices() {
	t := s.t
	for _, c := range []toolchoice.Choice{
		toolchoice.Auto(), toolchoice.Any(), toolchoice.None(), toolchoice.Tool("get_weather"), toolchoice.Tool("list_berths"),
	} {
		t.Run(c.String(), func(t *testing.T) {
			reply, err := s.eng.Chat(t.Context(), weather(c))
			if kept(t, err) {
				obeys(t, c, reply.ToolCalls())
			}
			got, err := collect(t, s.eng.Stream(t.Context(), weather(c)))
			if kept(t, err) {
				got.agrees(t)
				obeys(t, c, got.calls)
			}
			if errors.Is(err, chat.ErrToolChoiceUnmet) && len(got.calls) > 0 {
				t.Errorf("the choice wasn't met, yet calls were delivered as ready to run: %+v", got.calls)
			}
		})
	}
}

// kept reports whether a call went through. Refusing beforehand and saying
// that the model didn't obey are the two permitted failures.
func kept(t *testing.T, err error) bool {
	t.Helper()
	if err == nil {
		return true
	}
	typed(t, err)
	if !errors.Is(err, chat.ErrUnsupported) && !errors.Is(err, chat.ErrToolChoiceUnmet) {
		t.Errorf("%v; want the choice kept, chat.ErrUnsupported or chat.ErrToolChoiceUnmet", err)
	}
	return false
}

// obeys holds calls against a choice.
func obeys(t *testing.T, c toolchoice.Choice, calls []chat.ToolCall) {
	t.Helper()
	forced := c == toolchoice.Any() || c == toolchoice.Tool("get_weather") || c == toolchoice.Tool("list_berths")
	switch {
	case forced && len(calls) == 0:
		t.Errorf("%s: no call", c)
	case c == toolchoice.None() && len(calls) > 0:
		t.Errorf("%s: %d calls", c, len(calls))
	}
	ids := map[string]bool{}
	for _, call := range calls {
		if forced && c != toolchoice.Any() && c != toolchoice.Tool(call.Name) {
			t.Errorf("%s: a call of %s", c, call.Name)
		}
		if !call.Sound() || call.ID == "" || ids[call.ID] {
			t.Errorf("%s: call %+v", c, call)
		}
		ids[call.ID] = true
	}
}

// loop forces a call, answers it, and lets the model go on in text.
func (s suite) loop() {
	t := s.t
	req := weather(toolchoice.Tool("get_weather"))
	first, err := s.eng.Chat(t.Context(), req)
	if !kept(t, err) {
		return
	}
	results := make([]chat.ToolResult, 0, 1)
	for _, call := range first.ToolCalls() {
		results = append(results, chat.TextResult(call.ID, "21 degrees and dry"))
	}
	next := weather(toolchoice.None())
	next.Messages = append(next.Messages, first.Message(), chat.Results(results...))
	last, err := s.eng.Chat(t.Context(), next)
	if kept(t, err) && (last.Text() == "" || len(last.ToolCalls()) > 0) {
		t.Errorf("after the results: %q, %+v", last.Text(), last.ToolCalls())
	}
}
