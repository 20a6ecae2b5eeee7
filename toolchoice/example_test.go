package toolchoice_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sabir-go/sabir/toolchoice"
)

func ExampleChoice_To() {
	c := toolchoice.Tool("place")
	for _, w := range []toolchoice.WireFormat{toolchoice.OpenAI, toolchoice.Anthropic, toolchoice.Gemini} {
		raw, err := c.To(w)
		fmt.Println(w, string(raw), err)
	}
	_, err := c.To(toolchoice.Ollama)
	fmt.Println(errors.Is(err, toolchoice.ErrNoWireForm), err)
	// Output:
	// openai {"type":"function","function":{"name":"place"}} <nil>
	// anthropic {"type":"tool","name":"place"} <nil>
	// gemini {"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["place"]}} <nil>
	// true toolchoice: ollama has no wire form for tool(place)
}

func ExampleParse() {
	for _, in := range []any{
		"required",
		map[string]any{"type": "function", "function": map[string]any{"name": "place"}},
		json.RawMessage(`{"functionCallingConfig":{"mode":"NONE"}}`),
		json.RawMessage(`{"type":"tool"}`),
	} {
		fmt.Println(toolchoice.Parse(in))
	}
	// Output:
	// any <nil>
	// tool(place) <nil>
	// none <nil>
	// unset toolchoice: tool() names no tool
}

func ExampleLenient() {
	fmt.Println(toolchoice.Lenient(json.RawMessage(`{"type":"tool"}`)))
	fmt.Println(toolchoice.Lenient("sometimes"))
	// Output:
	// auto true
	// unset false
}

func ExampleChoice_MarshalJSON() {
	data, err := json.Marshal([]toolchoice.Choice{toolchoice.Tool("place"), toolchoice.Any(), {}})
	fmt.Println(string(data), err)
	// Output: [{"type":"tool","name":"place"},{"type":"any"},null] <nil>
}
