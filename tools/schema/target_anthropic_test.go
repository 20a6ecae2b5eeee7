package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

func TestAdaptForAnthropic(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw, want string
		notes           []string
	}{
		{"fits", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, nil},
		{"any value", `{"type":"string"}`, `{"type":"string"}`, nil},
		{
			"closed at every level",
			`{"type":"object","properties":{"a":{"items":{"type":"object","properties":{"b":{"type":"string"}}}}},"$defs":{"x":{"type":"object","properties":{}}}}`,
			`{"type":"object","properties":{"a":{"items":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}}},"$defs":{"x":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false}`, nil,
		},
		{
			"bounds",
			object(`{"type":"array","items":{"type":"integer","minimum":1,"format":"int32"},"minItems":1,"maxItems":3,"uniqueItems":true}`),
			object(`{"type":"array","items":{"type":"integer","description":"{minimum: 1, format: \"int32\"}"},"minItems":1,"description":"{maxItems: 3, uniqueItems: true}"}`),
			[]string{
				"properties.p.maxItems: not enforced by the provider; checked afterwards",
				"properties.p.uniqueItems: not enforced by the provider; checked afterwards",
				"properties.p.items.minimum: not enforced by the provider; checked afterwards",
				"properties.p.items.format: not enforced by the provider; checked afterwards",
			},
		},
		{
			"minItems above 1", object(`{"type":"array","minItems":2}`), object(`{"type":"array","description":"{minItems: 2}"}`),
			[]string{"properties.p.minItems: not enforced by the provider; checked afterwards"},
		},
		{
			"enum of objects", object(`{"enum":[{"a":1}]}`), object(`{}`),
			[]string{"properties.p.enum: not enforced by the provider; checked afterwards"},
		},
		{
			// The first tool of the schema-subset case: properties that are called
			// default and title stay, annotations go without a note.
			"properties named like keywords",
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["title"],` +
				`"properties":{"title":{"type":"string","default":"x","examples":["a"]},"default":{"type":"boolean"},"minimum":{"type":"string"},"properties":{"type":"string"}}}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["title"],` +
				`"properties":{"title":{"type":"string","default":"x"},"default":{"type":"boolean"},"minimum":{"type":"string"},"properties":{"type":"string"}}}`, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, notes, err := adapt(schema.Anthropic, json.RawMessage(tt.raw))
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

func TestAnthropicRefuses(t *testing.T) {
	t.Parallel()
	optional := func(n int) string {
		return strings.Replace(string(wide(n)), `"type"`, `"title":"x","type"`, 1)
	}
	tests := []struct{ name, raw, want string }{
		{"recursion", `{"type":"object","properties":{"next":{"$ref":"#"}}}`, "recursive through #, which Anthropic's structured output can't express"},
		{"recursion through definitions", `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, "recursive through #/$defs/a"},
		{"map", `{"type":"object","additionalProperties":{"type":"string"}}`, "an object of properties that aren't named"},
		{"free-form object", `{"type":"object"}`, "an object of properties that aren't named"},
		{"remote reference", `{"$ref":"https://example.org/x"}`, "leads nowhere"},
		{"objects joined", `{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "described in several places"},
		{"too many optional properties", optional(25), "25 optional properties, but Anthropic's structured output takes at most 24"},
		{"not a schema", `[]`, "must be an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := adapt(schema.Anthropic, json.RawMessage(tt.raw))
			wantErr(t, err, tt.want)
		})
	}
	if _, _, err := adapt(schema.Anthropic, json.RawMessage(optional(24))); err != nil {
		t.Errorf("24 optional properties: %v", err)
	}
}

// TestAnthropicKeepsValues: what fitted still fits, notes or not, since
// bounds only fall away; without notes, what fits now fitted before.
func TestAnthropicKeepsValues(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		r := random{rand.New(rand.NewPCG(seed, 2))}
		raw := json.RawMessage(r.schema())
		out, notes, err := adapt(schema.Anthropic, raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		again, more, err := adapt(schema.Anthropic, out)
		if string(again) != string(out) || len(more) > 0 || err != nil {
			t.Fatalf("%s became %s, then %s, %q, %v", raw, out, again, more, err)
		}
		before, after := must(schema.Compile(raw)), must(schema.Compile(out))
		for range 5 {
			if v := r.fitting(raw); after.Validate(v) != nil {
				t.Fatalf("%s fits %s, but not %s: %v", v, raw, out, after.Validate(v))
			}
			if v := r.fitting(out); len(notes) == 0 && before.Validate(v) != nil {
				t.Fatalf("%s fits %s, but not %s: %v", v, out, raw, before.Validate(v))
			}
		}
	}
}
