package agenttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
)

// CheckStopped checks that a run ended with an error of that reason.
func CheckStopped(t *testing.T, result *agent.Result, err error, want agent.Reason) {
	t.Helper()
	stop, ok := errors.AsType[*agent.StopError](err)
	if !ok {
		t.Fatalf("error %v of type %T, want a *StopError", err, err)
	}
	if stop.Reason != want || stop.Result != result || result.Reason != want {
		t.Errorf("ended with %q (result: %q): %v; want %q", stop.Reason, result.Reason, err, want)
	}
	CheckSound(t, result)
}

// CheckSound checks that each call of the conversation has one result, right after
// it and in order.
func CheckSound(t *testing.T, result *agent.Result) {
	t.Helper()
	for i, m := range result.Messages {
		calls := m.ToolCalls()
		if len(calls) == 0 {
			continue
		}
		if i+1 == len(result.Messages) {
			t.Errorf("message %d has calls and nothing after it", i)
			return
		}
		answers := result.Messages[i+1].Parts
		if len(answers) != len(calls) {
			t.Errorf("message %d: %d calls and %d results", i, len(calls), len(answers))
			continue
		}
		for j, p := range answers {
			if res, ok := p.(chat.ToolResult); !ok || res.CallID != calls[j].ID || len(res.Parts) == 0 {
				t.Errorf("message %d: call %q is answered by %+v", i, calls[j].ID, p)
			}
		}
	}
}

// CheckSame compares lists.
func CheckSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// StateOf is the state of a run.
func StateOf(t *testing.T, result *agent.Result) json.RawMessage {
	t.Helper()
	raw, err := result.State()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Outcomes lists what became of all calls.
func Outcomes(result *agent.Result) []string {
	var out []string
	for _, s := range result.Steps {
		for _, c := range s.Calls {
			out = append(out, fmt.Sprintf("%d %s %s", s.Index, c.Name, c.Outcome))
		}
	}
	return out
}

// ResultText is the text of a call's result.
func ResultText(c agent.Call) string { return chat.Message{Parts: c.Result.Parts}.Text() }

// Line is an event, written down; that of a run inside with the way to it.
func Line(ev agent.Event) string {
	switch ev := ev.(type) {
	case agent.StepStarted:
		return fmt.Sprintf("step %d", ev.Step)
	case agent.Delta:
		if t, ok := ev.Event.(chat.TextDelta); ok {
			return "text " + t.Text
		}
		return fmt.Sprintf("%T", ev.Event)
	case agent.CallStarted:
		return "start " + ev.Call.Name
	case agent.Nested:
		return strings.TrimSpace(ev.ID+" "+ev.Name) + "> " + Line(ev.Event)
	case agent.CallFinished:
		return fmt.Sprintf("end %s: %s", ev.Name, ev.Outcome)
	case agent.StepFinished:
		return fmt.Sprintf("step %d used %d of %d", ev.Index, ev.Usage.Total(), ev.Total.Total())
	case agent.Done:
		return "done: " + ev.Result.Text()
	case agent.Compacted:
		return "compacted"
	}
	return ""
}

// Lines are the events of a run, in order, but for those of calls being written.
func Lines(t *testing.T, events iter.Seq2[agent.Event, error]) (out []string, result *agent.Result, err error) {
	t.Helper()
	for ev, failed := range events {
		if failed != nil {
			if stop, ok := errors.AsType[*agent.StopError](failed); ok {
				result = stop.Result
			}
			return out, result, failed
		}
		if got := Line(ev); !strings.Contains(got, "chat.ToolCall") {
			out = append(out, got)
		}
		if done, ok := ev.(agent.Done); ok {
			result = done.Result
		}
	}
	return out, result, nil
}
