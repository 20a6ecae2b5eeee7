package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

func adapt(target schema.Target, raw json.RawMessage) (json.RawMessage, []string, error) {
	out, err := schema.Adapt(target, raw)
	return out.Schema, out.Notes, err
}

// adaptCase is a schema, what it becomes on a wire, and what is said about it.
type adaptCase struct {
	name, raw, want string
	notes           []string
}

func testAdapt(t *testing.T, target schema.Target, tests []adaptCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := schema.Adapt(target, json.RawMessage(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Schema) != tt.want {
				t.Errorf("got  %s\nwant %s", out.Schema, tt.want)
			}
			if !slices.Equal(out.Notes, tt.notes) {
				t.Errorf("notes %q\nwant  %q", out.Notes, tt.notes)
			}
			if !out.Strict && target != schema.Cohere {
				t.Error("not strict")
			}
			if why := refusal(target, out.Schema); why != "" {
				t.Errorf("the wire refuses: %s", why)
			}
		})
	}
}

// open is an object schema around one required property.
func open(prop string) string {
	return `{"type":"object","properties":{"p":` + prop + `},"required":["p"]}`
}

// subsetCase is the first tool of the case on Gemini's schema subset.
const subsetCase = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,` +
	`"required":["title","unit"],"properties":{"title":{"type":"string","default":"x","examples":["a"]},` +
	`"unit":{"type":"string","const":"metric"},"note":{"type":["string","null"]},"count":{"type":"integer","exclusiveMinimum":0},` +
	`"default":{"type":"boolean"},"extra":{"anyOf":[{"type":"object","additionalProperties":{"type":"string"},` +
	`"properties":{"k":{"type":"string"}}},{"type":"null"}]}}}`

func TestAdaptForGeminiJSON(t *testing.T) {
	t.Parallel()
	testAdapt(t, schema.GeminiJSON, []adaptCase{
		{
			"the subset case", subsetCase,
			`{"type":"object","additionalProperties":false,"required":["title","unit"],"properties":{` +
				`"title":{"type":"string","description":"{default: \"x\"}"},"unit":{"type":"string","enum":["metric"]},` +
				`"note":{"type":["string","null"]},"count":{"type":"integer","minimum":1},"default":{"type":"boolean"},` +
				`"extra":{"anyOf":[{"type":"object","additionalProperties":{"type":"string"},"properties":{"k":{"type":"string"}}},{"type":"null"}]}}}`, nil,
		},
		{"recursion through an optional property", `{"type":"object","properties":{"next":{"$ref":"#"}}}`, `{"type":"object","properties":{"next":{"$ref":"#"}}}`, nil},
		{
			"recursion that is demanded",
			`{"type":"object","properties":{"e":{"$ref":"#/definitions/e"}},"required":["e"],"definitions":{"e":{"type":"object","properties":{"n":{"type":"string"},"l":{"type":"array","items":{"anyOf":[{"$ref":"#/definitions/e"},{"type":"null"}]}}},"required":["n","l"]}}}`,
			`{"type":"object","properties":{"e":{"$ref":"#/$defs/e"}},"required":["e"],"$defs":{"e":{"type":"object","properties":{"n":{"type":"string"},"l":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/e"},{"type":"null"}]}}},"required":["n"]}}}`,
			[]string{"$defs.e.required: l is recursive, so it can't be demanded"},
		},
		{"values with null", open(`{"type":["string","null"],"enum":["a",null]}`), open(`{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}`), nil},
		{"null that the type rules out", open(`{"type":"string","enum":["a",null]}`), open(`{"type":"string","enum":["a"]}`), nil},
		{
			"values that aren't taken", open(`{"enum":[true,"a"]}`), open(`{"description":"{enum: [true,\"a\"]}"}`),
			[]string{"properties.p.enum: not enforced by the provider; checked afterwards"},
		},
		{
			"sibling of a reference", `{"properties":{"p":{"$ref":"#/$defs/s","description":"d"}},"$defs":{"s":{"type":"string"}}}`,
			`{"properties":{"p":{"anyOf":[{"$ref":"#/$defs/s"}],"description":"d"}},"$defs":{"s":{"type":"string"}}}`, nil,
		},
		{
			"pattern", open(`{"type":"string","pattern":"^a"}`), open(`{"type":"string","description":"{pattern: \"^a\"}"}`),
			[]string{"properties.p.pattern: not enforced by the provider; checked afterwards"},
		},
		{"bounds that touch", open(`{"type":"integer","exclusiveMinimum":1.5,"minimum":1,"exclusiveMaximum":9,"maximum":5}`), open(`{"type":"integer","minimum":2,"maximum":5}`), nil},
		{"no more items", open(`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`), open(`{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1}`), nil},
	})
}

