package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

func (e *encoder) tools() {
	w, c := &e.w, e.call
	if len(c.Tools) == 0 {
		return
	}
	w.Key("tools")
	w.Array()
	w.Object()
	w.Key("functionDeclarations")
	w.Array()
	for i := range c.Tools {
		e.tool(&c.Tools[i])
	}
	w.EndArray()
	w.EndObject()
	w.EndArray()
}

// tool writes a declaration; one without parameters takes none.
func (e *encoder) tool(t *chat.ToolDef) {
	w := &e.w
	w.Object()
	w.Key("name")
	w.String(t.Name)
	if t.Description != "" {
		w.Key("description")
		w.String(t.Description)
	}
	if len(t.Schema) > 0 {
		if e.call.Quirks.OpenAPISchemas {
			w.Key("parameters")
		} else {
			w.Key("parametersJsonSchema")
		}
		w.Raw(t.Schema)
	}
	w.EndObject()
}

// The modes that matter here. VALIDATED is AUTO whose calls are held to their
// schemas, and may be held to some of the tools. Source: go-genai types.go,
// FunctionCallingConfigMode, read 2026-11-30.
const (
	modeAuto      = "AUTO"
	modeAny       = "ANY"
	modeValidated = "VALIDATED"
)

// toolConfig writes the choice: as it was spelled, unless it has to say more.
func (e *encoder) toolConfig() error {
	w, choice := &e.w, bytes.TrimSpace(e.call.Choice)
	mode, allowed, err := e.mode(choice)
	if err != nil {
		return err
	}
	before := e.w
	w.Key("toolConfig")
	start := len(w.Buf)
	switch {
	case mode != "":
		w.Object()
		w.Key("functionCallingConfig")
		w.Object()
		w.Key("mode")
		w.String(mode)
		if allowed != nil {
			w.Key("allowedFunctionNames")
			wire.WriteStrings(w, allowed)
		}
		w.EndObject()
	case len(choice) > 0:
		w.Raw(choice[:len(choice)-1]) // without the brace
	default:
		w.Object()
	}
	e.extras(toolConfig)
	if len(w.Buf) == start+1 { // the brace alone
		e.w = before
		return nil
	}
	w.EndObject()
	return nil
}

// mode is the mode to send in the place of the choice's own, and the names to
// send beside it; "" leaves the choice as it is. Strict tools and a subset of
// the tools are asked for by mode.
func (e *encoder) mode(choice json.RawMessage) (mode string, allowed []string, err error) {
	c := e.call
	mode, named, err := readChoice(choice)
	switch {
	case err != nil || named || len(c.Tools) == 0:
		return "", nil, err
	case mode == "" || mode == modeAuto:
		if c.Allowed != nil || e.strict() {
			return modeValidated, c.Allowed, nil
		}
	case mode == modeAny && c.Allowed != nil:
		return modeAny, c.Allowed, nil
	}
	return "", nil, nil
}

func (e *encoder) strict() bool {
	for i := range e.call.Tools {
		if e.call.Tools[i].Strict {
			return true
		}
	}
	return false
}

// readChoice reads the mode of a spelled choice, "" if there is no choice, and
// whether it names tools.
func readChoice(choice json.RawMessage) (mode string, named bool, err error) {
	if len(choice) == 0 {
		return "", false, nil
	}
	var s rawjson.Scanner
	s.Reset(choice)
	for key, ok := enter(&s); ok; key, ok = s.NextKey() {
		if string(key) != "functionCallingConfig" {
			s.Skip()
			continue
		}
		for key, ok := enter(&s); ok; key, ok = s.NextKey() {
			switch string(key) {
			case "mode":
				mode = s.Text()
			case "allowedFunctionNames":
				named = true
				s.Skip()
			default:
				s.Skip()
			}
		}
	}
	if err := s.End(); err != nil {
		return "", false, fmt.Errorf("gemini: tool choice: %w", err)
	}
	if mode == "" {
		return "", false, errors.New("gemini: tool choice: no mode in it")
	}
	return mode, named, nil
}

// enter steps into an object, to its first key.
func enter(s *rawjson.Scanner) (key []byte, ok bool) {
	if !s.EnterObject() {
		return nil, false
	}
	return s.NextKey()
}
