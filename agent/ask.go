package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// ask makes the step's model call, and says a paused reply back until it is
// whole.
func (r *run) ask(ctx context.Context, t turn, s *StepResult) error {
	req, hops := *t.req, cmp.Or(r.agent.Limits.Hops, defaultHops)
	for {
		reply, err := r.call(ctx, t.model, &req, s.Index)
		if reply != nil {
			s.Usage.Add(reply.Usage)
			if r.agent.Price != nil {
				s.Cost += r.agent.Price(reply)
			}
		}
		switch {
		case err != nil:
			s.Reply = reply
			return r.modelError(ctx, err)
		case reply.Finish != chat.FinishPaused || len(reply.ToolCalls()) > 0:
			s.Reply = reply
			return nil
		}
		s.Paused = append(s.Paused, reply)
		r.say(reply)
		req.Messages = slices.Clip(r.result.Messages)
		if len(s.Paused) > hops {
			return r.stop(StopHops, fmt.Errorf("the provider paused the reply %d times", len(s.Paused)))
		}
	}
}

// say puts a reply into the conversation.
func (r *run) say(reply *chat.Reply) {
	if len(reply.Parts) > 0 {
		r.result.Messages, r.spoke = append(r.result.Messages, reply.Message()), true
	}
}

// call makes one model call. Beside an error, the reply is what had been read.
func (r *run) call(ctx context.Context, m Model, req *chat.Request, step int) (*chat.Reply, error) {
	reply, err := r.receive(ctx, m, req, step)
	if e, ok := errors.AsType[*chat.Error](err); ok {
		return e.Reply, err
	}
	return reply, err
}

func (r *run) receive(ctx context.Context, m Model, req *chat.Request, step int) (*chat.Reply, error) {
	if r.unstreamed {
		reply, err := m.Chat(ctx, req)
		switch {
		case err != nil:
			return nil, err
		case reply == nil:
			return nil, &chat.Error{Kind: chat.ErrBadReply, Message: "the model gave neither a reply nor an error"}
		}
		for ev := range events(req, reply) {
			if !r.tell(Delta{step, ev}) {
				return nil, errGone
			}
		}
		return reply, nil
	}
	for ev, err := range m.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if done, ok := ev.(chat.Done); ok && done.Reply != nil {
			return done.Reply, nil
		}
		if !r.tell(Delta{step, ev}) {
			return nil, errGone
		}
	}
	return nil, &chat.Error{Kind: chat.ErrTruncated, Message: "the stream ended without chat.Done"}
}

// events are the deltas of a whole reply, and its calls as done. As in a stream,
// a call of a tool that was not offered is not given as ready to run.
func events(req *chat.Request, reply *chat.Reply) iter.Seq[chat.Event] {
	return func(yield func(chat.Event) bool) {
		for ev := range chat.Deltas(reply) {
			if !yield(ev) {
				return
			}
		}
		if _, cut := cutReason(reply); cut {
			return
		}
		for i, c := range reply.ToolCalls() {
			if c.Sound() && offers(req, c.Name) && !yield(chat.ToolCallDone{Index: i, Call: c}) {
				return
			}
		}
	}
}

func offers(req *chat.Request, tool string) bool {
	return slices.ContainsFunc(req.Tools, func(t chat.ToolDef) bool { return t.Name == tool })
}

// modelError ends the run over a failed model call.
func (r *run) modelError(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errGone):
		return errGone
	case ctx.Err() != nil:
		return r.ended(ctx, err)
	case errors.Is(err, chat.ErrInvalid), errors.Is(err, chat.ErrUnsupported):
		return r.stop(StopRefused, err)
	case errors.Is(err, chat.ErrToolChoiceUnmet):
		return r.stop(StopUnmet, err)
	case errors.Is(err, chat.ErrMalformedCall):
		return r.stop(StopMalformed, err)
	case errors.Is(err, chat.ErrFiltered):
		return r.stop(StopFiltered, err)
	}
	return r.stop(StopFailed, err)
}

// cutReason says why nothing of a reply may run, where that is so.
func cutReason(reply *chat.Reply) (Reason, bool) {
	switch reply.Finish {
	case chat.FinishLength:
		return StopLength, true
	case chat.FinishFiltered:
		return StopFiltered, true
	case chat.FinishMalformed:
		return StopMalformed, true
	case chat.FinishError:
		return StopFailed, true
	case chat.FinishStop, chat.FinishStopSequence, chat.FinishToolCalls, chat.FinishPaused, chat.FinishOther:
	}
	return "", false
}

// judge decides whether the reply's calls may run at all. A reply that was cut
// in its text is put into the conversation.
func (r *run) judge(req *chat.Request, s *StepResult) error {
	calls := s.Reply.ToolCalls()
	reason, cut := cutReason(s.Reply)
	if cut && len(calls) > 0 {
		return r.stop(reason, fmt.Errorf("the reply ended with %q: none of its calls was run", s.Reply.Finish))
	}
	if why := unmet(req, s.Reply); why != "" {
		return r.stop(StopUnmet, &chat.Error{
			Kind: chat.ErrToolChoiceUnmet, Engine: s.Reply.Engine, Model: s.Reply.Model, Reply: s.Reply,
			Message: req.ToolChoice.String() + " was asked for: " + why,
		})
	}
	r.noteThinking(s.Reply.Steps, slices.ContainsFunc(calls, func(c chat.ToolCall) bool { return !c.Synthetic }))
	if cut {
		r.say(s.Reply)
		return r.stop(reason, fmt.Errorf("the reply ended with %q", s.Reply.Finish))
	}
	return nil
}

// unmet says how a reply breaks the tool choice. Engines have checked that;
// other models may not have.
func unmet(req *chat.Request, reply *chat.Reply) string {
	calls := reply.ToolCalls()
	for _, c := range calls {
		switch {
		case req.ToolChoice.Mode() == toolchoice.ModeNone:
			return "the model called " + c.Name
		case offers(req, c.Name) && req.AllowedTools != nil && !slices.Contains(req.AllowedTools, c.Name):
			return "the model called " + c.Name + ", which is not among the allowed tools"
		}
	}
	weakened := slices.ContainsFunc(reply.Steps, func(s chat.PlanStep) bool { return s.Kind == chat.StepChoiceToAuto })
	if !req.ToolChoice.Forced() || weakened {
		return ""
	}
	if name := req.ToolChoice.Name(); name != "" {
		if i := slices.IndexFunc(calls, func(c chat.ToolCall) bool { return c.Name != name }); i >= 0 {
			return "the model called " + calls[i].Name
		}
	}
	switch {
	case len(calls) == 0:
		return "the model called nothing"
	case !slices.ContainsFunc(calls, func(c chat.ToolCall) bool { return offers(req, c.Name) }):
		return "the model called none of the tools"
	}
	return ""
}
