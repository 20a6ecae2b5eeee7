package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools/schema"
)

// Tool is a function that a model can call. Make one with [New] or [Raw]; the
// zero Tool can't run. It is a value: a copy with other options is another
// tool on the same function.
type Tool struct {
	// Def is the tool as the model sees it. Its name may be changed; its schema
	// belongs to the function.
	Def     chat.ToolDef
	Options Options

	run   func(ctx context.Context, args json.RawMessage) (chat.ToolResult, error)
	valid *schema.Validator
	err   error

	external bool
}

// Options say how a tool is run. The zero value: no limits, beside other
// calls, without approval, and failures are told to the model.
type Options struct {
	// Timeout ends the context of a call; 0: none. The function has to heed its
	// context: a call is waited for until it returns.
	Timeout time.Duration
	// MaxCalls is how often the tool may run in one [Set]; 0: no limit. Calls
	// beyond it are answered with an error result.
	MaxCalls int
	// Serial: calls of serial tools of a [Set] run one at a time, in call order.
	// Such a tool can't run calls of its own set.
	Serial bool
	// NeedsApproval: somebody has to agree to each call. [Set.Run] refuses it,
	// [Set.RunApproved] takes the caller's word that this has happened.
	NeedsApproval bool
	// ApprovalFor is NeedsApproval for the calls for which it is true, by their
	// arguments, which fit the schema, or panics; nil: for none.
	ApprovalFor func(arguments json.RawMessage) bool
	// SideEffects: a call changes something in the world, so it must not be
	// repeated on a guess. For agents and for people who read the definition.
	SideEffects bool
	// OnError says what happens when the function fails.
	OnError OnError
}

// OnError is what happens when a tool's function returns an error, panics or
// runs out of time. Arguments that don't fit the schema are always told to
// the model.
type OnError string

// What can happen on an error.
const (
	// TellModel gives the error's text to the model, as an error result.
	TellModel OnError = ""
	// Stop ends [Set.Run] with the error and cancels the calls beside it.
	Stop OnError = "stop"
)

// New makes a tool from a function. The schema comes from In, a struct or a
// map, see [schema.For], or a union, see [schema.OneOf], which is the argument
// called input. The arguments are held against it before f runs, so f sees only
// what fits; numbers in an any are json.Number, with every digit.
//
// Out decides what the model gets: a string as it is, [chat.Part],
// []chat.Part or [chat.ToolResult] as they are (so a tool can return images,
// or a failure with pictures), anything else as JSON.
//
// A definition that can't work (an In without a schema, a bad name, no
// function) is reported by [Tool.Err], by the set that the tool is put into,
// and by the first request that offers it.
func New[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error)) Tool {
	raw, err := schema.For[In]()
	if err != nil {
		return newBroken(name, description, err)
	}
	if f == nil {
		return newBroken(name, description, errors.New("no function"))
	}
	read := decodeInput[In]
	if schema.IsUnion(raw) {
		read = decodeWrapped[In]
		if raw, err = schema.Wrap(inputMember, raw); err != nil {
			return newBroken(name, description, err)
		}
	}
	return newTool(name, description, raw, func(ctx context.Context, args json.RawMessage) (chat.ToolResult, error) {
		in, err := read(args)
		if err != nil {
			return chat.ToolResult{}, &argumentError{err}
		}
		out, err := f(ctx, in)
		if err != nil {
			return chat.ToolResult{}, err
		}
		return encodeResult(out)
	})
}

// Raw makes a tool from a schema and a function that takes the arguments as
// JSON text, an object that fits the schema. An empty schema: no arguments.
// See [New] for Out and for errors in the definition.
func Raw[Out any](name, description string, arguments json.RawMessage,
	f func(ctx context.Context, args json.RawMessage) (Out, error),
) Tool {
	if f == nil {
		return newBroken(name, description, errors.New("no function"))
	}
	return newTool(name, description, arguments, func(ctx context.Context, args json.RawMessage) (chat.ToolResult, error) {
		out, err := f(ctx, args)
		if err != nil {
			return chat.ToolResult{}, err
		}
		return encodeResult(out)
	})
}

// External makes a tool without a function: its calls are answered by the
// caller, such as by asking the user or another program; see agent.Answer. To
// [Set.Run] they are calls that need approval, and [Set.RunApproved] answers
// them with an error result.
func External(name, description string, arguments json.RawMessage) Tool {
	t := Raw(name, description, arguments, func(context.Context, json.RawMessage) (string, error) {
		return "", errors.New("nobody has answered this call")
	})
	t.external = true
	return t
}

// IsExternal reports whether the tool was made by [External].
func (t Tool) IsExternal() bool { return t.external }

// needsApproval reports whether somebody has to agree to, or to answer, a call
// with these arguments. If ApprovalFor panics, it does; arguments that don't
// fit are not asked about.
func (t Tool) needsApproval(raw json.RawMessage) (needs bool) {
	if t.Options.NeedsApproval || t.external {
		return true
	}
	if t.Options.ApprovalFor == nil {
		return false
	}
	args, err := t.fitArguments(raw)
	if err != nil {
		return false
	}
	defer func() {
		if recover() != nil {
			needs = true
		}
	}()
	return t.Options.ApprovalFor(args)
}

// noArguments is the schema of a tool without one.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

func newTool(name, description string, raw json.RawMessage,
	run func(context.Context, json.RawMessage) (chat.ToolResult, error),
) Tool {
	checked := raw
	if len(raw) == 0 {
		checked = json.RawMessage(noArguments)
	}
	if err := schema.CheckArguments(checked); err != nil {
		return newBroken(name, description, fmt.Errorf("schema: %w", err))
	}
	v, err := schema.Compile(checked)
	if err != nil {
		return newBroken(name, description, fmt.Errorf("schema: %w", err))
	}
	t := Tool{Def: chat.ToolDef{Name: name, Description: description, Schema: raw}, run: run, valid: v}
	if !isValidName(name) {
		t.err = errBadName(name)
	}
	return t
}

// newBroken returns a tool that can't be used. In place of a schema it carries
// the reason, a JSON string, so that no request with it is taken for a sound
// one.
func newBroken(name, description string, err error) Tool {
	reason, _ := json.Marshal(err.Error()) // a string always marshals
	return Tool{
		Def: chat.ToolDef{Name: name, Description: description, Schema: reason},
		err: fmt.Errorf("tool %q: %w", name, err),
	}
}

// With returns the tool with other options, for definitions in one
// expression.
func (t Tool) With(o Options) Tool {
	t.Options = o
	return t
}

// Err is what is wrong with the definition; nil if nothing is.
func (t Tool) Err() error {
	switch {
	case t.err != nil:
		return t.err
	case t.run == nil:
		return fmt.Errorf("tool %q: no function", t.Def.Name)
	case !isValidName(t.Def.Name):
		return errBadName(t.Def.Name)
	}
	return nil
}

// maxName is the longest name that every provider takes.
// Source: OpenAI, "Create chat completion", function name; Anthropic,
// "Messages", tool name: letters, digits, _ and -, up to 64. Read 2026-11-30.
const maxName = 64

func isValidName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for _, r := range s {
		if r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return true
}

func errBadName(name string) error {
	return fmt.Errorf("tool %q: a name is 1 to %d letters, digits, underscores and hyphens", name, maxName)
}
