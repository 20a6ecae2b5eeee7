package toolchoice_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/toolchoice"
)

// FuzzParse feeds the same input as JSON text, as a Go string and as a decoded
// value. Whatever is accepted must come back unchanged from every wire that
// can spell it, from JSON and from text.
func FuzzParse(f *testing.F) {
	for _, v := range loadVectors(f).Vectors {
		f.Add([]byte(v.Input))
	}
	for _, seed := range []string{
		"auto", "REQUIRED", `{"tool":{"name":"x"}}`, `{"mode":"ANY","allowed_function_names":["\u0000"]}`,
		`{"type":"tool","name":"\ud800"}`, "{\"type\":\"tool\",\"name\":\"\xff\"}", `{"type":"any","type":"none"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		inputs := []any{data, json.RawMessage(data), string(data)}
		var v any
		if json.Unmarshal(data, &v) == nil {
			inputs = append(inputs, v)
		}
		for _, in := range inputs {
			checkInput(t, in)
		}
		var c toolchoice.Choice
		if c.UnmarshalText(data) == nil {
			checkAccepted(t, c)
		}
		if name := string(data); name != "" && utf8.ValidString(name) {
			checkAccepted(t, toolchoice.Tool(name))
		}
	})
}

func checkInput(t *testing.T, in any) {
	t.Helper()
	c, err := toolchoice.Parse(in)
	if err != nil {
		if !c.IsZero() {
			t.Errorf("%v beside the error %v", c, err)
		}
	} else {
		if c.IsZero() {
			t.Error("the zero Choice without an error")
		}
		checkAccepted(t, c)
	}
	if c, ok := toolchoice.Lenient(in); ok {
		if c.Err() != nil {
			t.Errorf("Lenient made a choice that can't be used: %v", c.Err())
		}
		checkAccepted(t, c)
	}
}

func checkAccepted(t *testing.T, c toolchoice.Choice) {
	t.Helper()
	switch c.Mode() {
	case toolchoice.Unset:
		survives(t, c, 0)
	case toolchoice.ModeAny:
		survives(t, c, 7)
	case toolchoice.ModeAuto, toolchoice.ModeNone, toolchoice.ModeTool:
		survives(t, c, 6)
	}
}
