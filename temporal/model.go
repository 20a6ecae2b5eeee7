package temporal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
)

// errOutside: a model of a flow is used elsewhere.
var errOutside = errors.New("temporal: called outside of the workflow")

// planner is a Model that can plan.
type planner interface {
	Plan(*chat.Request) (*chat.Plan, error)
}

// modelCall is the input of a model activity. The tools' definitions are left
// out: the worker has them, and they would be most of a short conversation.
type modelCall struct {
	// Model is the name in Config.Models; empty: Agent.Model. Summary: it is that
	// of Agent.Compact.
	Model   string       `json:"model,omitempty"`
	Summary bool         `json:"summary,omitempty"`
	Request chat.Request `json:"request"`
	// NoSchema: Request.Output is without a schema, which JSON can't say.
	NoSchema bool `json:"no_schema,omitempty"`
}

// remoteModel stands in for a model in the workflow.
type remoteModel struct {
	flow *Flow
	name string
	// summary: it is the model of Agent.Compact, which has no tools.
	summary bool
	err     error // why it can't be called
}

var _ agent.Model = remoteModel{}

// Chat implements [agent.Model].
func (m remoteModel) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	c, ok := current(ctx)
	switch {
	case m.err != nil:
		return nil, m.err
	case !ok:
		return nil, errOutside
	}
	in := modelCall{Model: m.name, Summary: m.summary, Request: *req, NoSchema: req.Output != nil && len(req.Output.Schema) == 0}
	in.Request.Tools = nil
	var reply *chat.Reply
	err := c.execute(ctx, withDefaults(m.flow.cfg.ModelCall, defaultCalls), m.flow.cfg.Name+modelName, in, &reply)
	if err != nil {
		return nil, fromFailure(err)
	}
	if !m.summary {
		c.run.replied(c.ctx)
	}
	return reply, nil
}

// Stream implements [agent.Model]. A flow's runs are not streamed.
func (m remoteModel) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		reply, err := m.Chat(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		for ev := range chat.Deltas(reply) {
			if !yield(ev, nil) {
				return
			}
		}
		yield(chat.Done{Reply: reply}, nil)
	}
}

// standIn is what the workflow calls in the place of a model that the policy
// chose.
func (f *Flow) standIn(m agent.Model) agent.Model {
	for _, name := range f.names {
		if is(f.cfg.Models[name], m) {
			return remoteModel{flow: f, name: name}
		}
	}
	if is(f.cfg.Agent.Model, m) {
		return remoteModel{flow: f}
	}
	return remoteModel{err: chat.Invalid("Policy.Model", fmt.Sprintf("a model of type %T that is not in Config.Models", m))}
}

// is compares two models as far as they can be compared.
func is(a, b agent.Model) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}

// callModel is the activity of one model call.
func (f *Flow) callModel(ctx context.Context, in modelCall) (*chat.Reply, error) {
	m, req := f.model(in), &in.Request
	if m == nil {
		return nil, fmt.Errorf("this worker has no model %q", in.Model)
	}
	if !in.Summary {
		req.Tools = f.defs
	}
	if in.NoSchema && req.Output != nil {
		req.Output.Schema = nil
	}
	if !in.Summary {
		for _, wrap := range slices.Backward(f.cfg.Agent.Middleware) {
			m = wrap(m)
		}
	}
	defer beat(ctx)()
	reply, err := m.Chat(ctx, req)
	if err == nil && reply == nil {
		err = &chat.Error{Kind: chat.ErrBadReply, Message: "the model gave neither a reply nor an error"}
	}
	if err != nil {
		return nil, toFailure(err)
	}
	bare := *reply
	bare.Raw = nil // as long as the rest, and nothing depends on it
	return &bare, nil
}

// model is the one that a call is for; nil: there is none.
func (f *Flow) model(in modelCall) agent.Model {
	switch {
	case in.Summary:
		c, _ := f.compactor()
		return c.Model
	case in.Model != "":
		return f.cfg.Models[in.Model]
	}
	return f.cfg.Agent.Model
}

// compactor is Agent.Compact, where it is the one whose model can be called from a
// workflow.
func (f *Flow) compactor() (compact.Compactor, bool) {
	switch c := f.cfg.Agent.Compact.(type) {
	case compact.Compactor:
		return c, true
	case *compact.Compactor:
		return *c, true
	}
	return compact.Compactor{}, false
}

// plan is the activity that plans a run before anything is sent. It isn't done
// in the workflow: engines learn, so two workers can come to different plans.
func (f *Flow) plan(ctx context.Context, input []chat.Message) error {
	defer beat(ctx)()
	_, err := f.cfg.Agent.Plan(input...)
	return toFailure(err)
}
