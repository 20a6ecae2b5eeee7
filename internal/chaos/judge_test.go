package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/chaos"
)

const (
	maxAttempts = 3 // the default of engine.Config
	sentAgain   = "a request was sent again after a part of its reply was read"
)

// judge says what is wrong with an outcome; want is that of the undisturbed
// call.
func judge(want, got outcome, f chaos.Fault, at chaos.Point) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	switch {
	case got.err != nil && got.reply != nil:
		add("both a reply and an error")
	case got.err != nil:
		if why := badError(got, f, at); why != "" {
			add("%s: %v", why, got.err)
		}
		if len(got.ready) > 0 {
			add("%d calls were ready to run before the error %v", len(got.ready), got.err)
		}
	case got.reply == nil:
		add("neither a reply nor an error")
	default:
		if why := badReply(want, got, f); why != "" {
			add("%s", why)
		}
	}
	return append(faults, badTraffic(got)...)
}

var kinds = []error{chat.ErrNetwork, chat.ErrBadReply, chat.ErrTruncated, chat.ErrServer}

func badError(got outcome, f chaos.Fault, at chaos.Point) string {
	if f == chaos.Stall && at.Class <= chaos.InHead && errors.Is(got.err, context.DeadlineExceeded) && got.took == deadline {
		return "" // only the caller's context bounds the wait for the headers
	}
	e, ok := errors.AsType[*chat.Error](got.err)
	switch {
	case !ok:
		return "the error is not typed"
	case !slices.Contains(kinds, e.Kind) && (f != chaos.Redirect || e.Status/100 != 3) && (f != chaos.Upgrade || e.Status != 101):
		return "the error's kind doesn't fit"
	case e.Attempts != got.seen.Requests:
		return fmt.Sprintf("the error says %d attempts, the server saw %d", e.Attempts, got.seen.Requests)
	case strings.ContainsFunc(got.err.Error(), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }):
		return "the error holds control characters"
	case got.took >= deadline:
		return "the call ended with its context"
	}
	return ""
}

// badReply compares a reply with the undisturbed one.
func badReply(want, got outcome, f chaos.Fault) string {
	if f == chaos.Duplicate {
		return badRepeat(want, got)
	}
	a, b := bare(want.reply), bare(got.reply)
	if f == chaos.Short || f == chaos.CutGzip {
		b.Usage = restored(b.Usage, a.Usage)
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("the reply is another one:\n\t%+v\nwant\n\t%+v", b, a)
	}
	if !reflect.DeepEqual(withoutIDs(want.ready), withoutIDs(got.ready)) {
		return fmt.Sprintf("ready to run: %v, want %v", got.ready, want.ready)
	}
	return ""
}

// restored is want if got says nothing: some wires report usage behind the
// finish reason, and an answer that ends in between, by HTTP's own end, is
// complete.
func restored(got, want chat.Usage) chat.Usage {
	if got == (chat.Usage{}) {
		return want
	}
	return got
}

// badRepeat judges an answer that says something twice, to which no reader of
// most dialects could be wiser: the text is there twice, then. A call is not
// run twice, and not with other arguments.
func badRepeat(want, got outcome) string {
	calls := got.ready
	if calls == nil { // whole replies, and those that aren't a stream
		calls = slices.DeleteFunc(got.reply.ToolCalls(), func(c chat.ToolCall) bool { return !c.Sound() })
	}
	meant := withoutIDs(want.reply.ToolCalls())
	for _, c := range withoutIDs(calls) {
		i := slices.IndexFunc(meant, func(m chat.ToolCall) bool { return reflect.DeepEqual(c, m) })
		if i < 0 {
			return fmt.Sprintf("a call that the model did not make: %s(%s)", c.Name, c.Arguments)
		}
		meant = slices.Delete(meant, i, i+1)
	}
	return ""
}

// badTraffic says what is wrong with how the network was used.
func badTraffic(got outcome) (faults []string) {
	s := got.seen
	if s.Connections > 0 || s.Bodies > 0 {
		faults = append(faults, fmt.Sprintf("left open: %d connections, %d bodies", s.Connections, s.Bodies))
	}
	if s.Requests > maxAttempts {
		faults = append(faults, fmt.Sprintf("%d requests", s.Requests))
	}
	if read := s.Delivered[:max(0, len(s.Delivered)-1)]; slices.ContainsFunc(read, func(n int) bool { return n > 0 }) {
		faults = append(faults, sentAgain)
	}
	for _, host := range s.Hosts {
		if strings.Contains(host, chaos.Elsewhere) {
			faults = append(faults, "connected to where the redirect led")
		}
	}
	return faults
}

// bare is a reply without what differs from call to call: times, and ids that
// sabir made up.
func bare(r *chat.Reply) chat.Reply {
	c := *r
	c.Timing, c.Raw = chat.Timing{}, nil
	c.Parts = slices.Clone(r.Parts)
	for i, p := range c.Parts {
		if call, ok := p.(chat.ToolCall); ok {
			c.Parts[i] = withoutID(call)
		}
	}
	return c
}

func withoutIDs(calls []chat.ToolCall) (out []chat.ToolCall) {
	for _, c := range calls {
		out = append(out, withoutID(c))
	}
	return out
}

func withoutID(c chat.ToolCall) chat.ToolCall {
	if len(c.ID) == len("call_")+26 { // rand.Text
		c.ID = "made up"
	}
	return c
}
