package toolchoice_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/toolchoice"
)

// TestParseShapes covers what the vectors don't: they know no Gemini, Bedrock
// and Cohere shapes, no duplicates and no bytes that aren't text.
func TestParseShapes(t *testing.T) {
	t.Parallel()
	unknown, noName := toolchoice.ErrUnknown, toolchoice.ErrNoName
	var unset toolchoice.Choice
	tests := []struct {
		name, in string
		want     toolchoice.Choice
		err      error
	}{
		{"gemini snake case", `{"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["x"]}}}`, toolchoice.Tool("x"), nil},
		{"gemini beside other settings", `{"toolConfig":{"retrievalConfig":{},"functionCallingConfig":{"mode":"NONE"}}}`, toolchoice.None(), nil},
		{"gemini inner with a name", `{"mode":"ANY","allowedFunctionNames":["auto"]}`, toolchoice.Tool("auto"), nil},
		{"gemini no names", `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[]}}`, toolchoice.Any(), nil},
		{"gemini null names", `{"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":null}}`, toolchoice.Auto(), nil},
		{"gemini none ignores names", `{"functionCallingConfig":{"mode":"NONE","allowedFunctionNames":["a","b"]}}`, toolchoice.None(), nil},
		{"gemini subset", `{"mode":"ANY","allowedFunctionNames":["a","b"]}`, unset, unknown},
		{"gemini subset left to the model", `{"mode":"AUTO","allowedFunctionNames":["a"]}`, unset, unknown},
		{"gemini validated", `{"mode":"VALIDATED","allowedFunctionNames":["a"]}`, unset, unknown},
		{"gemini unspecified", `{"mode":"MODE_UNSPECIFIED"}`, unset, unknown},
		{"gemini case", `{"mode":"any"}`, unset, unknown},
		{"gemini enum number", `{"mode":2}`, unset, unknown},
		{"gemini no mode", `{"functionCallingConfig":{"allowedFunctionNames":["a"]}}`, unset, unknown},
		{"gemini empty config", `{"toolConfig":{}}`, unset, unknown},
		{"gemini config is a word", `{"functionCallingConfig":"ANY"}`, unset, unknown},
		{"gemini inner config is a list", `{"toolConfig":{"functionCallingConfig":[]}}`, unset, unknown},
		{"gemini empty name", `{"mode":"ANY","allowedFunctionNames":[""]}`, unset, noName},
		{"gemini null name", `{"mode":"ANY","allowedFunctionNames":[null]}`, unset, noName},
		{"gemini name is a number", `{"mode":"ANY","allowedFunctionNames":[5]}`, unset, unknown},
		{"gemini names are a word", `{"mode":"ANY","allowedFunctionNames":"x"}`, unset, unknown},
		{"gemini names in both cases", `{"mode":"ANY","allowedFunctionNames":["x"],"allowed_function_names":["y"]}`, unset, unknown},
		{"gemini configs in both cases", `{"toolConfig":{"functionCallingConfig":{"mode":"ANY"},"function_calling_config":{"mode":"NONE"}}}`, unset, unknown},

		{"bedrock null members", `{"auto":null,"any":{},"tool":null}`, toolchoice.Any(), nil},
		{"bedrock policy word as name", `{"tool":{"name":"any"}}`, toolchoice.Tool("any"), nil},
		{"bedrock two members", `{"auto":{},"any":{}}`, unset, unknown},
		{"bedrock no name", `{"tool":{}}`, unset, noName},
		{"bedrock tool is a word", `{"tool":"x"}`, unset, unknown},
		{"bedrock any is true", `{"any":true}`, unset, unknown},
		{"bedrock beside gemini", `{"any":{},"mode":"NONE"}`, unset, unknown},

		{"cohere required", `"REQUIRED"`, toolchoice.Any(), nil},
		{"cohere none", `"NONE"`, toolchoice.None(), nil},
		{"cohere word as a type", `{"type":"REQUIRED"}`, unset, unknown},

		{"type null beside mode", `{"type":null,"mode":"ANY"}`, unset, unknown},
		{"type unknown beside mode", `{"type":"x","mode":"ANY"}`, unset, unknown},
		{"keys in other case", `{"Type":"tool","Name":"x"}`, unset, unknown},
		{"name in other case", `{"type":"tool","Name":"x"}`, unset, noName},
		{"name in both cases", `{"type":"tool","Name":"y","name":"x","NAME":"z"}`, toolchoice.Tool("x"), nil},
		{"type twice", `{"type":"none","type":"any"}`, unset, unknown},
		{"name twice", `{"type":"tool","name":"x","name":"y"}`, unset, unknown},
		{"function name twice", `{"type":"function","function":{"name":"x","name":"y"}}`, unset, unknown},
		{"escaped key", `{"\u0074ype":"any"}`, toolchoice.Any(), nil},
		{"escaped name", `{"type":"tool","name":"k\u00f6ln"}`, toolchoice.Tool("köln"), nil},
		{"surrogate pair", `{"type":"tool","name":"\ud83d\udee0"}`, toolchoice.Tool("🛠"), nil},
		{"half a surrogate pair", `{"type":"tool","name":"x\ud83d"}`, unset, unknown},
		{"bytes that aren't text", "{\"type\":\"tool\",\"name\":\"\xff\"}", unset, unknown},
		{"nothing", ``, unset, unknown},
		{"spaces", ` `, unset, unknown},
		{"cut", `{"type":"auto"`, unset, unknown},
		{"two values", `"auto" "none"`, unset, unknown},
		{"byte order mark", "\ufeff\"auto\"", unset, unknown},
		{"text form", `"tool(x)"`, unset, unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := toolchoice.Parse(json.RawMessage(tt.in))
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Parse(%s) = %v, %v; want %v, %v", tt.in, got, err, tt.want, tt.err)
			}
		})
	}
}

