package coherev2

import (
	"errors"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

const endpoint = "/v2/chat"

// EncodeRequest spells a call. Each result becomes a message of its own;
// messages that say nothing are left out. Cache and Metadata have no place
// here. Plans go back where they came from, thoughts only if
// Quirks.ReplayThinking is "thinking": models that don't reason have no use for
// them.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	e := &encoder{c: &c, err: checkCall(&c)}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	e.encodeRequest()
	if e.err != nil {
		return wire.Encoded{}, fmt.Errorf("cohere-v2: encode: %w", e.err)
	}
	return wire.Encoded{Path: endpoint, Body: e.w.Buf}, nil
}

type encoder struct {
	w   rawjson.Writer
	c   *wire.Call
	err error // the first thing that the wire can't carry
}

// fail notes what the planner should have refused.
func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func checkCall(c *wire.Call) error {
	switch {
	case c.Allowed != nil:
		return errors.New("a subset of the tools has no place on this wire")
	case c.ParallelTools != nil && !*c.ParallelTools:
		return errors.New("calls one at a time have no word on this wire")
	case c.Thinking.Format != "" || c.Thinking.Effort != "" || c.Thinking.Display != "":
		return errors.New("thinking has a type and a budget on this wire, no more")
	case c.Thinking.Type == "" && c.Thinking.Budget > 0:
		return errors.New("a thinking budget needs a type on this wire")
	}
	return nil
}

// encodeRequest writes the body, its members in a fixed order.
func (e *encoder) encodeRequest() {
	w, c := &e.w, e.c
	w.Object()
	w.Str("model", c.Model)
	e.encodeMessages()
	e.encodeTools()
	e.encodeFormat()
	e.encodeThinking()
	e.encodeSampling()
	w.Flag("stream", c.Stream) // required
	wire.WriteExtra(w, c.Extra)
	w.EndObject()
}

// encodeTools writes the tools and how they may be used. Strictness is one switch for
// all of them, so it takes all of them to want it.
func (e *encoder) encodeTools() {
	w, c := &e.w, e.c
	if len(c.Tools) > 0 {
		w.List("tools")
		for i := range c.Tools {
			e.encodeTool(&c.Tools[i])
		}
		w.EndArray()
	}
	choice, err := c.SpellChoice()
	if err != nil {
		e.fail("%w", err)
	}
	if choice != nil {
		w.JSON("tool_choice", choice)
	}
	if allStrict(c.Tools) {
		w.Flag("strict_tools", true)
	}
}

func (e *encoder) encodeTool(t *chat.ToolDef) {
	w := &e.w
	w.Object()
	w.Str("type", "function")
	w.Obj("function")
	w.Str("name", t.Name)
	w.StrIf("description", t.Description)
	w.JSON("parameters", wire.Parameters(t)) // required, also for a tool that takes nothing
	w.EndObject()
	w.EndObject()
}

func allStrict(tools []chat.ToolDef) bool {
	for i := range tools {
		if !tools[i].Strict {
			return false
		}
	}
	return len(tools) > 0
}

// encodeFormat asks for JSON. A schema is always enforced, and has no name here.
func (e *encoder) encodeFormat() {
	w, f := &e.w, e.c.Format
	if f == nil {
		return
	}
	w.Obj("response_format")
	w.Str("type", "json_object")
	if len(f.Schema) > 0 {
		w.JSON("json_schema", f.Schema)
	}
	w.EndObject()
}

func (e *encoder) encodeThinking() {
	w, t := &e.w, &e.c.Thinking
	switch t.Type {
	case "":
		return
	case "enabled", "disabled":
	default:
		e.fail("thinking of type %q has no place on this wire", t.Type)
	}
	w.Obj("thinking")
	w.Str("type", t.Type)
	w.NumIf("token_budget", t.Budget)
	w.EndObject()
}

func (e *encoder) encodeSampling() {
	names := wire.Sampling{MaxTokens: "max_tokens", TopP: "p", Stop: "stop_sequences", Seed: "seed"}
	names.Write(&e.w, e.c)
}
