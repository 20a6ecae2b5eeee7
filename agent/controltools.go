package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// ControlTools are tools by which the model steers its own run. Each is offered
// only if it is allowed here; the zero value allows none. They stand after the
// agent's own tools, which can't have their names, and policies hold for them.
// What the model has chosen by them survives [Agent.Resume].
type ControlTools struct {
	// AskUser allows ask_user: the run stops with StopQuestion, and is resumed with
	// the [Answer].
	AskUser bool
	// Pause allows pause: the run stops with StopPaused after the step.
	Pause bool
	// Abort allows abort: the run stops with StopAborted after the step, for a
	// reason that the model gives. To resume it gives the same again.
	Abort bool
	// Wait allows wait, for at most so long a time; 0: it is not allowed.
	Wait time.Duration
	// Archive allows read_archive, which searches and reads the messages of the run,
	// a few thousand characters at a time.
	Archive bool
	// Engines allows switch_engine to these, by name: from the next step on that
	// one answers, with its own default model, unless the policy states another.
	// Compact.Window is then that of the smallest.
	Engines map[string]Model
	// Servers allows enable_server for these, by name: from the next step on the
	// tools that the function returns are offered, too. An error is told to the
	// model. When a run is resumed, the functions of the servers that it had enabled
	// are called again, and an error ends it with StopFailed. The context is that of
	// the call: a connection must not end with it. Who closes it is the caller's
	// business, after the run. A policy can only name tools that are there from the
	// beginning.
	Servers map[string]func(context.Context) (*tools.Set, error)
}

// The names of the control tools.
const (
	toolAskUser      = "ask_user"
	toolPause        = "pause"
	toolAbort        = "abort"
	toolWait         = "wait"
	toolReadArchive  = "read_archive"
	toolSwitchEngine = "switch_engine"
	toolEnableServer = "enable_server"
)

// grounds are what pause and abort are called with.
type grounds struct {
	Reason string `json:"reason" jsonschema:"why, for the user"`
}

// pick is what the tools with a catalogue are called with.
type pick struct {
	Name string `json:"name"`
}

// check refuses catalogues that hold nothing.
func (c ControlTools) check() error {
	for _, name := range slices.Sorted(maps.Keys(c.Engines)) {
		if c.Engines[name] == nil {
			return chat.Invalid("Agent.Allow.Engines", fmt.Sprintf("%q is nil", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		if c.Servers[name] == nil {
			return chat.Invalid("Agent.Allow.Servers", fmt.Sprintf("%q is nil", name))
		}
	}
	return nil
}

// controlTools are the tools that the agent allows.
func (r *run) controlTools() []tools.Tool {
	allow := r.agent.Allow
	var out []tools.Tool
	if allow.AskUser {
		out = append(out, tools.External(toolAskUser,
			"Asks the user a question and gives the answer. For what only the user can know or decide.",
			json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"},`+
				`"options":{"type":"array","items":{"type":"string"},"description":"answers to choose from, if there are such"}},"required":["question"]}`)))
	}
	if allow.Pause {
		out = append(out, tools.New(toolPause, "Interrupts the work after this step, until the user lets it go on.",
			func(context.Context, grounds) (string, error) {
				return "The work was interrupted, and the user has let it go on.", nil
			}))
	}
	if allow.Abort {
		out = append(out, tools.New(toolAbort, "Gives the work up for good. Only if it can't be done or must not be.",
			func(context.Context, grounds) (string, error) { return "The work was given up.", nil }))
	}
	if allow.Wait > 0 {
		out = append(out, tools.New(toolWait, fmt.Sprintf("Waits, such as for something that takes time elsewhere: at most %v.", allow.Wait), r.wait))
	}
	if allow.Archive {
		out = append(out, tools.New(toolReadArchive, "Searches or reads what was said in this conversation, from its beginning.", r.readArchive))
	}
	if len(allow.Engines) > 0 {
		out = append(out, tools.Raw(toolSwitchEngine, "Lets another model go on with the work from the next step on.",
			choice(maps.Keys(allow.Engines)), func(_ context.Context, raw json.RawMessage) (string, error) {
				return "From the next step on " + picked(raw) + " goes on.", nil
			}))
	}
	if len(allow.Servers) > 0 {
		r.controls.turn = make(chan struct{}, 1)
		out = append(out, tools.Raw(toolEnableServer, "Makes more tools available from the next step on: those of a server.",
			choice(maps.Keys(allow.Servers)), r.enableServer))
	}
	return out
}

// choice is the schema of a name from a catalogue.
func choice(names iter.Seq[string]) json.RawMessage {
	enum, _ := json.Marshal(slices.Sorted(names)) // strings always marshal
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"name":{"type":"string","enum":%s}},"required":["name"]}`, enum))
}

// picked is the name in a call's arguments, which fit the schema.
func picked(raw json.RawMessage) string {
	var p pick
	if json.Unmarshal(raw, &p) != nil {
		return ""
	}
	return p.Name
}

func (r *run) wait(ctx context.Context, in struct {
	Seconds float64 `json:"seconds"`
},
) (string, error) {
	most := r.agent.Allow.Wait
	if in.Seconds <= 0 || in.Seconds > most.Seconds() {
		return "", fmt.Errorf("seconds: %g is not more than 0 and at most %g", in.Seconds, most.Seconds())
	}
	d := time.Duration(in.Seconds * float64(time.Second))
	if err := r.runtime.Sleep(ctx, d); err != nil {
		return "", err
	}
	return fmt.Sprintf("%v have passed.", d), nil
}
