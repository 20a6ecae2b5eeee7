package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// TestCatchEnd: a host that runs a tool elsewhere learns that it asked to end
// the run.
func TestCatchEnd(t *testing.T) {
	t.Parallel()
	ctx, ended := agent.CatchEnd(t.Context())
	if ended() {
		t.Error("ended before anybody asked")
	}
	if !agent.EndRun(ctx) || !ended() {
		t.Error("EndRun was not caught")
	}
}

// TestLeft: what came too late for a run can be given to the next.
func TestLeft(t *testing.T) {
	t.Parallel()
	control := new(agent.Control)
	late := func(agent.Step) bool {
		control.Inject(chat.User("too late"))
		return true
	}
	control.Inject(chat.User("in time"))
	bot := agent.Agent{Model: scripted(calls("a")), Tools: tools.NewSet(says("a", "x")), Control: control, StopWhen: late}
	if _, err := bot.Run(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	left := control.Left()
	if len(left) != 1 || left[0].Text() != "too late" || len(control.Left()) > 0 {
		t.Errorf("left: %+v, and then %+v", left, control.Left())
	}
}

// TestSameFaultEachTime: of several faults in a decision a run names the same
// one each time, so that it can be replayed.
func TestSameFaultEachTime(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]agent.Decision{
		"MaxCalls": {MaxCalls: map[string]int{"d": 1, "c": 1, "b": 1, "e": 1}},
		"Refuse":   {Refuse: map[string]string{"d": "no", "c": "no", "b": "no", "e": "no"}},
		"Requires": {Requires: map[string][]string{"d": nil, "c": nil, "b": nil, "e": nil}},
	} {
		for range 20 {
			bot := agent.Agent{Model: scripted(), Tools: tools.NewSet(says("a", "x")), Policy: fixed(d)}
			_, err := bot.Run(t.Context(), hello)
			if !errors.Is(err, chat.ErrInvalid) || !strings.Contains(err.Error(), `"b"`) {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
