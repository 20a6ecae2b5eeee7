package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// stateVersion is the version of the stored form. A state of another version
// is refused: to guess at it could run a call twice.
const stateVersion = 1

// state is a run as data. It holds what was said, decided and done; what runs
// it, the Agent, is code and is given again to go on.
type state struct {
	Version int `json:"version"`
	// Seq counts the states of a run, so that the entries of a journal are known
	// to belong to this one.
	Seq int `json:"seq"`
	// Nonce is in the names under which the runs inside of this one are stored, so
	// that none is taken for that of an earlier run with the same name.
	Nonce  string `json:"nonce,omitempty"`
	Reason Reason `json:"reason,omitempty"` // why the run ended or stopped; empty: it was killed

	Messages []chat.Message `json:"messages"`
	Steps    []stepState    `json:"steps,omitempty"`
	Usage    chat.Usage     `json:"usage"`
	Cost     float64        `json:"cost,omitempty"`
	// Final is the result of the call by which the run ended: its place in the
	// last step; -1: none.
	Final int `json:"final"`

	// Open is the step whose reply came and whose calls are not all answered.
	Open        *stepState     `json:"open,omitempty"`
	Asked       []chat.Message `json:"asked,omitempty"`
	Closing     bool           `json:"closing,omitempty"`
	ThinkingOff bool           `json:"thinking_off,omitempty"`
	Invalid     int            `json:"invalid,omitempty"`
	Memory      memory         `json:"memory,omitzero"`
}

// stepState is a StepResult as data.
type stepState struct {
	ToolChoice toolchoice.Choice `json:"tool_choice,omitzero"`
	Paused     []*chat.Reply     `json:"paused,omitempty"`
	Reply      *chat.Reply       `json:"reply,omitempty"`
	Calls      []callState       `json:"calls,omitempty"` // as many as Reply has
	Usage      chat.Usage        `json:"usage"`
	Cost       float64           `json:"cost,omitempty"`
	Duration   time.Duration     `json:"duration"`
}

// callState is what became of a call; the call itself is in the reply.
type callState struct {
	Outcome  Outcome          `json:"outcome"`
	Result   *chat.ToolResult `json:"result,omitempty"`
	Duration time.Duration    `json:"duration,omitempty"`
	Ends     bool             `json:"ends,omitempty"`
	Insists  bool             `json:"insists,omitempty"`
	// Waits: it was pending when the run stopped. The tools of servers are not
	// there to tell before the run is resumed.
	Waits bool `json:"waits,omitempty"`
	// Approved: somebody agreed to the call; Edited: with these arguments.
	Approved bool            `json:"approved,omitempty"`
	Edited   json.RawMessage `json:"edited,omitempty"`
	// Usage, Cost and Inner are those of the run that the call made.
	Usage chat.Usage `json:"usage,omitzero"`
	Cost  float64    `json:"cost,omitempty"`
	Inner *inner     `json:"inner,omitempty"`
}

func storeStep(s StepResult) stepState {
	out := stepState{
		ToolChoice: s.ToolChoice, Reply: withoutRaw(s.Reply),
		Usage: s.Usage, Cost: s.Cost, Duration: s.Duration,
	}
	for _, r := range s.Paused {
		out.Paused = append(out.Paused, withoutRaw(r))
	}
	for _, c := range s.Calls {
		out.Calls = append(out.Calls, storeCall(c))
	}
	return out
}

// withoutRaw leaves out the body as received: it is as long as the rest and
// holds nothing that a run depends on.
func withoutRaw(r *chat.Reply) *chat.Reply {
	if r == nil || r.Raw == nil {
		return r
	}
	bare := *r
	bare.Raw = nil
	return &bare
}

func storeCall(c Call) callState {
	out := callState{
		Outcome: c.Outcome, Duration: c.Duration,
		Ends: c.ends, Insists: c.insists, Approved: c.approved, Edited: c.Edited, Waits: c.waits,
		Usage: c.Usage, Cost: c.Cost,
	}
	if c.interrupted {
		out.Outcome = NotRun
	}
	if out.Outcome == NotRun {
		out.Inner = c.inner
	} else {
		out.Result = &c.Result
	}
	return out
}

