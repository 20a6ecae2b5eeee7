package openaichat

import (
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// message reads a message or a delta: they have the same members.
func (d *decoder) message(s *rawjson.Scanner, a *wire.Assembly) {
	thought := false // some servers send the thought under both names
	var details []byte
	for key := range s.Members() {
		switch string(key) {
		case "content":
			d.content(s, a)
		case "refusal":
			refuse(a, text(s))
		case "reasoning_content":
			if b := text(s); len(b) > 0 && !thought {
				thought = true
				a.Think(thoughtSlot, b)
				a.Sign(thoughtSlot, signReasoning, nil)
			}
		case "reasoning":
			if b := text(s); len(b) > 0 && !thought {
				thought = true
				a.Think(thoughtSlot, b)
			}
		case "reasoning_details":
			details = s.Raw()
		case "tool_calls":
			d.toolCalls(s, a)
		case "function_call":
			d.functionCall(s, a)
		}
	}
	if s.Err() == nil {
		d.details(details, a, !thought)
	}
}

// content is a string, null, or a list of parts (Mistral's models that think).
// Source: docs.mistral.ai, "Reasoning", read 2026-11-30.
func (d *decoder) content(s *rawjson.Scanner, a *wire.Assembly) {
	if s.Kind() != rawjson.Array {
		if b := text(s); len(b) > 0 {
			a.Text(textSlot, b)
		}
		return
	}
	for range s.Elems() {
		if s.Kind() != rawjson.Object {
			a.Text(textSlot, text(s))
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "text":
				a.Text(textSlot, text(s))
			case "thinking":
				thinking(s, a)
			case "refusal":
				refuse(a, text(s))
			}
		}
	}
}

// thinking is a string or a list of text parts.
func thinking(s *rawjson.Scanner, a *wire.Assembly) {
	if s.Kind() != rawjson.Array {
		a.Think(thoughtSlot, text(s))
		return
	}
	for range s.Elems() {
		for key := range s.Members() {
			if string(key) == "text" {
				a.Think(thoughtSlot, text(s))
			}
		}
	}
}

// refuse takes the text of a refusal, which comes instead of content.
func refuse(a *wire.Assembly, b []byte) {
	if len(b) > 0 {
		a.Refused = true
		a.Text(textSlot, b)
	}
}

func (d *decoder) toolCalls(s *rawjson.Scanner, a *wire.Assembly) {
	for n := range s.Elems() {
		c := readCall(s)
		if s.Err() != nil {
			return
		}
		key := wire.CallKey{Index: int(c.index), HasIndex: c.hasIndex, Sibling: n > 0}
		if d.whole { // every element is a call, whatever its index says
			key.Index, key.HasIndex = n, true
		}
		d.call(&c, key, a)
	}
}

// functionCall reads the single call of the API as it was before tools.
func (d *decoder) functionCall(s *rawjson.Scanner, a *wire.Assembly) {
	var c toolCall
	if c.readFunction(s); s.Err() == nil && (c.name != nil || c.arguments != nil) {
		d.call(&c, wire.CallKey{Index: -1, HasIndex: true}, a)
	}
}

func (d *decoder) call(c *toolCall, key wire.CallKey, a *wire.Assembly) {
	args := wire.Unquote(&d.arg, c.arguments)
	key.ID, key.Name, key.Empty = wire.Unquote(&d.id, c.id), wire.Unquote(&d.name, c.name), len(args) == 0
	slot := a.CallSlot(key)
	if c.custom {
		a.Sign(slot, signCustom, nil)
	}
	a.Args(slot, args)
	if sig := wire.Unquote(&d.arg, c.signature); len(sig) > 0 {
		a.Sign(slot, signThought, sig)
	}
}
