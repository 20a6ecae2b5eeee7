package ollama

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

const endpoint = "/api/chat"

// encoder writes one request.
type encoder struct {
	w   rawjson.Writer
	c   *wire.Call
	err error // the first thing that the wire can't carry
}

// EncodeRequest spells a call. What stays the same from call to call (model,
// tools, messages so far) comes first. A stream is what the server sends if
// nothing is said. An extra member "options" is joined to the options that the
// call's own fields make.
// Source: api/types.go, ChatRequest, read 2026-11-30.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	e := &encoder{c: &c}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	e.checkCall()
	e.encodeRequest()
	if e.err != nil {
		return wire.Encoded{}, fmt.Errorf("ollama: encode: %w", e.err)
	}
	return wire.Encoded{Path: endpoint, Body: e.w.Buf}, nil
}

// fail notes what the planner should have refused.
func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) checkCall() {
	c := e.c
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"tool choice", !c.Choice.IsZero()},
		{"subset of the tools", c.Allowed != nil},
		{"switch for parallel calls", c.ParallelTools != nil},
		{"cache key", c.Cache.Key != ""},
		{"metadata", len(c.Metadata) > 0},
		{"thinking budget", c.Thinking.Budget > 0},
		{"thinking display", c.Thinking.Display != ""},
		{"thinking format", c.Thinking.Format != ""},
	} {
		if f.set {
			e.fail("a %s has no place on this wire", f.name)
		}
	}
}

func (e *encoder) encodeRequest() {
	w, c := &e.w, e.c
	w.Object()
	w.Str("model", c.Model)
	if len(c.Tools) > 0 {
		w.List("tools")
		for i := range c.Tools {
			e.encodeTool(&c.Tools[i])
		}
		w.EndArray()
	}
	e.encodeMessages()
	if f := c.Format; f != nil {
		w.Key("format")
		if len(f.Schema) > 0 {
			w.Raw(f.Schema)
		} else {
			w.String("json")
		}
	}
	e.encodeThinking()
	e.encodeOptions()
	if !c.Stream {
		w.Flag("stream", false)
	}
	wire.WriteExtra(&e.w, e.c.Extra, "options") // those are written with ours
	w.EndObject()
}

func (e *encoder) encodeTool(t *chat.ToolDef) {
	if t.Strict {
		e.fail("tool %s: strict has no place on this wire", t.Name)
	}
	w := &e.w
	w.Object()
	w.Str("type", "function")
	w.Obj("function")
	w.Str("name", t.Name)
	w.StrIf("description", t.Description)
	w.JSON("parameters", wire.Parameters(t)) // templates walk through the properties
	w.EndObject()
	w.EndObject()
}

// encodeThinking writes a switch, or a level where one is asked for.
// Source: docs/capabilities/thinking.mdx; api/types.go, ThinkValue; read
// 2026-11-30.
func (e *encoder) encodeThinking() {
	w, t := &e.w, e.c.Thinking
	on := t.Type == "enabled"
	switch {
	case t.Type != "" && !on && t.Type != "disabled", t.Type == "disabled" && t.Effort != "" && t.Effort != "none":
		e.fail("thinking %q with effort %q has no place on this wire", t.Type, t.Effort)
	case t.Effort == "none" && on:
		e.fail("thinking %q with effort %q contradicts itself", t.Type, t.Effort)
	case t.Effort == "none", t.Type == "disabled":
		w.Flag("think", false)
	case t.Effort != "":
		w.Str("think", t.Effort)
	case on:
		w.Flag("think", true)
	}
}

// ownedOptions are the options that only a field of the call may write.
var ownedOptions = [...]string{"num_predict", "temperature", "top_p", "stop", "seed"}

func (e *encoder) encodeOptions() {
	w, c := &e.w, e.c
	more := e.readExtraOptions()
	if c.MaxTokens == 0 && c.Temperature == nil && c.TopP == nil && len(c.Stop) == 0 && c.Seed == nil && len(more) == 0 {
		return
	}
	w.Obj("options")
	names := wire.Sampling{MaxTokens: "num_predict", TopP: "top_p", Stop: "stop", Seed: "seed"}
	names.Write(w, c)
	for _, m := range more {
		w.KeyString(m.Name)
		w.Raw(m.Value)
	}
	w.EndObject()
}

// readExtraOptions reads the members of the caller's own options, in their order.
func (e *encoder) readExtraOptions() []wire.Member {
	var out []wire.Member
	for _, m := range e.c.Extra {
		if m.Name != "options" {
			continue
		}
		var s rawjson.Scanner
		s.Reset(m.Value)
		if s.Kind() != rawjson.Object {
			e.fail("extra member options is no object")
		}
		for key := range s.Members() {
			name := string(key)
			if slices.Contains(ownedOptions[:], name) {
				e.fail("extra option %q has a field of its own", name)
			}
			out = append(out, wire.Member{Name: name, Value: json.RawMessage(s.Raw())})
		}
		if err := s.End(); err != nil {
			e.fail("extra member options: %w", err)
		}
	}
	return out
}