// TestMergedAllOf: what the parts of an allOf demand together is said once.
func TestMergedAllOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, a, b, want string }{
		{
			"properties", `{"type":"object","properties":{"a":{"type":"number","minimum":1}}}`,
			`{"properties":{"a":{"type":"integer","minimum":3},"b":{"type":"null"}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"integer","minimum":3},"b":{"type":"null"}},"required":["a"]}`,
		},
		{"bounds", `{"minimum":1,"maximum":9,"minItems":2,"maxItems":4}`, `{"minimum":2,"maximum":8.5,"minItems":1,"maxItems":5}`, `{"minimum":2,"maximum":8.5,"minItems":2,"maxItems":4}`},
		{"values", `{"enum":["a",1,2]}`, `{"enum":[2.0,3,"a"]}`, `{"enum":["a",2]}`},
		{"types", `{"type":["string","integer","null"]}`, `{"type":["number","null"]}`, `{"type":["integer","null"]}`},
		{"required", `{"properties":{"a":{},"b":{}},"required":["a"]}`, `{"required":["b","a"]}`, `{"properties":{"a":{},"b":{}},"required":["a","b"]}`},
		{"items", `{"items":{"type":["string","null"]}}`, `{"items":{"type":"string"}}`, `{"items":{"type":"string"}}`},
		{"closed and open", `{"additionalProperties":true}`, `{"additionalProperties":false}`, `{"additionalProperties":false}`},
		{"titles", `{"title":"a","description":"one"}`, `{"title":"b","description":"two"}`, `{"title":"a","description":"one two"}`},
		{"nullable", `{"type":"string","nullable":true}`, `{"type":"string","nullable":true}`, `{"type":"string"}`},
		{"nullable in one part", `{"type":"string","nullable":true}`, `{"type":"string"}`, `{"type":"string"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, notes, err := adapt(schema.GeminiJSON, json.RawMessage(open(`{"allOf":[`+tt.a+`,`+tt.b+`]}`)))
			if err != nil || string(out) != open(tt.want) || len(notes) > 0 {
				t.Errorf("got  %s, %q, %v\nwant %s", out, notes, err, open(tt.want))
			}
		})
	}
	for raw, why := range map[string]string{
		`{"enum":[1]},{"enum":[2]}`:                           "a schema that no value fits",
		`{"type":"string"},{"type":"null"}`:                   "a schema that no value fits",
		`{"const":1},{"const":2}`:                             "a schema that no value fits",
		`false,{}`:                                            "a schema that no value fits",
		`{"format":"date"},{"format":"time"}`:                 "it demands format in two ways at once",
		`{"items":{}},{"prefixItems":[{}]}`:                   "it demands items and prefixItems in different parts",
		`{"properties":{"a":{}}},{"unknown":1},{"unknown":2}`: "it demands unknown in two ways at once",
	} {
		_, _, err := adapt(schema.GeminiJSON, json.RawMessage(open(`{"allOf":[`+raw+`]}`)))
		wantErr(t, err, why)
	}
}

func TestAdaptForOllama(t *testing.T) {
	t.Parallel()
	testAdapt(t, schema.Ollama, []adaptCase{
		{
			"the subset case", subsetCase,
			strings.NewReplacer(`,"examples":["a"]`, ``, `"exclusiveMinimum":0`, `"minimum":1`).Replace(subsetCase), nil,
		},
		{
			"reference to the root", `{"type":"object","properties":{"next":{"$ref":"#"},"v":{"$ref":"#/$defs/root"}},"$defs":{"root":{"type":"string"}}}`,
			`{"$ref":"#/$defs/root_","$defs":{"root":{"type":"string"},"root_":{"type":"object","properties":{"next":{"$ref":"#/$defs/root_"},"v":{"$ref":"#/$defs/root"}}}}}`, nil,
		},
		{
			"what a reference would hide", `{"properties":{"p":{"$ref":"#/$defs/s","maxLength":2}},"$defs":{"s":{"type":"string","minLength":1}}}`,
			`{"properties":{"p":{"maxLength":2,"type":"string","minLength":1}},"$defs":{"s":{"type":"string","minLength":1}}}`, nil,
		},
		{
			"what a union would hide", `{"type":"object","properties":{"a":{"type":"string"}},"description":"d","anyOf":[{"required":["a"]},{"properties":{"b":{"type":"null"}},"required":["b"]}]}`,
			`{"description":"d","anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},` +
				`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"null"}},"required":["b"]}]}`, nil,
		},
		{
			"a type that the branches have anyway", `{"type":"object","anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}}}`,
			`{"$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}},"anyOf":[{"$ref":"#/$defs/a"}]}`, nil,
		},
		{"values that the rest rules out", open(`{"type":"integer","enum":[1,2,"a"],"minimum":2}`), open(`{"type":"integer","enum":[2]}`), nil},
		{"any value", open(`true`), open(`{"type":["object","array","string","number","boolean","null"]}`), nil},
		{
			"bounds without grammar", open(`{"type":"number","minimum":1,"multipleOf":0.5}`), open(`{"type":"number","description":"{minimum: 1} {multipleOf: 0.5}"}`),
			[]string{"properties.p.minimum: not enforced by the provider; checked afterwards", "properties.p.multipleOf: not enforced by the provider; checked afterwards"},
		},
		{
			"lengths beyond reason", open(`{"type":"string","minLength":1,"maxLength":100000}`), open(`{"type":"string","minLength":1,"description":"{maxLength: 100000}"}`),
			[]string{"properties.p.maxLength: not enforced by the provider; checked afterwards"},
		},
		{
			"pattern", open(`{"type":"string","pattern":"^a$"}`), open(`{"type":"string","description":"{pattern: \"^a$\"}"}`),
			[]string{"properties.p.pattern: not enforced by the provider; checked afterwards"},
		},
		{
			"items after places", open(`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`), open(`{"type":"array","items":{"type":"integer"}}`),
			[]string{"properties.p.prefixItems: not enforced by the provider; checked afterwards"},
		},
		{
			"fewer places than items", open(`{"type":"array","prefixItems":[{"type":"string"}],"minItems":2}`), open(`{"type":"array","prefixItems":[{"type":"string"}],"description":"{minItems: 2}"}`),
			[]string{"properties.p.minItems: not enforced by the provider; checked afterwards"},
		},
		{"open on purpose", open(`{"additionalProperties":true}`), open(`{"additionalProperties":true,"type":["object","array","string","number","boolean","null"]}`), nil},
		{
			"length of a list of anything", open(`{"type":"array","maxItems":2}`),
			open(`{"type":"array","maxItems":2,"items":{"type":["object","array","string","number","boolean","null"]}}`), nil,
		},
		{
			"patterns of names", open(`{"type":"object","patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`), open(`{"type":"object"}`),
			[]string{"properties.p.patternProperties: not enforced by the provider; checked afterwards"},
		},
	})
}

