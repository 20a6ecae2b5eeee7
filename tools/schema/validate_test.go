package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sabir-go/sabir/tools/schema"
)

const forecast = `{
	"type": "object",
	"properties": {
		"city": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
		"days": {"type": "integer", "minimum": 1, "maximum": 7},
		"unit": {"enum": ["celsius", "fahrenheit"]},
		"at": {"$ref": "#/$defs/point"},
		"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": true},
		"when": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]}]},
		"version": {"const": 2}
	},
	"required": ["city"],
	"additionalProperties": false,
	"$defs": {"point": {"type": "object", "properties": {"lat": {"type": "number", "multipleOf": 0.5}}, "required": ["lat"]}}
}`

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, value, want string }{
		{"fits", forecast, `{"city":"Gent","days":3,"unit":"celsius","at":{"lat":51.5},"tags":["a","b"],"when":"now","version":2.0}`, ""},
		{"missing", forecast, `{}`, "city: is required, but missing"},
		{"wrong type", forecast, `{"city":7}`, "city: must be a string, not the number 7"},
		{"wrong root", forecast, `[]`, "the value: must be an object, not an array"},
		{"enum", forecast, `{"city":"Gent","unit":"kelvin"}`, `unit: must be one of "celsius", "fahrenheit", not the string "kelvin"`},
		{"const", forecast, `{"city":"Gent","version":1}`, "version: must be the number 2, not the number 1"},
		{"unknown property", forecast, `{"city":"Gent","town":1}`, "town: there is no such property; there is city, days, unit"},
		{"low", forecast, `{"city":"Gent","days":0}`, "days: must be at least 1, not 0"},
		{"high", forecast, `{"city":"Gent","days":9}`, "days: must be at most 7, not 9"},
		{"fraction", forecast, `{"city":"Gent","days":1.5}`, "days: must be an integer, not the number 1.5"},
		{"short", forecast, `{"city":"G"}`, "city: must have at least 2 characters, not 1"},
		{"pattern", forecast, `{"city":"gent"}`, "city: must match the pattern ^[A-Z]"},
		{"behind a reference", forecast, `{"city":"Gent","at":{}}`, "at.lat: is required, but missing"},
		{"multiple", forecast, `{"city":"Gent","at":{"lat":0.3}}`, "at.lat: must be a multiple of 0.5, not 0.3"},
		{"item", forecast, `{"city":"Gent","tags":["a",1]}`, "tags[1]: must be a string, not the number 1"},
		{"too many items", forecast, `{"city":"Gent","tags":["a","b","c"]}`, "tags: must have at most 2 items, not 3"},
		{"repeated item", forecast, `{"city":"Gent","tags":["a","a"]}`, "tags[1]: repeats an earlier item"},
		{"meant branch", forecast, `{"city":"Gent","when":{}}`, "when.from: is required, but missing"},
		{"no branch", forecast, `{"city":"Gent","when":1}`, "when: fits none of the 2 alternatives (a string, an object)"},
		{"all at once", forecast, `{"days":0,"unit":1}`, `city: is required, but missing; days: must be at least 1, not 0; unit: must be one of`},
		{"endless name", forecast, `{"city":"Gent","` + strings.Repeat("n", 200) + `":1}`, "\u2026: there is no such property"},
		{"twice", forecast, `{"city":"Gent","city":"Gent"}`, "city: occurs twice"},
		{"not JSON", forecast, `{"city":`, "not JSON"},
		{"one of two", `{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, "fits 2 of the alternatives, but must fit just one"},
		{"not", `{"not":{"type":"string"}}`, `"x"`, "not: validated against"},
		{"tuple", `{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}`, `["a","b"]`, "[1]: must be an integer"},
		{"dependencies", `{"dependencies":{"a":["b"]}}`, `{"a":1}`, "missing properties"},
		{"dependent schema", `{"dependencies":{"a":{"required":["c"]}}}`, `{"a":1}`, "missing properties"},
		{"forbidden property", `{"properties":{"a":false}}`, `{"a":1}`, "a: is not allowed"},
		{"free keys", `{"additionalProperties":{"type":"integer"}}`, `{"n":"x"}`, "n: must be an integer"},
		{"few properties", `{"minProperties":1}`, `{}`, "must have at least 1 properties"},
		{"all of", `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "a: is required, but missing; b: is required"},
		{"unicode pattern", `{"pattern":"^\\u00e9$"}`, `"é"`, ""},
		{"old draft", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"string"}`, `1`, "must be a string"},
		{"identified", `{"$id":"https://example.org/s","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"a":1}`, "a: must be a string"},
		{"types of some branches", `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "the value: fits none of the 2 alternatives"},
		{"told apart by a constant", `{"oneOf":[{"properties":{"is":{"const":"a"},"n":{"type":"integer"}}},{"properties":{"is":{"enum":["b"]},"n":{"type":"string"}}}]}`, `{"is":"a","n":"x"}`, "n: must be an integer"},
		{"unevaluated", `{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"b":1}`, "not: validated against"},
		{"items not unique", `{"uniqueItems":true}`, `[{"a":1,"b":[2]},{"b":[2.0],"a":1}]`, "[1]: repeats an earlier item"},
		{"large enum", `{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]}`, `0`, "29, 30, …, not the number 0"},
		{"recursive", `{"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}}`, `{"next":{"next":{"n":"x"}}}`, "next.next.n: must be an integer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := schema.Compile(json.RawMessage(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			wantErr(t, v.Validate(json.RawMessage(tt.value)), tt.want)
		})
	}
}

func TestValidateKeepsLargeIntegers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 500)
	tests := []struct{ name, schema, value, want string }{
		{"integer", `{"type":"integer"}`, `9007199254740993`, ""},
		{"beyond 64 bits", `{"type":"integer"}`, `123456789012345678901234567890`, ""},
		{"written with an exponent", `{"enum":[100000000000000000000]}`, `1e20`, ""},
		{"decimal steps", `{"multipleOf":0.01}`, `19.99`, ""},
		{"just above a bound", `{"maximum":9007199254740992}`, `9007199254740993`, "must be at most 9007199254740992, not 9007199254740993"},
		{"absurd exponents", `{"multipleOf":3}`, `1e99999999`, ""},
		{"beyond float64", `{"type":"number","maximum":5}`, `1e999`, "must be at most 5"},
		{"enum", `{"enum":[9007199254740993]}`, `9007199254740993`, ""},
		{"neighbour in an enum", `{"enum":[9007199254740993]}`, `9007199254740992`, "must be one of 9007199254740993"},
		{"nested const", `{"properties":{"a":{"items":{"anyOf":[{"const":18446744073709551615}]}}}}`, `{"a":[18446744073709551614]}`, "a[0]"},
		{"library: enum", `{"not":{"enum":[9007199254740993]}}`, `9007199254740992`, ""},
		{"library: same enum", `{"not":{"enum":[9007199254740993]}}`, `9007199254740993`, "not: validated against"},
		{"library: const", `{"contains":{"const":18446744073709551615}}`, `[18446744073709551615]`, ""},
		{"library: other const", `{"contains":{"const":18446744073709551615}}`, `[18446744073709551614]`, "contains"},
		{"library: beyond float64", `{"not":{"type":"integer"}}`, `-1e999`, "not: validated against"},
		{"library: a list", `{"not":{"enum":[[1,null,true,"x"]]}}`, `[1.0,null,true,"x"]`, "not: validated against"},
		{"long digits", `{"const":` + long + `}`, long, ""},
		{"other long digits", `{"const":` + long + `}`, "1", "must be a number, not the number 1"},
		{"integer beyond reason", `{"type":"integer"}`, `1e99999999`, ""},
		{"unique", `{"uniqueItems":true}`, `[9007199254740993,9007199254740992]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := schema.Compile(json.RawMessage(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			wantErr(t, v.Validate(json.RawMessage(tt.value)), tt.want)
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"no schema", `{"type":"x"}`, "type: unknown type"},
		{"remote reference", `{"items":{"$ref":"https://example.org/s.json"}}`, `items.$ref: leads nowhere inside this schema`},
		{"dangling reference", `{"$ref":"#/$defs/x"}`, `$ref: leads nowhere inside this schema: "#/$defs/x"`},
		{"itself", `{"$ref":"#"}`, "refers to itself without end"},
		{"itself through a union", `{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, "without end"},
		{"dynamic reference", `{"items":{"$dynamicRef":"#x"}}`, "items: $dynamicRef is not supported"},
		{"member twice", `{"properties":{"a":{},"a":{}}}`, "properties.a: occurs twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(json.RawMessage(tt.raw))
			wantErr(t, err, tt.want)
		})
	}
}

