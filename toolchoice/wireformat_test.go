package toolchoice_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/toolchoice"
)

var allFormats = []toolchoice.WireFormat{
	toolchoice.NoTools, toolchoice.OpenAI, toolchoice.Responses, toolchoice.Anthropic, toolchoice.Gemini,
	toolchoice.Mistral, toolchoice.Cohere, toolchoice.Bedrock, toolchoice.Ollama, toolchoice.Hermes,
}

// stated are the four kinds of choice, in the order of the table below.
var stated = []toolchoice.Choice{toolchoice.Auto(), toolchoice.Any(), toolchoice.None(), toolchoice.Tool("x")}

const (
	noForm  = "no wire form"
	omitted = "" // nil and no error
)

func TestTo(t *testing.T) {
	t.Parallel()
	tests := map[toolchoice.WireFormat][4]string{ // auto, any, none, tool(x)
		toolchoice.NoTools: {noForm, noForm, noForm, noForm},
		toolchoice.OpenAI:  {`"auto"`, `"required"`, `"none"`, `{"type":"function","function":{"name":"x"}}`},
		toolchoice.Responses: {
			`"auto"`, `"required"`, `"none"`, `{"type":"function","name":"x"}`,
		},
		toolchoice.Anthropic: {
			`{"type":"auto"}`, `{"type":"any"}`, `{"type":"none"}`, `{"type":"tool","name":"x"}`,
		},
		toolchoice.Gemini: {
			`{"functionCallingConfig":{"mode":"AUTO"}}`,
			`{"functionCallingConfig":{"mode":"ANY"}}`,
			`{"functionCallingConfig":{"mode":"NONE"}}`,
			`{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["x"]}}`,
		},
		toolchoice.Mistral: {`"auto"`, `"any"`, `"none"`, `{"type":"function","function":{"name":"x"}}`},
		toolchoice.Cohere:  {omitted, `"REQUIRED"`, `"NONE"`, noForm},
		toolchoice.Bedrock: {`{"auto":{}}`, `{"any":{}}`, noForm, `{"tool":{"name":"x"}}`},
		toolchoice.Ollama:  {noForm, noForm, noForm, noForm},
		toolchoice.Hermes:  {noForm, noForm, noForm, noForm},

		toolchoice.WireFormat(200): {noForm, noForm, noForm, noForm},
	}
	if len(tests) != len(allFormats)+1 {
		t.Fatalf("%d wire formats in the table, want %d", len(tests), len(allFormats)+1)
	}
	for w, wants := range tests {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			for i, c := range stated {
				raw, err := c.To(w)
				checkTo(t, c, raw, err, wants[i])
			}
			if raw, err := (toolchoice.Choice{}).To(w); raw != nil || err != nil {
				t.Errorf("zero Choice = %s, %v; want nothing", raw, err)
			}
			for _, name := range []string{"", "\xff"} {
				if raw, err := toolchoice.Tool(name).To(w); raw != nil || !errors.Is(err, toolchoice.ErrNoName) {
					t.Errorf("Tool(%q) = %s, %v; want ErrNoName", name, raw, err)
				}
			}
		})
	}
}

func checkTo(t *testing.T, c toolchoice.Choice, raw json.RawMessage, err error, want string) {
	t.Helper()
	if want == noForm {
		if raw != nil || !errors.Is(err, toolchoice.ErrNoWireForm) || !strings.HasSuffix(err.Error(), c.String()) {
			t.Errorf("%v = %s, %v; want ErrNoWireForm", c, raw, err)
		}
		return
	}
	if err != nil || string(raw) != want || (raw == nil) != (want == omitted) {
		t.Errorf("%v = %s, %v; want %s", c, raw, err, want)
	}
}

func TestToMessage(t *testing.T) {
	t.Parallel()
	_, err := toolchoice.Tool("x").To(toolchoice.Ollama)
	if want := "toolchoice: ollama has no wire form for tool(x)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestToGivesItsOwnBytes(t *testing.T) {
	t.Parallel()
	raw, err := toolchoice.Auto().To(toolchoice.OpenAI)
	if err != nil {
		t.Fatal(err)
	}
	raw[1] = 'X'
	if again, err := toolchoice.Auto().To(toolchoice.OpenAI); err != nil || string(again) != `"auto"` {
		t.Errorf("after a change by the caller: %s, %v", again, err)
	}
}

// oddNames are tool names that invite a mistake: policy words, text that looks
// like our own forms, whatever JSON must escape.
var oddNames = []string{
	"auto", "any", "none", "required", "tool", "function", "null", "REQUIRED", "NONE", "ANY", "unset",
	"0", " ", "x ", "5", "tool(x)", "x)", ")", "(", `a"b`, `a\b`, `\ufffd`, "\uFFFD", "a\nb\t\x00\x1f\x7f", "<&>",
	"\u2028", "wetter_für_köln", "🛠", "get-weather_2", strings.Repeat("n", 300),
}

// TestNamesSurvive takes each name through every wire and back: none is ever
// taken for a policy.
func TestNamesSurvive(t *testing.T) {
	t.Parallel()
	for _, name := range oddNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			survives(t, toolchoice.Tool(name), 6)
		})
	}
}

func TestPoliciesSurvive(t *testing.T) {
	t.Parallel()
	for c, wires := range map[toolchoice.Choice]int{
		toolchoice.Auto(): 6, toolchoice.Any(): 7, toolchoice.None(): 6, {}: 0,
	} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			survives(t, c, wires)
		})
	}
}

// survives takes c through every wire that can spell it, of which there are
// wires, and through JSON and text.
func survives(t *testing.T, c toolchoice.Choice, wires int) {
	t.Helper()
	for _, w := range allFormats {
		raw, err := c.To(w)
		if errors.Is(err, toolchoice.ErrNoWireForm) || err == nil && raw == nil {
			continue
		}
		wires--
		if err != nil {
			t.Errorf("%v on %v: %v", c, w, err)
		} else if back, err := toolchoice.Parse(raw); err != nil || back != c {
			t.Errorf("%v on %v = %s, back as %v, %v", c, w, raw, back, err)
		}
	}
	if wires != 0 {
		t.Errorf("%v: %d wires fewer than expected could spell it", c, wires)
	}
	var fromJSON, fromText toolchoice.Choice
	data, err := json.Marshal(c)
	if err != nil || json.Unmarshal(data, &fromJSON) != nil || fromJSON != c {
		t.Errorf("%v through JSON %s = %v, %v", c, data, fromJSON, err)
	}
	text, err := c.MarshalText()
	if err != nil || fromText.UnmarshalText(text) != nil || fromText != c {
		t.Errorf("%v through text %s = %v, %v", c, text, fromText, err)
	}
}

func BenchmarkToNamed(b *testing.B) {
	c := toolchoice.Tool("get_weather")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.To(toolchoice.OpenAI); err != nil {
			b.Fatal(err)
		}
	}
}
