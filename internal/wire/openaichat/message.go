package openaichat

import (
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// decodeMessage reads a message or a delta: they have the same members.
func (d *decoder) decodeMessage(s *rawjson.Scanner, a *wire.Assembly) {
	thought := false // some servers send the thought under both names
	var details []byte
	for key := range s.Members() {
		switch string(key) {
		case "content":
			d.decodeContent(s, a)
		case "refusal":
			decodeRefusal(a, readText(s))
		case "reasoning_content":
			if b := readText(s); len(b) > 0 && !thought {
				thought = true
				a.Think(thoughtSlot, b)
				a.Sign(thoughtSlot, signReasoning, nil)
			}
		case "reasoning":
			if b := readText(s); len(b) > 0 && !thought {
				thought = true
				a.Think(thoughtSlot, b)
			}
		case "reasoning_details":
			details = s.Raw()
		case "tool_calls":
			d.decodeCalls(s, a)
		case "function_call":
			d.decodeFunctionCall(s, a)
		}
	}
	if s.Err() == nil {
		d.decodeDetails(details, a, !thought)
	}
}

// decodeContent reads a string, null, or a list of parts (Mistral's models that think).
// Source: docs.mistral.ai, "Reasoning", read 2026-11-30.
func (d *decoder) decodeContent(s *rawjson.Scanner, a *wire.Assembly) {
	if s.Kind() != rawjson.Array {
		if b := readText(s); len(b) > 0 {
			a.Text(textSlot, b)
		}
		return
	}
	for range s.Elems() {
		if s.Kind() != rawjson.Object {
			a.Text(textSlot, readText(s))
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "text":
				a.Text(textSlot, readText(s))
			case "thinking":
				decodeThinking(s, a)
			case "refusal":
				decodeRefusal(a, readText(s))
			}
		}
	}
}

func decodeThinking(s *rawjson.Scanner, a *wire.Assembly) {
	if s.Kind() != rawjson.Array {
		a.Think(thoughtSlot, readText(s))
		return
	}
	for range s.Elems() {
		for key := range s.Members() {
			if string(key) == "text" {
				a.Think(thoughtSlot, readText(s))
			}
		}
	}
}

// decodeRefusal takes the text of a refusal, which comes instead of content.
func decodeRefusal(a *wire.Assembly, b []byte) {
	if len(b) > 0 {
		a.Refused = true
		a.Text(textSlot, b)
	}
}

func (d *decoder) decodeCalls(s *rawjson.Scanner, a *wire.Assembly) {
	for n := range s.Elems() {
		c := readCall(s)
		if s.Err() != nil {
			return
		}
		key := wire.CallKey{Index: int(c.index), HasIndex: c.hasIndex, Sibling: n > 0}
		if d.whole { // every element is a call, whatever its index says
			key.Index, key.HasIndex = n, true
		}
		d.decodeCall(&c, key, a)
	}
}

// decodeFunctionCall reads the single call of the API as it was before tools.
func (d *decoder) decodeFunctionCall(s *rawjson.Scanner, a *wire.Assembly) {
	var c toolCall
	if c.readFunction(s); s.Err() == nil && (c.name != nil || c.arguments != nil) {
		d.decodeCall(&c, wire.CallKey{Index: -1, HasIndex: true}, a)
	}
}

func (d *decoder) decodeCall(c *toolCall, key wire.CallKey, a *wire.Assembly) {
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
