package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

func TestUnion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		all  []schema.Alternative
		want string
	}{
		{
			"name first, then arguments",
			[]schema.Alternative{{Name: "go", Description: "Goes.", Schema: json.RawMessage(`{"$schema":"x","type":"object"}`)}},
			`{"type":"object","properties":{"call":{"anyOf":[{"type":"object","properties":{"name":{"type":"string","enum":["go"]},` +
				`"arguments":{"type":"object"}},"required":["name","arguments"],"additionalProperties":false,"description":"Goes."}]}},` +
				`"required":["call"],"additionalProperties":false}`,
		},
		{
			"definitions keep apart",
			[]schema.Alternative{
				{Name: "a", Schema: json.RawMessage(`{"$ref":"#/$defs/b_c","$defs":{"b_c":{"type":"string"}}}`)},
				{Name: "a_b", Schema: json.RawMessage(`{"$ref":"#/definitions/c","definitions":{"c":{"type":"integer"}}}`)},
			},
			`{"type":"object","properties":{"call":{"anyOf":[` +
				`{"type":"object","properties":{"name":{"type":"string","enum":["a"]},"arguments":{"$ref":"#/$defs/a_b_c"}},"required":["name","arguments"],"additionalProperties":false},` +
				`{"type":"object","properties":{"name":{"type":"string","enum":["a_b"]},"arguments":{"$ref":"#/$defs/a_b__c"}},"required":["name","arguments"],"additionalProperties":false}]}},` +
				`"required":["call"],"additionalProperties":false,"$defs":{"a_b_c":{"type":"string"},"a_b__c":{"type":"integer"}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.Union("call", tt.all)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if _, err := schema.Compile(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMovedReferences: references follow the places that they lead to, the
// root and odd names included.
func TestMovedReferences(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, fits, misfits string }{
		{"to the root", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{}}`, `{"next":{"x":1}}`},
		{"to a property", `{"properties":{"a/b":{"type":"string"},"c":{"$ref":"#/properties/a~1b"}}}`, `{"c":"x"}`, `{"c":1}`},
		{"to a definition with an odd name", `{"items":{"$ref":"#/$defs/a%20~0b"},"$defs":{"a ~b":{"type":"string"}}}`, `["x"]`, `[1]`},
		{"between definitions", `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"type":"string"}}}`, `["x"]`, `[1]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wrapped, err := schema.Wrap("a/b", json.RawMessage(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			v, err := schema.Compile(wrapped)
			if err != nil {
				t.Fatalf("%s: %v", wrapped, err)
			}
			wantErr(t, v.Validate(json.RawMessage(`{"a/b":`+tt.fits+`}`)), "")
			if v.Validate(json.RawMessage(`{"a/b":`+tt.misfits+`}`)) == nil {
				t.Errorf("%s fits %s", tt.misfits, wrapped)
			}
		})
	}
}

func TestCombiningRefuses(t *testing.T) {
	t.Parallel()
	_, err := schema.Union("call", []schema.Alternative{{Name: "go", Schema: json.RawMessage(`{"type":"x"}`)}})
	wantErr(t, err, "go.type: unknown type")
	_, err = schema.Wrap("value", json.RawMessage(`{"$defs":{},"definitions":{}}`))
	wantErr(t, err, "both $defs and definitions")
}

func TestIsObject(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"type":"object"}`: true, `{"type":"string"}`: false, `{}`: false, `{"type":["object"]}`: false, `{`: false,
	} {
		if schema.IsObject(json.RawMessage(raw)) != want {
			t.Errorf("%s: want %v", raw, want)
		}
	}
}

// TestUnionAndWrapKeepMeaning: a value fits a schema where it was put just
// when it fits it alone.
func TestUnionAndWrapKeepMeaning(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := random{rand.New(rand.NewPCG(seed, 3))}
		a, b := json.RawMessage(r.schema()), json.RawMessage(r.schema())
		union := must(schema.Union("call", []schema.Alternative{{Name: "a", Schema: a}, {Name: "b", Description: "d", Schema: b}}))
		wrapped := must(schema.Wrap("value", a))
		inUnion, inWrap := must(schema.Compile(union)), must(schema.Compile(wrapped))
		for _, v := range []json.RawMessage{r.fitting(a), r.fitting(b)} {
			alone := must(schema.Compile(a)).Validate(v) == nil
			if got := inUnion.Validate(fmt.Appendf(nil, `{"call":{"name":"a","arguments":%s}}`, v)) == nil; got != alone {
				t.Fatalf("%s: fits %s: %v, but inside %s: %v", v, a, alone, union, got)
			}
			if got := inWrap.Validate(fmt.Appendf(nil, `{"value":%s}`, v)) == nil; got != alone {
				t.Fatalf("%s: fits %s: %v, but inside %s: %v", v, a, alone, wrapped, got)
			}
		}
	}
}
