package agent_test

import (
	"errors"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
)

// TestResumeWithoutState: a state that is missing is refused; no new run begins.
func TestResumeWithoutState(t *testing.T) {
	t.Parallel()
	model := scripted(text("never"))
	bot := &agent.Agent{Model: model, Request: chat.Request{Messages: chat.Prompt("x")}}
	for name, r := range map[string]agent.Runner{"agent": bot, "flow": agent.Sequential{bot}} {
		result, err := agent.Resume(t.Context(), r, nil)
		stopped(t, result, err, agent.StopRefused)
		if e, ok := errors.AsType[*chat.Error](err); !ok || e.Param != "state" {
			t.Errorf("%s: %v", name, err)
		}
		for _, err := range agent.ResumeStream(t.Context(), r, nil) {
			if !errors.Is(err, chat.ErrInvalid) {
				t.Errorf("%s, streamed: %v", name, err)
			}
		}
	}
	if len(model.Requests) > 0 {
		t.Errorf("%d requests were sent", len(model.Requests))
	}
}

// TestNewStream: what a runner of the caller's own promises.
func TestNewStream(t *testing.T) {
	t.Parallel()
	begun, handed := 0, 0
	failed := errors.New("failed")
	stream := func(err error) func(func(agent.Event, error) bool) {
		return agent.NewStream(func(yield func(agent.Event) bool) (*agent.Result, error) {
			begun++
			for range 3 {
				if yield(agent.StepStarted{}) {
					handed++
				}
			}
			return &agent.Result{Reason: agent.StopAnswered}, err
		})
	}
	good, bad, left := stream(nil), stream(failed), stream(nil)
	if begun > 0 {
		t.Error("begun before the first range")
	}
	if result, err := agent.Collect(good); err != nil || result.Reason != agent.StopAnswered || handed != 3 {
		t.Errorf("%+v, %v, %d events", result, err, handed)
	}
	if _, err := agent.Collect(good); !errors.Is(err, chat.ErrStreamUsed) {
		t.Errorf("ranged over twice: %v", err)
	}
	if result, err := agent.Collect(bad); !errors.Is(err, failed) || result == nil {
		t.Errorf("%+v, %v", result, err)
	}
	handed = 0
	for range left {
		break
	}
	if handed > 0 || begun != 3 {
		t.Errorf("%d events were taken after a break, of %d runs", handed, begun)
	}
}
