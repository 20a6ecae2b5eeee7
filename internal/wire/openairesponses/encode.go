package openairesponses

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

const endpoint = "/responses"

// encoder writes one request.
type encoder struct {
	w      rawjson.Writer
	c      *wire.Call
	custom map[string]bool // ids of calls of custom tools
	err    error           // the first thing that the wire can't carry
}

// EncodeRequest spells a call. Nothing is stored at the provider: every request
// says store false and brings the whole conversation.
// Source: openai-go responses/response.go, read 2026-11-30.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	e := &encoder{c: &c, custom: customCalls(c.Messages)}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	e.encodeRequest()
	if e.err != nil {
		return wire.Encoded{}, fmt.Errorf("openai-responses: encode: %w", e.err)
	}
	return wire.Encoded{Path: endpoint, Body: e.w.Buf}, nil
}

// fail notes what the planner should have refused.
func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) encodeRequest() {
	w := &e.w
	w.Object()
	w.Str("model", e.c.Model)
	w.StrIf("instructions", e.c.System)
	e.encodeInput()
	e.encodeTools()
	e.encodeFormat()
	e.encodeThinking()
	w.Flag("store", false)
	e.encodeSampling()
	e.encodeBookkeeping()
	wire.WriteExtra(w, e.c.Extra, "text", "reasoning") // those are written with ours
	w.EndObject()
}

func (e *encoder) encodeTools() {
	w := &e.w
	if len(e.c.Tools) > 0 {
		w.List("tools")
		for i := range e.c.Tools {
			e.encodeTool(&e.c.Tools[i])
		}
		w.EndArray()
	}
	e.encodeChoice()
	if e.c.ParallelTools != nil {
		w.Flag("parallel_tool_calls", *e.c.ParallelTools)
	}
}

// encodeTool always says whether the schema is enforced: a tool that doesn't is
// taken for strict. Source: openai-go responses/response.go, FunctionTool, read
// 2026-11-30.
func (e *encoder) encodeTool(t *chat.ToolDef) {
	w := &e.w
	w.Object()
	w.Str("type", "function")
	w.Str("name", t.Name)
	w.StrIf("description", t.Description)
	w.Key("parameters")
	if len(t.Schema) > 0 {
		w.Raw(t.Schema)
	} else {
		w.Raw(noParameters)
	}
	w.Flag("strict", t.Strict)
	w.EndObject()
}

// noParameters is the schema of a tool that takes none, in the form that
// strict wants too.
var noParameters = json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)

// encodeChoice writes the tool choice. A subset takes its place, with the choice as
// its mode, where the choice is auto, any or not stated; none and a named tool
// say all there is to say.
func (e *encoder) encodeChoice() {
	w := &e.w
	mode := e.c.Choice.Mode()
	if e.c.Allowed == nil || mode == toolchoice.ModeNone || mode == toolchoice.ModeTool {
		spelled, err := e.c.SpellChoice()
		if err != nil {
			e.fail("%w", err)
		}
		if spelled != nil {
			w.JSON("tool_choice", spelled)
		}
		return
	}
	w.Obj("tool_choice")
	w.Str("type", "allowed_tools")
	w.Key("mode")
	if mode == toolchoice.ModeAny {
		w.String("required")
	} else {
		w.String("auto")
	}
	w.List("tools")
	for _, name := range e.c.Allowed {
		w.Object()
		w.Str("type", "function")
		w.Str("name", name)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
}

// encodeFormat writes the text object, which the caller's extra members (verbosity)
// share with the answer's form.
func (e *encoder) encodeFormat() {
	f, more := e.c.Format, e.findExtra("text")
	if f == nil && more == nil {
		return
	}
	w := &e.w
	w.Obj("text")
	if f != nil {
		w.Key("format")
		e.encodeFormatObject(f)
	}
	e.spliceObject("text", more, "format")
	w.EndObject()
}

func (e *encoder) encodeFormatObject(f *wire.Format) {
	w := &e.w
	w.Object()
	defer w.EndObject()
	w.Key("type")
	if len(f.Schema) == 0 {
		w.String("json_object")
		return
	}
	w.String("json_schema")
	w.Str("name", f.Name)
	w.StrIf("description", f.Description)
	w.JSON("schema", f.Schema)
	w.Flag("strict", f.Strict)
}

// encodeThinking writes the reasoning object, which the caller's extra members
// (context, mode) share, and asks for thoughts in the form that can be said
// back. A model that doesn't think refuses to be asked for that, so it isn't
// done always. Source: openai-go, shared.Reasoning; OpenAI's guide
// "Reasoning models"; read 2026-11-30.
func (e *encoder) encodeThinking() {
	t, more := e.c.Thinking, e.findExtra("reasoning")
	if t.Type != "" || t.Budget != 0 || t.Format != "" {
		e.fail("thinking %q with a budget of %d and format %q has no place on this wire", t.Type, t.Budget, t.Format)
	}
	w := &e.w
	if t.Effort != "" || t.Display != "" || more != nil {
		w.Obj("reasoning")
		w.StrIf("effort", t.Effort)
		e.encodeDisplay(t.Display)
		e.spliceObject("reasoning", more, "effort", "summary")
		w.EndObject()
	}
	if e.canThink() {
		w.List("include")
		w.String("reasoning.encrypted_content")
		w.EndArray()
	}
}

func (e *encoder) encodeDisplay(how string) {
	switch how {
	case "summarized":
		e.w.Str("summary", "auto")
	case "", "omitted": // no summary comes unasked
	default:
		e.fail("thinking display %q has no place on this wire", how)
	}
}

func (e *encoder) canThink() bool {
	t := e.c.Thinking
	if t.Replay || t.Display == "summarized" || t.Effort != "" && t.Effort != "none" {
		return true
	}
	return t.Effort == "" && slices.ContainsFunc(e.c.Messages, hasThought)
}

func hasThought(m chat.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p chat.Part) bool {
		t, ok := p.(chat.Thinking)
		return ok && t.Signature.Kind == signReasoning
	})
}

func (e *encoder) encodeSampling() {
	c := e.c
	names := wire.Sampling{MaxTokens: "max_output_tokens", TopP: "top_p"}
	names.Write(&e.w, c)
	if len(c.Stop) > 0 {
		e.fail("stop texts have no place on this wire")
	}
	if c.Seed != nil {
		e.fail("a seed has no place on this wire")
	}
}

// encodeBookkeeping writes what doesn't touch the answer. Caching needs no marks on
// this wire, only its key.
func (e *encoder) encodeBookkeeping() {
	w, c := &e.w, e.c
	wire.WriteMetadata(w, c, "metadata")
	w.StrIf("prompt_cache_key", c.Cache.Key)
	if c.Stream {
		w.Flag("stream", true)
	}
}

// findExtra returns an extra member that shares an object of ours.
func (e *encoder) findExtra(name string) []byte {
	for _, m := range e.c.Extra {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// spliceObject writes the members of the caller's object into the one that is open,
// but for those that are ours.
func (e *encoder) spliceObject(name string, object []byte, ours ...string) {
	if object == nil {
		return
	}
	var s rawjson.Scanner
	s.Reset(object)
	if s.Kind() != rawjson.Object {
		e.fail("extra member %q is no object", name)
		return
	}
	for key := range s.Members() {
		member := string(key)
		if slices.Contains(ours, member) {
			e.fail("extra member %q of %q has a field of its own", member, name)
		}
		e.w.KeyString(member)
		e.w.Raw(s.Raw())
	}
	if s.End() != nil {
		e.fail("extra member %q is no JSON", name)
	}
}
