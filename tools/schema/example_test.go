package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/sabir-go/sabir/tools/schema"
)

func ExampleFor() {
	type place struct {
		Name string  `json:"name" jsonschema:"what it is called"`
		Kind string  `json:"kind" enum:"town,river"`
		Near []place `json:"near,omitempty"`
	}
	raw, err := schema.For[place]()
	fmt.Println(string(raw), err)
	// Output: {"type":"object","properties":{"name":{"type":"string","description":"what it is called"},"kind":{"type":"string","enum":["town","river"]},"near":{"type":"array","items":{"$ref":"#/$defs/place"}}},"$defs":{"place":{"type":"object","properties":{"name":{"type":"string","description":"what it is called"},"kind":{"type":"string","enum":["town","river"]},"near":{"type":"array","items":{"$ref":"#/$defs/place"}}},"required":["name","kind"],"additionalProperties":false}},"required":["name","kind"],"additionalProperties":false} <nil>
}

func ExampleCheck() {
	fmt.Println(schema.Check(json.RawMessage(`{"properties":{"city":{"type":"text"}}}`)))
	// Output: properties.city.type: unknown type "text"; the types are object, array, string, integer, number, boolean and null
}

func ExampleCompile() {
	v, err := schema.Compile(json.RawMessage(`{"type":"object","properties":{"unit":{"enum":["C","F"]}},"required":["city"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Validate(json.RawMessage(`{"unit":"K"}`)))
	// Output: city: is required, but missing; unit: must be one of "C", "F", not the string "K"
}

func ExampleForOpenAI() {
	_, ok, why := schema.ForOpenAI(json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"}},"additionalProperties":false}`))
	fmt.Println(ok, why)
	// Output: false properties.city: is optional
}

func ExampleAdapt() {
	raw := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","maxLength":9},"age":{"type":"integer"}},"required":["name"]}`)
	out, err := schema.Adapt(schema.OpenAI, raw)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(out.Schema))
	for _, n := range out.Notes {
		fmt.Println(n)
	}
	// Output:
	// {"type":"object","properties":{"name":{"type":"string","description":"{maxLength: 9}"},"age":{"type":["integer","null"]}},"required":["name","age"],"additionalProperties":false}
	// properties.name.maxLength: not enforced by the provider; checked afterwards
}