func TestAdaptForCohere(t *testing.T) {
	t.Parallel()
	testAdapt(t, schema.Cohere, []adaptCase{
		{
			"a list of types", open(`{"type":["string","integer","null"],"description":"d","enum":["a",1,null],"minimum":1}`),
			open(`{"description":"d","anyOf":[{"type":"string","enum":["a"]},{"type":"integer","enum":[1],"description":"{minimum: 1}"},{"type":"null"}]}`),
			[]string{"properties.p.anyOf[1].minimum: not enforced by the provider; checked afterwards"},
		},
		{
			"bounds", open(`{"type":"array","items":{"type":"string","pattern":"^a$"},"minItems":1,"uniqueItems":true}`),
			open(`{"type":"array","items":{"type":"string","description":"{pattern: \"^a$\"}"},"description":"{minItems: 1, uniqueItems: true}"}`),
			[]string{
				"properties.p.minItems: not enforced by the provider; checked afterwards",
				"properties.p.uniqueItems: not enforced by the provider; checked afterwards",
				"properties.p.items.pattern: not enforced by the provider; checked afterwards",
			},
		},
		{"what it reads", open(`{"type":"string","pattern":"[a-z]+","format":"uuid"}`), open(`{"type":"string","pattern":"[a-z]+","format":"uuid"}`), nil},
		{
			"definitions", `{"type":"object","properties":{"p":{"$ref":"#/definitions/s"}},"required":["p"],"definitions":{"s":{"type":"string"}}}`,
			`{"type":"object","properties":{"p":{"$ref":"#/$defs/s"}},"required":["p"],"$defs":{"s":{"type":"string"}}}`, nil,
		},
		{
			"nothing required", open(`{"type":"object","properties":{"a":{"type":"string"}}}`), open(`{"type":"object","properties":{"a":{"type":"string"}}}`),
			[]string{"properties.p: an object that requires no property, so the schema is not enforced"},
		},
		{"a list at the root", `{"type":"array"}`, `{"type":"array"}`, []string{"the root has not just the type object, so the schema is not enforced"}},
		{
			"required in a map", open(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}}`),
			open(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}}`),
			[]string{"properties.p.additionalProperties.required: not enforced by the provider; checked afterwards"},
		},
	})
}

