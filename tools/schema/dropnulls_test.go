package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

func TestDropNulls(t *testing.T) {
	t.Parallel()
	const s = `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":["string","null"]},"r":{"type":"string"},` +
		`"in":{"$ref":"#/$defs/in"},"l":{"type":"array","items":{"$ref":"#/$defs/in"}},"u":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/in"}]},` +
		`"m":{"type":"object","additionalProperties":{"$ref":"#/$defs/in"}},"p":{"prefixItems":[{"$ref":"#/$defs/in"}],"items":{"$ref":"#/$defs/null"}}},` +
		`"required":["r"],"$defs":{"in":{"type":"object","properties":{"x":{"type":"integer"}}},"null":{"type":"object","properties":{"x":{"type":"null"}}}}}`
	// In shapes, a null of the second branch stands for nothing in the first.
	const shapes = `{"anyOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["kind"]},` +
		`{"type":"object","properties":{"kind":{"const":"b"},"x":{"type":["string","null"]}},"required":["kind","x"]}]}`
	tests := []struct{ name, schema, answer, want string }{
		{"nothing to drop", s, `{ "r": "x" }`, `{ "r": "x" }`},
		{"optional", s, `{"r":"x","a":null}`, `{"r":"x"}`},
		{"null that means something", s, `{"r":"x","n":null}`, `{"r":"x","n":null}`},
		{"required", s, `{"r":null}`, `{"r":null}`},
		{"unknown", s, `{"r":"x","other":null}`, `{"r":"x","other":null}`},
		{"nested", s, `{"in":{"x":null},"l":[{"x":null},{"x":9007199254740993}],"u":{"x":null}}`, `{"in":{},"l":[{},{"x":9007199254740993}],"u":{}}`},
		{"in a map", s, `{"r":"x","m":{"k":{"x":null},"x":{"x":1}}}`, `{"r":"x","m":{"k":{},"x":{"x":1}}}`},
		{"places", s, `{"r":"x","p":[{"x":null},{"x":null}]}`, `{"r":"x","p":[{},{"x":null}]}`},
		{"another kind", s, `[null]`, `[null]`},
		{"first branch", shapes, `{"kind":"a","x":null}`, `{"kind":"a"}`},
		{"second branch", shapes, `{"kind":"b","x":null}`, `{"kind":"b","x":null}`},
		{"meant for the first branch", shapes, `{"kind":"a","x":null,"n":0}`, `{"kind":"a","n":0}`},
		{"no branch", shapes, `{"kind":"c","x":null}`, `{"kind":"c","x":null}`},
		{"a null that fits a branch stays", `{"anyOf":[{"properties":{"x":{"type":"string"}}},{"properties":{"x":{"type":["string","null"]}}}]}`, `{"x":null}`, `{"x":null}`},
		{"both parts", `{"allOf":[{"properties":{"x":{"type":"string"}}},{"properties":{"y":{"type":"string"}}}]}`, `{"x":null,"y":null,"z":null}`, `{"z":null}`},
		{"closed after dropping", `{"properties":{"x":{"type":"string"}},"maxProperties":0,"anyOf":[{"properties":{"x":{"type":"string"}},"maxProperties":0}]}`, `{"x":null}`, `{}`},
		{"recursive", `{"type":"object","properties":{"next":{"$ref":"#"},"v":{"type":"string"}}}`, `{"next":{"next":{"v":null,"next":null},"v":null}}`, `{"next":{"next":{}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.DropNulls(json.RawMessage(tt.schema), json.RawMessage(tt.answer))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	_, err := schema.DropNulls(json.RawMessage(s), json.RawMessage(`{`))
	wantErr(t, err, "not JSON")
	_, err = schema.DropNulls(json.RawMessage(`[]`), json.RawMessage(`{}`))
	wantErr(t, err, "must be an object")
	_, err = schema.DropNulls(json.RawMessage(`{"$ref":"#"}`), json.RawMessage(`{}`))
	wantErr(t, err, "without end")
}

// shapes is an object that holds a union of objects told apart by their kind,
// with the same names for properties of all sorts.
func (r random) shapes() string {
	branches := make([]string, 2+r.IntN(2))
	for i := range branches {
		props, required := []string{`"kind":{"type":"string","const":"` + string(rune('a'+i)) + `"}`}, []string{`"kind"`}
		for _, name := range []string{`"x"`, `"y"`, `"z"`} {
			if r.IntN(4) == 0 {
				continue
			}
			props = append(props, name+":"+r.choose(`{"type":"string"}`, `{"type":["string","null"]}`, `{"type":"integer"}`,
				`{"type":"null"}`, `{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false}`))
			if r.IntN(2) == 0 {
				required = append(required, name)
			}
		}
		branches[i] = `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `],"additionalProperties":false}`
	}
	return `{"type":"object","properties":{"u":{"anyOf":[` + strings.Join(branches, ",") + `]}}}`
}

// TestDropNullsIsExact: an answer to a strict schema becomes one to the
// original, and one to the original stays as it is.
func TestDropNullsIsExact(t *testing.T) {
	t.Parallel()
	dropped := 0
	for seed := range uint64(600) {
		r := random{rand.New(rand.NewPCG(seed, 11))}
		raw := json.RawMessage(r.shapes())
		original := must(schema.Compile(raw))
		strict, err := schema.Adapt(schema.OpenAI, raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		answer := r.fitting(strict.Schema)
		back := must(schema.DropNulls(raw, answer))
		if err := original.Validate(back); err != nil {
			t.Fatalf("%s: %s became %s: %v", raw, answer, back, err)
		}
		if string(back) != string(answer) {
			dropped++
		}
		own := r.fitting(raw)
		if same := must(schema.DropNulls(raw, own)); string(same) != string(own) {
			t.Fatalf("%s: %s fits, but became %s", raw, own, same)
		}
	}
	if dropped < 100 {
		t.Errorf("only %d answers had nulls to drop", dropped)
	}
}