func (s stepState) load(index int) (StepResult, error) {
	out := StepResult{
		Index: index, ToolChoice: s.ToolChoice, Paused: s.Paused, Reply: s.Reply,
		Usage: s.Usage, Cost: s.Cost, Duration: s.Duration,
	}
	if s.Reply == nil {
		return out, nil
	}
	calls := s.Reply.ToolCalls()
	if len(s.Calls) > len(calls) {
		return out, fmt.Errorf("step %d: %d calls, and outcomes of %d", index, len(calls), len(s.Calls))
	}
	for i, c := range s.Calls {
		out.Calls = append(out.Calls, c.load(calls[i]))
	}
	return out, nil
}

func (s callState) load(c chat.ToolCall) Call {
	out := Call{
		ToolCall: c, Outcome: s.Outcome, Duration: s.Duration, Edited: s.Edited,
		ends: s.Ends, insists: s.Insists, approved: s.Approved, waits: s.Waits,
		Usage: s.Usage, Cost: s.Cost, inner: s.Inner,
	}
	if s.Result != nil {
		out.Result = *s.Result
	}
	return out
}

// snapshot is the run as it stands. It shares what only grows.
func (r *run) snapshot() *state {
	res := r.result
	s := &state{
		Version: stateVersion, Seq: r.seq, Nonce: r.nonce, Reason: res.Reason, Final: -1,
		Messages: slices.Clip(res.Messages), Usage: res.Usage, Cost: res.Cost,
		Asked: r.asked, Closing: r.closing, ThinkingOff: r.thinkingOff, Invalid: r.invalid,
		Memory: r.memory,
	}
	for _, step := range res.Steps {
		if !step.void {
			s.Steps = append(s.Steps, storeStep(step))
		}
	}
	if res.Final != nil {
		calls := res.Steps[len(res.Steps)-1].Calls
		for i := range calls {
			if &calls[i].Result == res.Final {
				s.Final = i
			}
		}
	}
	if r.open != nil {
		open := storeStep(r.open.StepResult)
		s.Open = &open
	}
	return s
}

// restore makes the run what the state says.
func (r *run) restore(s *state) error {
	res := r.result
	res.Messages, res.Usage, res.Cost = s.Messages, s.Usage, s.Cost
	r.nonce = s.Nonce
	r.seq, r.asked, r.closing, r.thinkingOff, r.invalid = s.Seq, s.Asked, s.Closing, s.ThinkingOff, s.Invalid
	r.memory = s.Memory
	if r.memory.Fresh < 0 || r.memory.Fresh > len(s.Messages) {
		return errors.New("remembers messages that it does not hold")
	}
	for i, stored := range s.Steps {
		step, err := stored.load(i)
		if err != nil {
			return err
		}
		res.Steps = append(res.Steps, step)
		if step.Reply != nil {
			res.Reply = step.Reply
		}
	}
	if last := len(res.Steps) - 1; s.Final >= 0 && last >= 0 && s.Final < len(res.Steps[last].Calls) {
		res.Final = &res.Steps[last].Calls[s.Final].Result
	}
	if s.Open == nil {
		return nil
	}
	switch {
	case s.Open.Reply == nil:
		return fmt.Errorf("step %d is open without a reply", len(res.Steps))
	case len(s.Open.Calls) < len(s.Open.Reply.ToolCalls()):
		return fmt.Errorf("step %d is open without outcomes of all calls", len(res.Steps))
	}
	step, err := s.Open.load(len(res.Steps))
	if err != nil {
		return err
	}
	res.Reply = step.Reply
	r.open = &openStep{StepResult: step}
	return nil
}

// readState reads what was stored.
func readState(raw json.RawMessage) (*state, error) {
	s := &state{Final: -1}
	err := json.Unmarshal(raw, s)
	switch {
	case err != nil:
	case s.Version != stateVersion:
		err = fmt.Errorf("is of version %d, and %d is needed", s.Version, stateVersion)
	case len(s.Messages) == 0:
		err = errors.New("holds no conversation")
	}
	if err != nil {
		return nil, &chat.Error{Kind: chat.ErrInvalid, Param: "state", Err: err}
	}
	return s, nil
}
