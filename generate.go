package sabir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// repairs is how often Generate shows the model what is wrong with its answer.
const repairs = 2

// wrapMember holds an answer that is no object: few wires take a list, an enum
// or a union as the whole answer.
const wrapMember = "answer"

// Generate asks for an answer in the form of T: a struct, a map, a list, a type
// with values of its own; see [schema.For]. The engine gets there by whichever
// way it has, see [chat.Request.Output], or refuses beforehand. The answer is
// held against T's schema, and where it doesn't fit, the model is told what is
// wrong and asked again, twice at most.
//
// The reply is the last one; its Usage counts all that were asked for. An
// answer that still doesn't fit, or that was cut, is a *chat.Error of kind
// chat.ErrOutputUnmet with that reply in it. Generate runs no tools: a request
// with Tools needs toolchoice.None(). Of req.Output the Name, Description and
// Strict are used; nil asks for Strict.
func Generate[T any](ctx context.Context, client *Client, req *chat.Request) (T, *chat.Reply, error) {
	var zero T
	if req == nil {
		return zero, nil, chat.Invalid("Request", "is nil")
	}
	g := generation{client: client, req: *req}
	raw, err := schema.For[T]()
	if err == nil {
		err = g.ask(raw)
	}
	if err != nil {
		return zero, nil, err
	}
	for round := 0; ; round++ {
		out := new(T)
		reply, err := g.round(ctx, out)
		switch {
		case err == nil:
			return *out, reply, nil
		case round == repairs || !g.mend(reply, err):
			return zero, reply, err
		}
	}
}

// generation is a Generate on its way.
type generation struct {
	client  *Client
	req     chat.Request
	wrapped bool
	usage   chat.Usage
}

// ask puts the schema into the request.
func (g *generation) ask(raw json.RawMessage) error {
	out := chat.Output{Strict: true}
	if g.req.Output != nil {
		out = *g.req.Output
	}
	switch {
	case len(out.Schema) > 0:
		return chat.Invalid("Output.Schema", "is made from the type")
	case len(g.req.Tools) > 0 && g.req.ToolChoice.Mode() != toolchoice.ModeNone:
		return chat.Invalid("Tools", "can't be run here: use an agent, or toolchoice.None()")
	}
	if out.Schema = raw; !schema.IsObject(raw) {
		wrapped, err := schema.Wrap(wrapMember, raw)
		if err != nil {
			return &chat.Error{Kind: chat.ErrInvalid, Param: "Output.Schema", Err: err}
		}
		out.Schema, g.wrapped = wrapped, true
	}
	g.req.Output = &out
	return nil
}

// round makes one model call and reads the answer into out.
func (g *generation) round(ctx context.Context, out any) (*chat.Reply, error) {
	reply, err := g.client.Chat(ctx, &g.req)
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Reply != nil {
		counted := *e
		counted.Reply = g.count(e.Reply)
		return counted.Reply, &counted
	}
	if err != nil {
		return nil, err
	}
	reply = g.count(reply)
	if len(reply.Output) == 0 {
		return reply, unfit(reply, fmt.Errorf("the model gave no answer: it ended with %q", reply.Finish))
	}
	if err := g.read(reply.Output, out); err != nil {
		return reply, unfit(reply, err)
	}
	return reply, nil
}

// count gives the reply the usage of all rounds.
func (g *generation) count(reply *chat.Reply) *chat.Reply {
	g.usage.Add(reply.Usage)
	counted := *reply
	counted.Usage = g.usage
	return &counted
}

func (g *generation) read(doc json.RawMessage, out any) error {
	if g.wrapped {
		var outer map[string]json.RawMessage
		if err := json.Unmarshal(doc, &outer); err != nil {
			return err
		}
		doc = outer[wrapMember]
	}
	return json.Unmarshal(doc, out)
}

func unfit(reply *chat.Reply, err error) error {
	return &chat.Error{
		Kind: chat.ErrOutputUnmet, Engine: reply.Engine, Model: reply.Model, Status: 200,
		RequestID: reply.RequestID, Reply: reply, Err: err,
	}
}

// mend tells the model what is wrong, and reports whether that can help: an
// answer that was cut, filtered or paused would be so again.
func (g *generation) mend(reply *chat.Reply, err error) bool {
	if !errors.Is(err, chat.ErrOutputUnmet) || reply == nil || len(reply.ToolCalls()) > 0 {
		return false
	}
	if reply.Finish != chat.FinishStop && reply.Finish != chat.FinishOther {
		return false
	}
	why := err.Error()
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Message != "" {
		why = e.Message
	} else if ok && e.Err != nil {
		why = e.Err.Error()
	}
	g.req.Messages = slices.Clip(g.req.Messages) // the caller's own: not written to
	if reply.Text() != "" {
		g.req.Messages = append(g.req.Messages, reply.Message())
	}
	g.req.Messages = append(g.req.Messages, chat.User("This answer can't be used: "+why+
		"\nAnswer again, in the form that was asked for, and with nothing else."))
	return true
}
