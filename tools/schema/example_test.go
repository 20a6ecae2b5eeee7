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

func ExampleStrict() {
	out, notes, err := schema.Strict(json.RawMessage(`{"type":"object","properties":{"age":{"type":"integer"}}}`))
	fmt.Println(string(out), notes, err)
	// Output: {"type":"object","properties":{"age":{"type":["integer","null"]}},"additionalProperties":false,"required":["age"]} [] <nil>
}

func ExampleForAnthropic() {
	out, notes, err := schema.ForAnthropic(json.RawMessage(
		`{"type":"object","properties":{"age":{"type":"integer","minimum":0}},"required":["age"]}`))
	fmt.Println(string(out))
	fmt.Println(notes, err)
	// Output:
	// {"type":"object","properties":{"age":{"type":"integer","description":"{minimum: 0}"}},"required":["age"],"additionalProperties":false}
	// [properties.age.minimum: not enforced by the provider; checked afterwards] <nil>
}

func ExampleAdapt() {
	raw := json.RawMessage(`{"type":"object","properties":{"to":{"$ref":"#/$defs/place"},"by":{"type":["string","null"]}},` +
		`"$defs":{"place":{"type":"string","pattern":"^[A-Z]","uniqueItems":true,"not":{"const":"Ghent"}}}}`)
	out, err := schema.Adapt(schema.Gemini, raw)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(out.Schema))
	for _, n := range out.Notes {
		fmt.Println(n)
	}
	// Output:
	// {"type":"object","properties":{"to":{"type":"string","pattern":"^[A-Z]"},"by":{"type":"string","nullable":true}},"propertyOrdering":["to","by"]}
	// properties.to.not: not enforced by the provider; checked afterwards
}
