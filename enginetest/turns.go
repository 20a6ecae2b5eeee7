package enginetest

import (
	"time"

	"github.com/sabir-go/sabir/sim"
)

// Says is a turn that answers with text.
func Says(text string) sim.Turn { return sim.Says(text) }

// Calls is a turn that calls one tool with in, marshalled to JSON. For several
// calls in one reply, or broken arguments, write a [sim.Turn].
func Calls(name string, in any) sim.Turn { return sim.Calls(name, in) }

// Thinks puts a thought before a turn.
func Thinks(thought string, then sim.Turn) sim.Turn { return sim.Thinks(thought, then) }

// Fails is a turn that fails with an HTTP status: 401 becomes chat.ErrAuth,
// 503 chat.ErrOverloaded, and so on.
func Fails(status int, message string) sim.Turn { return sim.Fails(status, message) }

// RateLimited is a turn that fails with chat.ErrRateLimited and asks to wait.
func RateLimited(wait time.Duration) sim.Turn { return sim.RateLimited(wait) }

// Cut is a turn whose stream ends after that many events, before its end mark:
// chat.ErrTruncated. Unstreamed calls don't notice.
func Cut(after int, turn sim.Turn) sim.Turn { return turn.With(sim.Fault{CutAfter: after}) }

// Interleaved is a turn whose calls arrive side by side in a stream, a few
// bytes each in turn.
func Interleaved(calls ...sim.ToolCall) sim.Turn {
	return sim.Turn{Calls: calls, Fault: sim.Fault{Interleave: true}}
}

// IgnoresChoice is a turn that answers in text although a call was forced:
// chat.ErrToolChoiceUnmet.
func IgnoresChoice() sim.Turn { return sim.Breaks(sim.Fault{IgnoreChoice: true}) }

// CallsUnderNone is a turn that calls a tool although the choice is none:
// chat.ErrToolChoiceUnmet.
func CallsUnderNone() sim.Turn { return sim.Breaks(sim.Fault{CallUnderNone: true}) }
