package bedrockconverse

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

func (e *encoder) encodeTools() {
	w, c := &e.w, e.c
	if len(c.Tools) == 0 {
		return
	}
	w.Obj("toolConfig")
	w.List("tools")
	for i := range c.Tools {
		e.encodeTool(&c.Tools[i])
	}
	if c.Cache.Tools {
		encodeCachePoint(w, c.Cache.TTL)
	}
	w.EndArray()
	if !e.isSerial() {
		e.encodeChoice()
	}
	w.EndObject()
}

func (e *encoder) encodeChoice() {
	choice, err := e.c.SpellChoice()
	if err != nil {
		e.fail("%w", err)
	}
	if choice != nil {
		e.w.JSON("toolChoice", choice)
	}
}

func (e *encoder) encodeTool(t *chat.ToolDef) {
	w := &e.w
	w.Object()
	w.Obj("toolSpec")
	w.Str("name", t.Name)
	e.encodeUnlessBlank("description", t.Description)
	w.Obj("inputSchema")
	w.JSON("json", wire.Parameters(t))
	w.EndObject()
	if t.Strict {
		w.Flag("strict", true)
	}
	w.EndObject()
	w.EndObject()
}

// isSerial reports whether several calls are forbidden. The dialect has no word
// for that, but Claude takes its own tool choice among the additional fields,
// in place of the dialect's. Source: vercel/ai packages/amazon-bedrock,
// prepare-tools, read 2026-11-30.
func (e *encoder) isSerial() bool {
	return len(e.c.Tools) > 0 && e.c.ParallelTools != nil && !*e.c.ParallelTools
}

// encodeAdditional writes the settings that are the model's own: Claude's thinking,
// its tool choice where calls are to come one by one, and what the caller
// added.
func (e *encoder) encodeAdditional() {
	w := &e.w
	extra := e.findExtraFields()
	if e.c.Thinking.Type == "" && !e.isSerial() && len(extra) == 0 {
		return
	}
	w.Obj(additionalFields)
	e.encodeThinking()
	e.encodeSerialChoice()
	e.joinObject(extra)
	w.EndObject()
}

func (e *encoder) findExtraFields() []byte {
	for _, m := range e.c.Extra {
		if m.Name == additionalFields {
			return m.Value
		}
	}
	return nil
}

// joinObject writes the members of an object into the one being written. Those that
// the planner decides on aren't the caller's to set.
func (e *encoder) joinObject(object []byte) {
	if len(object) == 0 {
		return
	}
	var s rawjson.Scanner
	s.Reset(object)
	if s.Kind() != rawjson.Object {
		e.fail("%s is no object", additionalFields)
		return
	}
	for key := range s.Members() {
		switch name := string(key); name {
		case "thinking", "tool_choice":
			e.fail("%s.%s: set Thinking, ToolChoice or ParallelTools instead", additionalFields, name)
		default:
			e.w.KeyString(name)
			e.w.Raw(s.Raw())
		}
	}
	if err := s.End(); err != nil {
		e.fail("%s: %w", additionalFields, err)
	}
}

func (e *encoder) encodeThinking() {
	w, t := &e.w, &e.c.Thinking
	if t.Type == "" {
		return
	}
	w.Obj("thinking")
	w.Str("type", t.Type)
	w.NumIf("budget_tokens", t.Budget)
	e.encodeUnlessBlank("display", t.Display)
	w.EndObject()
}

func (e *encoder) encodeSerialChoice() {
	if !e.isSerial() {
		return
	}
	choice := e.c.Choice
	if choice.IsZero() {
		choice = toolchoice.Auto()
	}
	raw, err := choice.To(toolchoice.Anthropic)
	if err != nil {
		e.fail("%w", err)
		return
	}
	e.w.Key("tool_choice")
	e.w.Raw(raw[:len(raw)-1]) // without the brace
	e.w.Flag("disable_parallel_tool_use", true)
	e.w.EndObject()
}
