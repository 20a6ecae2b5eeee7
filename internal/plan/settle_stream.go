package plan

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// StreamSettler settles a stream's events as they come. Calls are announced
// while they arrive, but only the settled reply makes them ready to run.
type StreamSettler struct {
	Settler
	out []chat.Event
	// blocked are the calls, by index, that the choice forbids; reserved is the
	// index of the output tool's call, -1 if there is none.
	blocked  []int
	reserved int
	// index is what the listener knows a call by, by id.
	index map[string]int
	// told: the output tool's arguments went out as text.
	told bool

	mode   textMode
	object braceScanner
}

// textMode says what becomes of text that was rewritten.
type textMode uint8

const (
	textWaiting  textMode = iota // for the first character, which decides
	textAsCall                   // it is the arguments of a call
	textHeld                     // kept until the reply is whole
	textFinished                 // the arguments are complete; the rest is noise
)

// NewStreamSettler settles one stream.
func (p *Plan) NewStreamSettler() *StreamSettler {
	return &StreamSettler{Settler: p.NewSettler(), reserved: -1, index: make(map[string]int)}
}

// SettleEvent settles one event; the result is valid until the next call.
func (s *StreamSettler) SettleEvent(ev chat.Event) []chat.Event {
	s.out = s.out[:0]
	if start, ok := ev.(chat.ToolCallStart); ok {
		s.index[start.ID] = start.Index
	}
	if s.passesUnchanged(ev) { // as it is: making it anew would cost an allocation
		s.out = append(s.out, ev)
		return s.out
	}
	switch ev := ev.(type) {
	case chat.TextDelta:
		if s.expect.Rewrite == toolAsSchema {
			s.passTextAsArguments(ev.Text)
		} // else it is known only once the reply is whole
	case chat.ToolCallStart:
		s.holdCall(ev)
	case chat.ToolCallDelta:
		if ev.Index == s.reserved && !s.expect.Wrapped {
			s.told = true
			s.out = append(s.out, chat.TextDelta{Text: ev.Arguments})
		}
	case chat.ThinkingDelta, chat.ToolCallDone, chat.Done: // always pass
	}
	return s.out
}

// passesUnchanged reports whether an event goes to the listener unchanged.
func (s *StreamSettler) passesUnchanged(ev chat.Event) bool {
	switch ev := ev.(type) {
	case chat.TextDelta:
		return s.expect.Rewrite == asIs
	case chat.ToolCallStart:
		return !s.isReserved(ev.Name) && !s.forbidsCall(ev.Name)
	case chat.ToolCallDelta:
		return ev.Index != s.reserved && !slices.Contains(s.blocked, ev.Index)
	case chat.ThinkingDelta, chat.ToolCallDone, chat.Done:
	}
	return true
}

func (s *StreamSettler) isReserved(name string) bool {
	return s.expect.Reserved != "" && name == s.expect.Reserved
}

// holdCall notes a call that the listener is not told of as such.
func (s *StreamSettler) holdCall(ev chat.ToolCallStart) {
	if s.isReserved(ev.Name) {
		s.reserved = ev.Index
		return
	}
	s.blocked = append(s.blocked, ev.Index)
}

// passTextAsArguments passes text on as a call's arguments, from its first brace
// to where that closes. Text that begins otherwise is held until it is whole.
func (s *StreamSettler) passTextAsArguments(text string) {
	if s.mode == textWaiting {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			return
		case text[0] == '{':
			s.mode = textAsCall
			s.out = append(s.out, chat.ToolCallStart{ID: s.id, Name: s.expect.Tools[0]})
		default:
			s.mode = textHeld
		}
	}
	if s.mode != textAsCall {
		return
	}
	if n := s.object.scanTo(text); n > 0 {
		s.out = append(s.out, chat.ToolCallDelta{Arguments: text[:n]})
	}
	if s.object.closed {
		s.mode = textFinished
	}
}

// forbidsCall reports whether a call by that name breaks the choice by itself.
func (s *StreamSettler) forbidsCall(name string) bool {
	if s.expect.Rewrite == toolAsSchema || s.expect.Rewrite == toolsAsSchema {
		return true // nothing was to be called as such
	}
	switch s.expect.Choice.Mode() {
	case toolchoice.ModeNone:
		return true
	case toolchoice.ModeTool:
		return name != s.expect.Choice.Name()
	case toolchoice.ModeAny:
		return !slices.Contains(s.expect.Tools, name)
	case toolchoice.ModeAuto, toolchoice.Unset:
	}
	return slices.Contains(s.expect.Offered, name) && !slices.Contains(s.expect.Tools, name)
}

// Finish settles the whole reply and returns the events that bring a listener up
// to it: what was held, then the calls, ready to run, then Done.
func (s *StreamSettler) Finish(r *chat.Reply) ([]chat.Event, error) {
	if err := s.Settle(r); err != nil {
		return nil, err
	}
	s.out = s.out[:0]
	calls := r.ToolCalls()
	switch {
	case len(calls) == 1 && calls[0].Synthetic && (s.mode == textHeld || s.expect.Rewrite == toolsAsSchema):
		s.out = append(s.out,
			chat.ToolCallStart{ID: calls[0].ID, Name: calls[0].Name},
			chat.ToolCallDelta{Arguments: string(calls[0].Arguments)})
	case s.expect.Rewrite == outputAsTool && !s.told && r.Text() != "":
		s.out = append(s.out, chat.TextDelta{Text: r.Text()})
	}
	for _, c := range calls {
		if s.isReadyToRun(r, c) {
			s.out = append(s.out, chat.ToolCallDone{Index: s.index[c.ID], Call: c})
		}
	}
	return append(s.out, chat.Done{Reply: r}), nil
}

// isReadyToRun reports whether a call may be run. One of a tool that was never offered
// may not: it is only in the reply, for whoever tells the model so.
func (s *StreamSettler) isReadyToRun(r *chat.Reply, c chat.ToolCall) bool {
	_, begun := s.index[c.ID]
	return (begun || c.Synthetic) && mayRunCalls(r) && c.Sound() && slices.Contains(s.expect.Offered, c.Name)
}