type typedWord string

type sdkChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type loop struct{ Next *loop }

func TestParseGoValues(t *testing.T) {
	t.Parallel()
	x := toolchoice.Tool("x")
	cycle := &loop{}
	cycle.Next = cycle
	tests := []struct {
		name string
		in   any
		want toolchoice.Choice
		err  error
	}{
		{"a choice", x, x, nil},
		{"a pointer to a choice", &x, x, nil},
		{"the zero choice", toolchoice.Choice{}, toolchoice.Choice{}, nil},
		{"no pointer", (*toolchoice.Choice)(nil), toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"nil", nil, toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"a typed string", typedWord("required"), toolchoice.Any(), nil},
		{"a struct", sdkChoice{"tool", "x"}, x, nil},
		{"a pointer to a struct", &sdkChoice{Type: "none"}, toolchoice.None(), nil},
		{"a struct without a name", sdkChoice{Type: "tool"}, toolchoice.Choice{}, toolchoice.ErrNoName},
		{"a map of strings", map[string]string{"type": "tool", "name": "x"}, x, nil},
		{"a map of maps", map[string]any{"type": "function", "function": map[string]string{"name": "x"}}, x, nil},
		{"a map with raw JSON", map[string]json.RawMessage{"tool": json.RawMessage(`{"name":"x"}`)}, x, nil},
		{"a map with characters that JSON escapes", map[string]any{"type": "tool", "name": "<\u2028\uFFFD>"}, toolchoice.Tool("<\u2028\uFFFD>"), nil},
		{"a map with bytes that aren't text", map[string]any{"type": "tool", "name": "\xff"}, toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"a word that isn't text", "\xff", toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"a number", 5, toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"a channel", make(chan int), toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"a map that can't be JSON", map[string]any{"type": func() {}}, toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"a cycle", cycle, toolchoice.Choice{}, toolchoice.ErrUnknown},
		{"no JSON at all", json.RawMessage(nil), toolchoice.Choice{}, toolchoice.ErrUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := toolchoice.Parse(tt.in); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Parse = %v, %v; want %v, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

// TestParseMessages keeps the reasons readable and the quotes short.
func TestParseMessages(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"word", `"AUTO"`, `toolchoice: not a tool choice: the word "AUTO"`},
		{"type", `{"type":5}`, `toolchoice: not a tool choice: the type is a number, not a string`},
		{"name", `{"type":"tool","name":["x"]}`, `toolchoice: not a tool choice: the tool's name is an array, not a string`},
		{"nameless", `{"type":"tool"}`, `toolchoice: tool() names no tool`},
		{"null", `null`, `toolchoice: not a tool choice: null, not a word or an object`},
		{"boolean", `true`, `toolchoice: not a tool choice: a boolean, not a word or an object`},
		{"subset", `{"type":"allowed_tools"}`, `toolchoice: not a tool choice: a subset of the tools; a request has AllowedTools for that`},
		{"long", `"` + strings.Repeat("é", 5000) + `"`, `toolchoice: not a tool choice: the word "` + strings.Repeat("é", 40) + `"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := toolchoice.Parse([]byte(tt.in)); err == nil || err.Error() != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestParseDeepAndLong(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"open braces":   strings.Repeat("{", 1<<20),
		"open lists":    strings.Repeat("[", 1<<20),
		"nested wraps":  strings.Repeat(`{"toolConfig":`, 5000) + "1" + strings.Repeat("}", 5000),
		"nested beside": `{"type":"x","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := toolchoice.Parse([]byte(in)); !errors.Is(err, toolchoice.ErrUnknown) {
				t.Errorf("err = %v, want ErrUnknown", err)
			}
			if _, ok := toolchoice.Lenient([]byte(in)); ok {
				t.Error("Lenient takes it")
			}
		})
	}
}

func TestLenientGoValues(t *testing.T) {
	t.Parallel()
	c := toolchoice.Any()
	tests := []struct {
		name string
		in   any
		want toolchoice.Choice
		ok   bool
	}{
		{"a choice is no input", c, toolchoice.Choice{}, false},
		{"nor is a pointer to one", &c, toolchoice.Choice{}, false},
		{"nil", nil, toolchoice.Choice{}, false},
		{"the last of two wins", []byte(`{"type":"none","type":"any"}`), toolchoice.Any(), true},
		{"a map", map[string]any{"type": "tool", "name": 7}, toolchoice.Tool("7"), true},
		{"a number keeps its spelling", []byte(`{"type":"tool","name":1.50}`), toolchoice.Tool("1.50"), true},
		{"a channel", make(chan int), toolchoice.Choice{}, false},
		{"cut JSON", []byte(`{"type":"auto"`), toolchoice.Choice{}, false},
		{"a cut word", []byte(`"auto`), toolchoice.Choice{}, false},
		{"no JSON at all", json.RawMessage(nil), toolchoice.Choice{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := toolchoice.Lenient(tt.in); got != tt.want || ok != tt.ok {
				t.Errorf("Lenient = %v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