func TestUncheckedPatternsAreListed(t *testing.T) {
	t.Parallel()
	v, err := schema.Compile(json.RawMessage(
		`{"properties":{"mail":{"type":"string","pattern":"^(?!\\.)x$"},"code":{"pattern":"^a$"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Unchecked(); len(got) != 1 || !strings.HasPrefix(got[0], "properties.mail.pattern: can't be checked") {
		t.Errorf("unchecked: %q", got)
	}
	wantErr(t, v.Validate(json.RawMessage(`{"mail":"y"}`)), "")
	wantErr(t, v.Validate(json.RawMessage(`{"mail":1}`)), "mail: must be a string")
	wantErr(t, v.Validate(json.RawMessage(`{"code":"b"}`)), "code: must match")
}

// TestValidateIsLinear: a value of a recursive type, in which each level could
// be one of several branches, is judged once per level.
func TestValidateIsLinear(t *testing.T) {
	t.Parallel()
	const expr = `{"$ref":"#/$defs/expr","$defs":{` +
		`"expr":{"anyOf":[{"$ref":"#/$defs/add"},{"$ref":"#/$defs/mul"},{"type":"number"}]},` +
		`"add":{"type":"object","properties":{"l":{"$ref":"#/$defs/expr"},"op":{"const":"+"}},"required":["l","op"]},` +
		`"mul":{"type":"object","properties":{"l":{"$ref":"#/$defs/expr"},"op":{"const":"*"}},"required":["l","op"]}}}`
	v, err := schema.Compile(json.RawMessage(expr))
	if err != nil {
		t.Fatal(err)
	}
	deep := func(leaf string) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"op":"*","l":`, 200) + leaf + strings.Repeat("}", 200))
	}
	wantErr(t, v.Validate(deep("1")), "")
	wantErr(t, v.Validate(deep(`"x"`)), strings.Repeat("l.", 199)+"l: fits none of the 3 alternatives")
}

// library is jsonschema-go's verdict.
func library(raw, value json.RawMessage) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}

// TestVerdictsAreRight: what fits is never refused, the library agrees on
// values made for another schema, and each fault has a place.
func TestVerdictsAreRight(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		r := random{rand.New(rand.NewPCG(seed, 4))}
		raw := json.RawMessage(r.schema())
		v := must(schema.Compile(raw))
		if own := r.fitting(raw); v.Validate(own) != nil {
			t.Fatalf("%s against %s: %v", own, raw, v.Validate(own))
		}
		other := r.fitting(json.RawMessage(r.schema()))
		if seed%2 == 0 {
			other = r.spoil(r.fitting(raw))
		}
		err := v.Validate(other)
		if theirs := library(raw, other); (err == nil) != (theirs == nil) {
			t.Errorf("%s against %s: %v; jsonschema-go says %v", other, raw, err, theirs)
		}
		if err != nil && (!strings.Contains(err.Error(), ": ") || strings.Contains(err.Error(), "anonymous schema")) {
			t.Errorf("%s against %s: %v", other, raw, err)
		}
	}
}
