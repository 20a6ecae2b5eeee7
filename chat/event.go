package chat

import "iter"

// Event is one step of a stream: [TextDelta], [ThinkingDelta],
// [ToolCallStart], [ToolCallDelta], [ToolCallDone] or [Done]. The union is
// sealed.
//
// Strings in deltas may share memory with the text around them; a program that
// keeps a few bytes of a very long stream should clone them.
//
//sumtype:decl
type Event interface{ event() }

// TextDelta is more text.
type TextDelta struct{ Text string }

// ThinkingDelta is more readable thought.
type ThinkingDelta struct{ Text string }

// ToolCallStart says that the model began a call. Index counts the calls of
// this reply from 0.
type ToolCallStart struct {
	Index int
	ID    string
	Name  string
}

// ToolCallDelta is more of a call's arguments: for showing progress. It is
// not yet safe to act on.
type ToolCallDelta struct {
	Index     int
	Arguments string
}

// ToolCallDone is a whole call, held against the request's tool choice and
// ready to run. It comes once the reply has ended, never before, and not at all
// for calls of a reply that was cut, of tools that were never offered, or whose
// arguments are not sound: those are only in the reply.
type ToolCallDone struct {
	Index int
	Call  ToolCall
}

// Done ends a stream that went well.
type Done struct{ Reply *Reply }

func (TextDelta) event()     {}
func (ThinkingDelta) event() {}
func (ToolCallStart) event() {}
func (ToolCallDelta) event() {}
func (ToolCallDone) event()  {}
func (Done) event()          {}

// Texts gives the text of a stream as it comes, and the stream's error, last,
// if it failed. Other events are passed over.
func Texts(stream iter.Seq2[Event, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for ev, err := range stream {
			if err != nil {
				yield("", err)
				return
			}
			if d, ok := ev.(TextDelta); ok && !yield(d.Text, nil) {
				return
			}
		}
	}
}

// Deltas gives a reply as the deltas of a stream that brings each of its parts
// at once, for middleware and models that have a whole reply to give. Calls are
// begun and filled, but not said to be done: whether they may run is for the one
// to say who held the reply against the request.
func Deltas(r *Reply) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		calls := 0
		for _, p := range r.Parts {
			more := true
			switch p := p.(type) {
			case Text:
				more = p.Text == "" || yield(TextDelta{Text: p.Text})
			case Thinking:
				more = p.Text == "" || yield(ThinkingDelta{Text: p.Text})
			case ToolCall:
				more = yield(ToolCallStart{Index: calls, ID: p.ID, Name: p.Name}) &&
					(len(p.Arguments) == 0 || yield(ToolCallDelta{Index: calls, Arguments: string(p.Arguments)}))
				calls++
			case Image, File, Audio, ToolResult:
			}
			if !more {
				return
			}
		}
	}
}
