package chaos_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sabir-go/sabir/internal/chaos"
)

// TestFaults lets every fault strike at every kind of place of every dialect's
// answer, whole and streamed, once and each time. The call must end in a typed
// error or in the very reply that the undisturbed call gives, soon, with nothing
// left open, without a call that could be run too early, and without asking
// again for what was partly read.
func TestFaults(t *testing.T) {
	t.Parallel()
	tried := &tally{}
	t.Cleanup(func() { t.Log(tried) })
	for _, x := range exchanges {
		for form, streamed := range map[string]bool{"whole": false, "stream": true} {
			reply := x.reply(t, streamed)
			for _, f := range chaos.Faults() {
				t.Run(fmt.Sprintf("%s/%s/%s", x.name, form, f), func(t *testing.T) {
					t.Parallel()
					strikeAll(t, x, streamed, reply, f, reply.Points(), tried)
				})
			}
		}
	}
}

// strikeAll lets a fault strike at each of the points, in one bubble: it ends
// only when every goroutine in it has.
func strikeAll(t *testing.T, x exchange, streamed bool, reply chaos.Reply, f chaos.Fault, points []chaos.Point, tried *tally) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := chaos.New(reply)
		eng := x.on(n)
		want := call(t, eng, n, streamed)
		undisturbed(t, want, streamed)
		wrong := map[string][]string{}
		for i, at := range points {
			for k, once := range []bool{false, true} {
				if (2*i+k)%stride != 0 {
					continue
				}
				n.Strike(f, at, once)
				got := call(t, eng, n, streamed)
				for _, why := range judge(want, got, f, at) {
					wrong[why] = append(wrong[why], fmt.Sprintf("%s (%d)", at.Class, at.At))
				}
				tried.count(got)
			}
		}
		report(t, wrong)
	})
}

func undisturbed(t *testing.T, want outcome, streamed bool) {
	t.Helper()
	if want.err != nil || len(want.reply.ToolCalls()) != 2 || streamed && len(want.ready) != 2 {
		t.Fatalf("undisturbed: %v, %+v, ready %v", want.err, want.reply, want.ready)
	}
}

// report fails the test, once for each kind of fault.
func report(t *testing.T, wrong map[string][]string) {
	t.Helper()
	for _, why := range slices.Sorted(maps.Keys(wrong)) {
		places := slices.Compact(wrong[why])
		t.Errorf("%s\n\t%d times: %s", why, len(wrong[why]), strings.Join(places[:min(12, len(places))], ", "))
	}
}

// tally counts what was tried.
type tally struct{ tried, failed, again atomic.Int64 }

func (y *tally) count(got outcome) {
	y.tried.Add(1)
	if got.err != nil {
		y.failed.Add(1)
	}
	if got.seen.Requests > 1 {
		y.again.Add(1)
	}
}

func (y *tally) String() string {
	return fmt.Sprintf("%d combinations: %d ended in an error, %d in the whole reply; %d were tried again",
		y.tried.Load(), y.failed.Load(), y.tried.Load()-y.failed.Load(), y.again.Load())
}
