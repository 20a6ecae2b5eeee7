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
	g, err := newGeneration[T](req)
	if err != nil {
		return g.zero, nil, err
	}
	for round := 0; ; round++ {
		value, reply, err := g.judge(client.Chat(ctx, &g.req))
		switch {
		case err == nil:
			return value, reply, nil
		case round == repairs || !g.mend(reply, err):
			return g.zero, reply, err
		}
	}
}

// generation is a Generate or a StreamObject on its way.
type generation[T any] struct {
	req     chat.Request
	wrapped bool
	usage   chat.Usage
	zero    T
}

// wrapping is an answer in its wrapping.
type wrapping[T any] struct {
	Answer T `json:"answer"` // wrapMember
}

func newGeneration[T any](req *chat.Request) (generation[T], error) {
	var g generation[T]
	if req == nil {
		return g, chat.Invalid("Request", "is nil")
	}
	g.req = *req
	raw, err := schema.For[T]()
	if err != nil {
		return g, err
	}
	return g, g.ask(raw)
}

// ask puts the schema into the request.
func (g *generation[T]) ask(raw json.RawMessage) error {
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

// judge counts the tokens of one model call and reads the answer.
func (g *generation[T]) judge(reply *chat.Reply, err error) (T, *chat.Reply, error) {
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Reply != nil {
		counted := *e
		counted.Reply = g.count(e.Reply)
		if error(e) == err { //nolint:errorlint // not what it wraps, but what is wrapped around it
			return g.zero, counted.Reply, &counted
		}
		return g.zero, counted.Reply, &countedError{&counted, err}
	}
	switch {
	case err != nil:
		return g.zero, nil, err
	case reply == nil:
		return g.zero, nil, &chat.Error{Kind: chat.ErrBadReply, Message: "the engine gave neither a reply nor an error"}
	}
	reply = g.count(reply)
	if len(reply.Output) == 0 {
		return g.zero, reply, unfit(reply, fmt.Errorf("the model gave no answer: it ended with %q", reply.Finish))
	}
	value, err := g.read(reply.Output)
	if err != nil {
		return g.zero, reply, unfit(reply, err)
	}
	return value, reply, nil
}

// count gives the reply the usage of all rounds.
func (g *generation[T]) count(reply *chat.Reply) *chat.Reply {
	g.usage.Add(reply.Usage)
	counted := *reply
	counted.Usage = g.usage
	return &counted
}

// read decodes an answer, or the beginning of one.
func (g *generation[T]) read(doc []byte) (T, error) {
	if g.wrapped {
		var outer wrapping[T]
		err := json.Unmarshal(doc, &outer)
		return outer.Answer, err
	}
	var value T
	err := json.Unmarshal(doc, &value)
	return value, err
}

// countedError is an error whose *chat.Error, found first, has the reply with the
// usage of all rounds.
type countedError struct {
	counted *chat.Error
	err     error
}

func (e *countedError) Error() string { return e.err.Error() }

func (e *countedError) Unwrap() []error { return []error{e.counted, e.err} }

func unfit(reply *chat.Reply, err error) error {
	return &chat.Error{
		Kind: chat.ErrOutputUnmet, Engine: reply.Engine, Model: reply.Model, Status: 200,
		RequestID: reply.RequestID, Reply: reply, Err: err,
	}
}

// mend tells the model what is wrong, and reports whether that can help: an
// answer that was cut, filtered or paused would be so again.
func (g *generation[T]) mend(reply *chat.Reply, err error) bool {
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