func TestCohereIsStrictOnlyWhereItCan(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		props := make([]string, n)
		for i := range props {
			props[i] = fmt.Sprintf(`"p%d":{"type":"string"}`, i)
		}
		return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":["p0"]}`
	}
	for raw, want := range map[string]bool{
		open(`{"type":"string"}`): true, `{"type":"object","properties":{}}`: false, many(200): true, many(201): false,
	} {
		out, err := schema.Adapt(schema.Cohere, json.RawMessage(raw))
		if err != nil || out.Strict != want || want != (len(out.Notes) == 0) {
			t.Errorf("%.60s: %v, %q, %v; want %v", raw, out.Strict, out.Notes, err, want)
		}
	}
}

func TestAdaptRefuses(t *testing.T) {
	t.Parallel()
	some, parts := make([]string, 60), make([]string, 80)
	for i := range some {
		some[i] = fmt.Sprintf(`"p%d":{"allOf":[{"$ref":"#/$defs/d"},{"minProperties":1}]}`, i)
	}
	for i := range parts {
		parts[i] = fmt.Sprintf(`"q%d":{"type":"string"}`, i)
	}
	wide := `{"properties":{` + strings.Join(some, ",") + `},"$defs":{"d":{"properties":{` + strings.Join(parts, ",") + `}}}}`
	tests := []struct {
		name   string
		target schema.Target
		raw    string
		want   string
	}{
		{"no schema", schema.GeminiJSON, `[]`, "must be an object"},
		{"dangling reference", schema.GeminiJSON, open(`{"$ref":"#/$defs/x"}`), "properties.p.$ref: leads nowhere"},
		{"itself", schema.GeminiJSON, `{"anyOf":[{"$ref":"#"}]}`, "refers to itself without end"},
		{"two unions", schema.GeminiJSON, open(`{"anyOf":[{}],"oneOf":[{}]}`), "properties.p: both oneOf and anyOf"},
		{"closed against each other", schema.GeminiJSON, open(`{"allOf":[{"additionalProperties":false},{"properties":{"a":{}}}]}`), "properties.p.allOf: a schema made of several (a: a property that another part of the schema rules out)"},
		{"explosion", schema.GeminiJSON, wide, "more than 4000 parts once its references are written out"},
		{"endless list", schema.GeminiJSON, `{"type":"array","items":{"$ref":"#"}}`, "recursion through # without a property on the way"},
		{"several patterns", schema.GeminiJSON, open(`{"allOf":[{"pattern":"a"},{"pattern":"b"}]}`), "properties.p.allOf: a schema made of several (it demands pattern in two ways at once)"},
		{"recursive part", schema.Ollama, `{"$defs":{"t":{"properties":{"n":{"allOf":[{"$ref":"#/$defs/t"},{"minProperties":1}]}}}}}`, "it is recursive through #/$defs/t"},
		{"escaped reference", schema.Ollama, `{"items":{"$ref":"#/$defs/a~1b"},"$defs":{"a/b":{}}}`, "the reference"},
		{"references alike", schema.Ollama, `{"prefixItems":[{"$ref":"#/$defs/a_b"},{"$ref":"#/$defs/a b"}],"$defs":{"a_b":{},"a b":{}}}`, "in one schema"},
		{"nothing fits", schema.Ollama, open(`{"type":"string","const":1}`), "a schema that no value fits"},
		{"itself", schema.Cohere, `{"$ref":"#"}`, "refers to itself without end"},
		{"map", schema.OpenAI, open(`{"type":"object","additionalProperties":{}}`), "properties.p: an object of properties that aren't named"},
		{"recursion", schema.Anthropic, `{"properties":{"n":{"$ref":"#"}}}`, "recursive through #"},
		{"no such target", 99, `{}`, "no such target: 99"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.target, " ", tt.name), func(t *testing.T) {
			t.Parallel()
			out, err := schema.Adapt(tt.target, json.RawMessage(tt.raw))
			wantErr(t, err, tt.want)
			if out.Schema != nil || out.Strict {
				t.Errorf("a schema beside the error: %s", out.Schema)
			}
		})
	}
}

