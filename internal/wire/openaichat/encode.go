package openaichat

import (
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

const endpoint = "/chat/completions"

// encoder writes one request.
type encoder struct {
	w   rawjson.Writer
	c   *wire.Call
	q   wire.Quirks
	ids wire.ToolIDs
	err error // the first thing that the wire can't carry
}

// EncodeRequest spells a call. Member order follows OpenAI's reference, with
// what stays the same from call to call (model, messages so far, tools) first.
// Source: openai-openapi 2.3.0, openai-go chatcompletion.go, read 2026-11-30.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	e := &encoder{c: &c, q: withDefaults(c.Quirks)}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	if c.Quirks.ShortToolIDs {
		e.ids = wire.NewToolIDs(c.Messages, true)
	}
	e.encodeRequest()
	if e.err != nil {
		return wire.Encoded{}, fmt.Errorf("openai-chat: encode: %w", e.err)
	}
	return wire.Encoded{Path: endpoint, Body: e.w.Buf}, nil
}

func withDefaults(q wire.Quirks) wire.Quirks {
	if q.MaxTokensKey == "" {
		q.MaxTokensKey = "max_completion_tokens"
	}
	if q.SystemRole == "" {
		q.SystemRole = "system"
	}
	if q.SeedKey == "" {
		q.SeedKey = "seed"
	}
	return q
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
	e.encodeMessages()
	e.encodeTools()
	e.encodeFormat()
	e.encodeThinking()
	e.encodeSampling()
	e.encodeBookkeeping()
	wire.WriteExtra(w, e.c.Extra)
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

func (e *encoder) encodeTool(t *chat.ToolDef) {
	w := &e.w
	w.Object()
	w.Str("type", "function")
	w.Obj("function")
	w.Str("name", t.Name)
	w.StrIf("description", t.Description)
	w.JSON("parameters", wire.Parameters(t)) // OpenAI lets it be left out, others don't
	if t.Strict {
		w.Flag("strict", true)
	}
	w.EndObject()
	w.EndObject()
}

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
	w.Obj("allowed_tools")
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
		w.Obj("function")
		w.Str("name", name)
		w.EndObject()
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	w.EndObject()
}

func (e *encoder) encodeFormat() {
	f := e.c.Format
	if f == nil {
		return
	}
	w := &e.w
	w.Obj("response_format")
	defer w.EndObject()
	w.Key("type")
	if len(f.Schema) == 0 {
		w.String("json_object")
		return
	}
	w.String("json_schema")
	w.Obj("json_schema")
	w.Str("name", f.Name)
	w.StrIf("description", f.Description)
	w.JSON("schema", f.Schema)
	if f.Strict {
		w.Flag("strict", true)
	}
	w.EndObject()
}

// encodeThinking writes the effort, the thinking object of DeepSeek, GLM and Kimi,
// and Groq's reasoning_format. Sources: api-docs.deepseek.com; docs.z.ai;
// console.groq.com/docs/reasoning; all read 2026-11-30.
func (e *encoder) encodeThinking() {
	w, t := &e.w, e.c.Thinking
	if t.Display != "" {
		e.fail("thinking display %q has no place on this wire", t.Display)
	}
	w.StrIf("reasoning_effort", t.Effort)
	w.StrIf("reasoning_format", t.Format)
	if t.Type == "" && t.Budget == 0 {
		return
	}
	if !e.q.ThinkingObject {
		e.fail("thinking %q with a budget of %d has no place on this wire", t.Type, t.Budget)
	}
	w.Obj("thinking")
	w.StrIf("type", t.Type)
	w.NumIf("budget_tokens", t.Budget)
	w.EndObject()
}

func (e *encoder) encodeSampling() {
	names := wire.Sampling{MaxTokens: e.q.MaxTokensKey, TopP: "top_p", Stop: "stop", Seed: e.q.SeedKey}
	names.Write(&e.w, e.c)
}

// encodeBookkeeping writes what doesn't touch the answer. Caching needs no marks on
// this wire, only its key.
func (e *encoder) encodeBookkeeping() {
	w, c := &e.w, e.c
	wire.WriteMetadata(w, c, "metadata")
	w.StrIf("prompt_cache_key", c.Cache.Key)
	if !c.Stream {
		return
	}
	w.Flag("stream", true)
	if !e.q.NoStreamOptions {
		w.Obj("stream_options")
		w.Flag("include_usage", true)
		w.EndObject()
	}
}
