package gemini

import (
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

func (e *encoder) encodeTools() {
	w, c := &e.w, e.call
	if len(c.Tools) == 0 {
		return
	}
	w.List("tools")
	w.Object()
	w.List("functionDeclarations")
	for i := range c.Tools {
		e.encodeTool(&c.Tools[i])
	}
	w.EndArray()
	w.EndObject()
	w.EndArray()
}

// encodeTool writes a declaration; one without parameters takes none.
func (e *encoder) encodeTool(t *chat.ToolDef) {
	w := &e.w
	w.Object()
	w.Str("name", t.Name)
	w.StrIf("description", t.Description)
	if len(t.Schema) > 0 {
		w.JSON("parametersJsonSchema", t.Schema)
	}
	w.EndObject()
}

// The modes that matter here. VALIDATED is AUTO whose calls are held to their
// schemas, and may be held to some of the tools. Source: go-genai types.go,
// FunctionCallingConfigMode, read 2026-11-30.
const (
	modeAny       = "ANY"
	modeValidated = "VALIDATED"
)

// encodeChoice writes the choice: as it was spelled, unless it has to say more.
func (e *encoder) encodeChoice() error {
	w := &e.w
	choice, err := e.call.SpellChoice()
	if err != nil {
		return fmt.Errorf("gemini: %w", err)
	}
	mode, allowed := e.chooseMode()
	before := e.w
	w.Key("toolConfig")
	start := len(w.Buf)
	switch {
	case mode != "":
		w.Object()
		w.Obj("functionCallingConfig")
		w.Str("mode", mode)
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
	e.encodeExtras(toolConfig)
	if len(w.Buf) == start+1 { // the brace alone
		e.w = before
		return nil
	}
	w.EndObject()
	return nil
}

// chooseMode returns the mode to send in the place of the choice's own, and the names to
// send beside it; "" leaves the choice as it is. Strict tools and a subset of
// the tools are asked for by mode.
func (e *encoder) chooseMode() (mode string, allowed []string) {
	c := e.call
	if len(c.Tools) == 0 {
		return "", nil
	}
	switch c.Choice.Mode() {
	case toolchoice.Unset, toolchoice.ModeAuto:
		if c.Allowed != nil || e.hasStrictTool() {
			return modeValidated, c.Allowed
		}
	case toolchoice.ModeAny:
		if c.Allowed != nil {
			return modeAny, c.Allowed
		}
	case toolchoice.ModeNone, toolchoice.ModeTool:
	}
	return "", nil
}

func (e *encoder) hasStrictTool() bool {
	for i := range e.call.Tools {
		if e.call.Tools[i].Strict {
			return true
		}
	}
	return false
}