var targets = map[string]schema.Target{
	"openai": schema.OpenAI, "anthropic": schema.Anthropic, "gemini JSON": schema.GeminiJSON,
	"ollama": schema.Ollama, "cohere": schema.Cohere,
}

// TestAdaptIsSound: adapting again changes nothing, and what fits an adapted
// schema without notes fits the original. On Ollama the values are those of the
// grammar, whether they fit the adapted schema or not.
func TestAdaptIsSound(t *testing.T) {
	t.Parallel()
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s score
			for seed := range uint64(500) {
				s.try(t, target, random{rand.New(rand.NewPCG(seed, 9))})
			}
			t.Logf("%+v", s)
			if s.adapted < 400 || s.silent < 60 || s.values < 200 {
				t.Errorf("too little was tried: %+v", s)
			}
		})
	}
}

// score counts what a run of random schemas came to.
type score struct{ adapted, refused, silent, values int }

func (s *score) try(t *testing.T, target schema.Target, r random) {
	t.Helper()
	raw := json.RawMessage(r.wild())
	if target == schema.OpenAI || target == schema.Anthropic {
		raw = json.RawMessage(r.schema()) // they refuse nearly all that is wild
	}
	original, err := schema.Compile(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	out, err := schema.Adapt(target, raw)
	if err != nil {
		s.refused++
		return
	}
	s.adapted++
	again, err := schema.Adapt(target, out.Schema)
	if err != nil || string(again.Schema) != string(out.Schema) {
		t.Fatalf("%s\nbecame %s\nthen   %s, %v", raw, out.Schema, again.Schema, err)
	}
	if len(again.Notes) > 0 && again.Strict {
		t.Fatalf("%s\nbecame %s\nwith new notes: %q", raw, out.Schema, again.Notes)
	}
	if why := refusal(target, out.Schema); why != "" {
		t.Fatalf("%s\nbecame %s\nwhich the wire refuses: %s", raw, out.Schema, why)
	}
	adapted, err := schema.Compile(out.Schema)
	if err != nil {
		t.Fatalf("%s\nbecame %s: %v", raw, out.Schema, err)
	}
	if len(out.Notes) > 0 {
		return
	}
	s.silent++
	for range 4 {
		w := r.read(out.Schema)
		answer := must(json.Marshal(w.value(w.root)))
		if target != schema.Ollama {
			answer = r.spoil(answer)
		}
		if w.lost || target != schema.Ollama && adapted.Validate(answer) != nil {
			continue
		}
		s.values++
		back := json.RawMessage(answer)
		if target == schema.OpenAI {
			back = must(schema.DropNulls(raw, back))
		}
		if err := original.Validate(back); err != nil {
			t.Fatalf("%s\nbecame %s\n%s fits that alone: %v", raw, out.Schema, answer, err)
		}
	}
}

func FuzzAdapt(f *testing.F) {
	for _, s := range []string{
		`{"type":["object","null"],"properties":{"a":{"$ref":"#"},"b":{"enum":["x",null,1]}},"required":["a","c"]}`,
		`{"allOf":[{"properties":{"a":{"minimum":1}}},{"properties":{"a":{"type":"integer"}},"additionalProperties":false}]}`,
		`{"$ref":"#/definitions/x","definitions":{"x":{"anyOf":[{"type":"array","items":{"$ref":"#/definitions/x"}},true]}}}`,
		`{"items":[{"const":"a"},{"type":"number","exclusiveMaximum":1.5}],"additionalItems":false,"nullable":true}`,
		`{"oneOf":[{"type":"string","format":"uuid","pattern":"^a$"},{"type":"null"}],"type":"string","maxLength":3}`,
		`{"properties":{"p":{"patternProperties":{"^x":{}},"propertyNames":{"maxLength":2}}},"propertyOrdering":["p"]}`,
		`{"anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":false},"minProperties":1}`,
	} {
		for target := range uint8(5) {
			f.Add([]byte(s), target)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, at uint8) {
		target := schema.Target(at % 5)
		out, err := schema.Adapt(target, raw)
		if err != nil {
			return
		}
		if why := refusal(target, out.Schema); why != "" {
			t.Errorf("%s became %s, which the wire refuses: %s", raw, out.Schema, why)
		}
		again, err := schema.Adapt(target, out.Schema)
		if err != nil || string(again.Schema) != string(out.Schema) || again.Strict != out.Strict {
			t.Errorf("%s became %s, then %s, %v", raw, out.Schema, again.Schema, err)
		}
	})
}
