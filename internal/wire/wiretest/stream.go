package wiretest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// Reply reads a whole reply as an engine does.
func Reply(c wire.Codec, body []byte) (*chat.Reply, error) {
	return c.DecodeReply(wire.NewAssembly(wire.Limits{}), body)
}

// Stream reads a server-sent stream as an engine does: frame by frame until
// the codec has seen the last one or the body ends. A body that ends before
// the reply is complete is a *chat.Error of kind ErrTruncated that carries
// what was read.
func Stream(c wire.Codec, r io.Reader) (*chat.Reply, []chat.Event, error) {
	s := frame.NewSSE(r, 0)
	defer s.Release()
	return Collect(c, s)
}

// Collect is Stream for any framing.
func Collect(c wire.Codec, frames frame.Reader) (*chat.Reply, []chat.Event, error) {
	a := wire.NewAssembly(wire.Limits{})
	var events []chat.Event
	for !a.Stopped() {
		f, err := frames.Next()
		if err != nil {
			reply, err := end(a, err)
			return reply, events, err
		}
		got, err := c.DecodeEvent(a, f)
		if err != nil {
			if len(got) > 0 {
				return nil, events, fmt.Errorf("%d events beside an error: %w", len(got), err)
			}
			return nil, events, withPartial(err, a)
		}
		events = append(events, got...)
	}
	return a.Reply(), events, nil
}

func end(a *wire.Assembly, err error) (*chat.Reply, error) {
	if errors.Is(err, io.EOF) && a.Ended() {
		return a.Reply(), nil
	}
	return nil, &chat.Error{Kind: chat.ErrTruncated, Status: 200, Reply: a.Reply(), Err: cause(err)}
}

func cause(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func withPartial(err error, a *wire.Assembly) error {
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Reply == nil && !a.Empty() {
		e.Reply = a.Reply()
	}
	return err
}

// consistent checks that what a caller saw in events is what the reply says.
func consistent(events []chat.Event, r *chat.Reply) error {
	var text, thought strings.Builder
	var calls []chat.ToolCall
	for _, ev := range events {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text.WriteString(ev.Text)
		case chat.ThinkingDelta:
			thought.WriteString(ev.Text)
		case chat.ToolCallStart:
			if ev.Index < len(calls) && calls[ev.Index].Name != "" {
				return fmt.Errorf("call %d started twice", ev.Index)
			}
			// A call without a name is in the reply, but never started.
			calls = append(calls, make([]chat.ToolCall, max(0, ev.Index+1-len(calls)))...)
			calls[ev.Index] = chat.ToolCall{ID: ev.ID, Name: ev.Name}
		case chat.ToolCallDelta:
			if ev.Index >= len(calls) || calls[ev.Index].Name == "" {
				return fmt.Errorf("arguments for call %d before its start", ev.Index)
			}
			calls[ev.Index].Arguments = append(calls[ev.Index].Arguments, ev.Arguments...)
		case chat.ToolCallDone, chat.Done:
			return fmt.Errorf("%T is not a codec's to send", ev)
		}
	}
	if !sameText(text.String(), r.Text()) {
		return fmt.Errorf("text deltas %q, reply %q", text.String(), r.Text())
	}
	if !sameText(thought.String(), r.Thoughts()) {
		return fmt.Errorf("thinking deltas %q, reply %q", thought.String(), r.Thoughts())
	}
	return sameCalls(calls, r.ToolCalls())
}

// sameText compares without regard to order: deltas of several parts may
// interleave, in the reply the parts follow each other.
func sameText(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}

func sameCalls(seen, reply []chat.ToolCall) error {
	nameless := func(c chat.ToolCall) bool { return c.Name == "" }
	seen = slices.DeleteFunc(seen, nameless)
	named := slices.DeleteFunc(slices.Clone(reply), nameless)
	if len(seen) != len(named) {
		return fmt.Errorf("%d calls in events, %d in the reply", len(seen), len(named))
	}
	for _, c := range seen {
		i := slices.IndexFunc(named, func(r chat.ToolCall) bool { return r.ID == c.ID })
		if i < 0 {
			return fmt.Errorf("call %s of the events is not in the reply", c.ID)
		}
		args := strings.TrimSpace(string(c.Arguments))
		if args == "" || args == "null" {
			args = "{}"
		}
		if named[i].Name != c.Name || string(named[i].Arguments) != args {
			return fmt.Errorf("call %s: events say %s(%s), reply says %s(%s)", c.ID, c.Name, args, named[i].Name, named[i].Arguments)
		}
	}
	return nil
}
