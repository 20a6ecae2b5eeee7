package wiretest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// Reply reads a whole reply as an engine does.
func Reply(c wire.Codec, body []byte) (*chat.Reply, error) {
	return wire.ReadReply(c, wire.NewAssembly(wire.Limits{}), body)
}

// Stream reads a server-sent stream as an engine does: frame by frame until
// the codec has seen the last one or the body ends. Beside an error, a
// *chat.Error that carries what was read, are the events up to it.
func Stream(c wire.Codec, r io.Reader) (*chat.Reply, []chat.Event, error) {
	s := frame.NewSSE(r, 0)
	defer s.Release()
	return Collect(c, s)
}

// Collect is Stream for any framing.
func Collect(c wire.Codec, frames frame.Reader) (*chat.Reply, []chat.Event, error) {
	a := wire.NewAssembly(wire.Limits{})
	s := wire.NewStream(c, frames, a)
	var events []chat.Event
	for !s.Whole() {
		got, err := s.Next()
		if err != nil {
			return nil, events, withPartial(err, a)
		}
		events = append(events, got...)
	}
	return a.Reply(), events, nil
}

// withPartial adds what was read to an error. One of the connection's own is,
// to a caller, that of a stream that was cut.
func withPartial(err error, a *wire.Assembly) error {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		e = &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Err: err}
	}
	if e.Reply == nil && (!a.Empty() || errors.Is(e.Kind, chat.ErrTruncated)) {
		e.Reply = a.Reply()
	}
	return e
}

// checkHalves cuts the first, the middle and the last frame of a good stream in
// the middle of their JSON. Half a frame is nonsense, unless it is the last one:
// then the stream was cut.
func checkHalves(t *testing.T, c wire.Codec, open func() frame.Reader) {
	t.Helper()
	frames := readFrames(c, open())
	if len(frames) == 0 {
		return // words, as those of a test's own codec
	}
	for _, at := range []int{0, len(frames) / 2, len(frames) - 1} {
		f := frames[at]
		f.Data = f.Data[:len(f.Data)/2]
		cut := slices.Concat(frames[:at], []frame.Frame{f})
		if _, _, err := Collect(c, &list{cut}); !isKind(err, chat.ErrTruncated) {
			t.Errorf("half of frame %d at the end of the body: %v", at, err)
		}
		if _, _, err := Collect(c, &list{append(cut, frames[at])}); !isKind(err, chat.ErrBadReply) {
			t.Errorf("half of frame %d in the middle: %v", at, err)
		}
	}
}

// readFrames are the frames that hold objects, up to the end of the reply.
func readFrames(c wire.Codec, r frame.Reader) []frame.Frame {
	var frames []frame.Frame
	a := wire.NewAssembly(wire.Limits{})
	for !a.Stopped() {
		f, err := r.Next()
		if err != nil {
			break
		}
		f.Data, f.Event, f.ID = slices.Clone(f.Data), slices.Clone(f.Event), slices.Clone(f.ID)
		if f.Data[0] == '{' {
			frames = append(frames, f)
		}
		if c.DecodeEvent(a, f) != nil {
			break
		}
	}
	return frames
}

// list reads frames from a list.
type list struct{ frames []frame.Frame }

func (l *list) Next() (frame.Frame, error) {
	if len(l.frames) == 0 {
		return frame.Frame{}, io.EOF
	}
	f := l.frames[0]
	l.frames = l.frames[1:]
	return f, nil
}

func isKind(err, kind error) bool {
	e, ok := errors.AsType[*chat.Error](err)
	return ok && errors.Is(e.Kind, kind)
}

// checkConsistent checks that what a caller saw in events is what the reply says.
func checkConsistent(events []chat.Event, r *chat.Reply) error {
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
			return fmt.Errorf("call %s: events say %s(%s), reply says %s(%s)",
				c.ID, c.Name, args, named[i].Name, named[i].Arguments)
		}
	}
	return nil
}
