package temporal

import (
	"context"
	"errors"
	"slices"

	sdk "go.temporal.io/sdk/temporal"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
)

// mayPass are the kinds of error that may succeed later, even where the error
// doesn't say so.
var mayPass = []error{chat.ErrRateLimited, chat.ErrOverloaded, chat.ErrServer}

// refusal is a chat.UnsupportedError as data.
type refusal struct {
	Engine  string   `json:"engine,omitempty"`
	Model   string   `json:"model,omitempty"`
	Feature string   `json:"feature,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Instead []string `json:"instead,omitempty"`
}

// toFailure makes an error of package chat one that crosses to the workflow. Its
// type is the kind's name, such as for RetryPolicy.NonRetryableErrorTypes.
// Others stay as they are, to be retried by policy, which can't know better.
func toFailure(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) { // the activity's own end
		return err
	}
	if e, ok := errors.AsType[*chat.UnsupportedError](err); ok {
		return sdk.NewApplicationErrorWithOptions(err.Error(), "ErrUnsupported", sdk.ApplicationErrorOptions{
			NonRetryable: true,
			Details:      []any{refusal(*e)},
		})
	}
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		return err
	}
	name := chat.KindName(e.Kind)
	if name == "" {
		return err
	}
	again := e.Retryable || slices.ContainsFunc(mayPass, func(kind error) bool { return errors.Is(e.Kind, kind) })
	return sdk.NewApplicationErrorWithOptions(err.Error(), name, sdk.ApplicationErrorOptions{
		NonRetryable: !again, NextRetryDelay: e.RetryAfter, Details: []any{e},
	})
}

// fromFailure is the other direction: errors.Is and errors.As find what the
// activity's error was.
func fromFailure(err error) error {
	if e, ok := errors.AsType[*sdk.ApplicationError](err); ok {
		if kind := chat.KindByName(e.Type()); kind != nil {
			return known(e, kind)
		}
	}
	if sdk.IsTimeoutError(err) {
		return &chat.Error{Kind: chat.ErrNetwork, Message: "the model call did not come back", Err: cause(err)}
	}
	if e, ok := errors.AsType[*sdk.ApplicationError](err); ok {
		return foreignError{e}
	}
	return cause(err)
}

// foreignError is an error that is none of package chat's, as it was worded.
type foreignError struct{ *sdk.ApplicationError }

func (f foreignError) Error() string { return f.Message() }

func (f foreignError) Unwrap() error { return f.ApplicationError }

// known is an error of package chat that crossed.
func known(e *sdk.ApplicationError, kind error) error {
	var r refusal
	if errors.Is(kind, chat.ErrUnsupported) && e.Details(&r) == nil && r.Feature != "" {
		return new(chat.UnsupportedError(r))
	}
	var out chat.Error
	if e.Details(&out) != nil {
		return foreignError{e}
	}
	out.Kind = kind
	return &out
}

// cause is what an activity failed with, without where and when.
func cause(err error) error {
	if e, ok := errors.AsType[*sdk.ActivityError](err); ok && e.Unwrap() != nil {
		return e.Unwrap()
	}
	return err
}

// end is the error with which a workflow ends whose run did not come to an
// answer: of type StopError.Reason, with the Outcome and, below it, the cause.
func end(stop *agent.StopError) error {
	out := outcome(stop.Result)
	out.Messages, out.Step = nil, stop.Step
	if stop.Reason == agent.StopCancelled {
		return sdk.NewCanceledError(*out)
	}
	return sdk.NewApplicationErrorWithOptions(stop.Error(), string(stop.Reason), sdk.ApplicationErrorOptions{
		NonRetryable: true, Cause: toFailure(stop.Err), Details: []any{*out},
	})
}

// Stopped reads the error of a flow's workflow, as its caller gets it: why the run
// ended without an answer. Of the Result it holds Reason, Usage and Cost; the
// conversation is in the answer to [StateQuery]. ok is false if err is of another
// kind, such as a timeout of the workflow.
//
// errors.Is finds the kinds of package chat, as after [agent.Agent.Run].
func Stopped(err error) (stop *agent.StopError, ok bool) {
	var out Outcome
	var inner error
	if e, is := errors.AsType[*sdk.CanceledError](err); is {
		out, inner = details(e), context.Canceled
	} else if e, is := errors.AsType[*sdk.ApplicationError](err); is {
		if out = details(e); e.Type() != string(out.Reason) {
			return nil, false
		}
		if e.Unwrap() != nil {
			inner = fromFailure(e.Unwrap())
		}
	}
	if out.Reason == "" {
		return nil, false
	}
	result := &agent.Result{Reason: out.Reason, Usage: out.Usage, Cost: out.Cost}
	return &agent.StopError{Reason: out.Reason, Step: out.Step, Err: inner, Result: result}, true
}

// details reads the Outcome from an error. The SDK panics over details of another
// type if the error has never left the process.
func details(e interface{ Details(...any) error }) (out Outcome) {
	defer func() {
		if recover() != nil {
			out = Outcome{}
		}
	}()
	if e.Details(&out) != nil {
		return Outcome{}
	}
	return out
}
