package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

const qualified = `{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]},` +
	`"b":{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":1}},"required":["b","a"],"additionalProperties":false,` +
	`"$defs":{"n":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},` +
	`"required":["next"],"additionalProperties":false}}}`

// object is a strict object schema around one property.
func object(prop string) string {
	return `{"type":"object","properties":{"p":` + prop + `},"required":["p"],"additionalProperties":false}`
}

func TestForOpenAI(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, why string }{
		{"qualifies", qualified, ""},
		{"no properties", `{"type":"object","properties":{},"additionalProperties":false}`, ""},
		{"pattern", object(`{"type":"string","pattern":"^a+$","format":"uuid"}`), ""},
		{"properties named like keywords", object(`{"type":"object","properties":{"allOf":{"type":"string"},"default":{"type":"string"},"required":{"type":"string"}},"required":["allOf","default","required"],"additionalProperties":false}`), ""},
		{"not JSON", `{`, "not JSON"},
		{"no schema", `{"type":"x"}`, "unknown type"},
		{"root is a string", `{"type":"string"}`, "the root of a schema must have type object"},
		{"root may be null", `{"type":["object","null"]}`, "the root of a schema must have type object"},
		{"root is a union", `{"type":"object","anyOf":[{"type":"object"}]}`, "must be a plain object, without anyOf"},
		{"open", `{"type":"object","properties":{}}`, "additionalProperties is not false"},
		{"nested open", object(`{"type":"object","properties":{}}`), "properties.p: additionalProperties is not false"},
		{"optional", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, "properties.a: is optional"},
		{"map", object(`{"type":"object","additionalProperties":{"type":"string"}}`), "properties.p: an object of properties that aren't named"},
		{"any", object(`{}`), "properties.p: a schema without a type"},
		{"boolean", object(`true`), "properties.p: a schema that is just true"},
		{"list of anything", object(`{"type":"array"}`), "items are not described"},
		{"oneOf", object(`{"oneOf":[{"type":"string"}]}`), "properties.p.oneOf: is not part of OpenAI's strict mode"},
		{"allOf", object(`{"allOf":[{"type":"string"},{"type":"string"}]}`), "properties.p.allOf: a schema made of several"},
		{"look-ahead", object(`{"type":"string","pattern":"(?!a)"}`), "properties.p.pattern: is not part of"},
		{"length", object(`{"type":"string","minLength":1}`), "properties.p.minLength: is not part of"},
		{"unknown format", object(`{"type":"string","format":"iban"}`), "properties.p.format: is not part of"},
		{"default", object(`{"type":"string","default":"x"}`), "properties.p.default: is not part of"},
		{"sibling of a reference", `{"type":"object","properties":{"p":{"$ref":"#/$defs/s","description":"d"}},"required":["p"],"additionalProperties":false,"$defs":{"s":{"type":"string"}}}`, "properties.p.$ref: moved into anyOf"},
		{"dangling reference", object(`{"$ref":"#/$defs/s"}`), "properties.p.$ref: leads nowhere"},
		{"phantom requirement", `{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`, "a required property a that isn't described"},
		{"twice", `{"type":"object","type":"object"}`, "type: occurs twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, ok, why := schema.ForOpenAI(json.RawMessage(tt.raw))
			if ok != (tt.why == "") || !strings.Contains(why, tt.why) {
				t.Errorf("got %v, %q; want %q", ok, why, tt.why)
			}
			if string(out) != tt.raw {
				t.Errorf("changed to %s", out)
			}
		})
	}
}

func TestAdaptForOpenAI(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw, want string
		notes           []string
	}{
		{"qualifies", qualified, qualified, nil},
		{
			"optional and nested optional",
			`{"type":"object","properties":{"name":{"type":"string"},"nickname":{"type":"string","description":"may be missing"},` +
				`"address":{"type":"object","properties":{"street":{"type":"string"},"zip":{"type":"string"}},"required":["street"]}},"required":["name","address"]}`,
			`{"type":"object","properties":{"name":{"type":"string"},"nickname":{"type":["string","null"],"description":"may be missing"},` +
				`"address":{"type":"object","properties":{"street":{"type":"string"},"zip":{"type":["string","null"]}},"required":["street","zip"],"additionalProperties":false}},` +
				`"required":["name","nickname","address"],"additionalProperties":false}`, nil,
		},
		{
			"each way to be nullable",
			`{"type":"object","properties":{"e":{"type":"string","enum":["a"]},"c":{"type":"integer","const":3},"t":{"type":["string","integer"]},` +
				`"u":{"description":"d","anyOf":[{"type":"string"},{"type":"integer"}]},"r":{"$ref":"#/$defs/s","description":"d"},"b":{"enum":[1,true]}},"$defs":{"s":{"type":"string"}}}`,
			`{"type":"object","properties":{"e":{"type":["string","null"],"enum":["a",null]},"c":{"type":["integer","null"],"enum":[3,null]},"t":{"type":["string","integer","null"]},` +
				`"u":{"description":"d","anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},"r":{"description":"d","anyOf":[{"$ref":"#/$defs/s"},{"type":"null"}]},` +
				`"b":{"anyOf":[{"type":["number","boolean"],"enum":[1,true]},{"type":"null"}]}},"$defs":{"s":{"type":"string"}},` +
				`"additionalProperties":false,"required":["e","c","t","u","r","b"]}`, nil,
		},
		{
			"null already has a meaning",
			`{"type":"object","properties":{"a":{"type":["string","null"]}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]}},"additionalProperties":false,"required":["a"]}`,
			[]string{"properties.a: always sent, so null no longer differs from leaving it out"},
		},
		{
			"null behind a reference",
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"anyOf":[{"$ref":"#/$defs/n"}]}},"$defs":{"n":{"type":["string","null"]}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"anyOf":[{"$ref":"#/$defs/n"}]}},"$defs":{"n":{"type":["string","null"]}},"additionalProperties":false,"required":["a","b"]}`,
			[]string{
				"properties.a: always sent, so null no longer differs from leaving it out",
				"properties.b: always sent, so null no longer differs from leaving it out",
			},
		},
		{
			"union that demands more", `{"type":"object","properties":{"p":{"type":"string","anyOf":[{"type":"string"}]}}}`,
			`{"type":"object","properties":{"p":{"anyOf":[{"type":"string","anyOf":[{"type":"string"}]},{"type":"null"}]}},"additionalProperties":false,"required":["p"]}`, nil,
		},
		{
			"bounds are told to the model",
			object(`{"type":"string","description":"A name.","minLength":2,"pattern":"(?=a)","x-order":1}`),
			object(`{"type":"string","description":"A name. {minLength: 2, pattern: \"(?=a)\"}"}`),
			[]string{"properties.p.minLength: not enforced by the provider; checked afterwards", "properties.p.pattern: not enforced by the provider; checked afterwards"},
		},
		{
			"oneOf", object(`{"oneOf":[{"type":"string"},{"type":"null"}]}`), object(`{"anyOf":[{"type":"string"},{"type":"null"}]}`),
			[]string{"properties.p.oneOf: sent as anyOf, so more than one branch may fit"},
		},
		{
			"lone allOf", `{"type":"object","properties":{"p":{"allOf":[{"$ref":"#/$defs/s"}]}},"required":["p"],"$defs":{"s":{"type":"string"}}}`,
			`{"type":"object","properties":{"p":{"anyOf":[{"$ref":"#/$defs/s"}]}},"required":["p"],"$defs":{"s":{"type":"string"}},"additionalProperties":false}`, nil,
		},
		{
			"opened on purpose", `{"type":"object","properties":{"p":{"type":"string"}},"required":["p"],"additionalProperties":true}`, object(`{"type":"string"}`),
			[]string{"additionalProperties: only the properties named in the schema can come back"},
		},
		{"types that go without saying", `{"properties":{"p":{"const":"x"}},"required":["p"],"additionalProperties":false}`, object(`{"type":"string","const":"x"}`), nil},
		{"no members at all", `{"type":"object","additionalProperties":false}`, `{"type":"object","additionalProperties":false,"properties":{}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, notes, err := adapt(schema.OpenAI, json.RawMessage(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != tt.want {
				t.Errorf("got  %s\nwant %s", out, tt.want)
			}
			if !slices.Equal(notes, tt.notes) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestOpenAIRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"free-form object", object(`{"type":"object"}`), "properties.p: an object of properties that aren't named, which OpenAI's strict mode can't express"},
		{"patterns of names", object(`{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^x":{"type":"string"}}}`), "properties.p: patternProperties"},
		{"two unions", object(`{"oneOf":[{"type":"string"}],"anyOf":[{"type":"string"}]}`), "both oneOf and anyOf"},
		{"object in two places", object(`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"b":{"type":"string"}}}]}`), "an object described in several places at once"},
		{"reference to an optional property", `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}},"required":["b"]}`, "properties.a: an optional property that a $ref leads to"},
		{"reference into what moves", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]},"b":{"$ref":"#/properties/a/oneOf/0"}},"required":["a","b"]}`, "leads nowhere inside this schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := adapt(schema.OpenAI, json.RawMessage(tt.raw))
			wantErr(t, err, tt.want)
		})
	}
}

// TestOpenAIIsSound: what is adapted for OpenAI qualifies and stays; whatever fits it
// is, nulls dropped, an answer to the original, unless a note says otherwise.
func TestOpenAIIsSound(t *testing.T) {
	t.Parallel()
	unnoted := 0
	for seed := range uint64(600) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		raw := json.RawMessage(r.schema())
		out, notes, err := adapt(schema.OpenAI, raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if _, ok, why := schema.ForOpenAI(out); !ok {
			t.Fatalf("%s became %s: %s", raw, out, why)
		}
		again, more, err := adapt(schema.OpenAI, out)
		if string(again) != string(out) || len(more) > 0 || err != nil {
			t.Fatalf("%s became %s, then %s, %q, %v", raw, out, again, more, err)
		}
		if len(notes) > 0 {
			continue
		}
		unnoted++
		original, strict := must(schema.Compile(raw)), must(schema.Compile(out))
		for range 5 {
			answer := r.fitting(out)
			if err := strict.Validate(answer); err != nil {
				t.Fatalf("%s does not fit %s: %v", answer, out, err)
			}
			back, err := schema.DropNulls(raw, answer)
			if err != nil {
				t.Fatal(err)
			}
			if err := original.Validate(back); err != nil {
				t.Fatalf("%s fits %s, but %s does not fit %s: %v", answer, out, back, raw, err)
			}
		}
	}
	if unnoted < 50 {
		t.Errorf("only %d schemas came without notes", unnoted)
	}
}
