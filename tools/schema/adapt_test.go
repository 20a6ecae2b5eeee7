package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

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

func TestAdaptForGemini(t *testing.T) {
	t.Parallel()
	testAdapt(t, schema.Gemini, []adaptCase{
		{
			"the subset case", subsetCase,
			`{"type":"object","required":["title","unit"],"properties":{"title":{"type":"string","default":"x"},` +
				`"unit":{"type":"string","enum":["metric"]},"note":{"type":"string","nullable":true},"count":{"type":"integer","minimum":1},` +
				`"default":{"type":"boolean"},"extra":{"type":"object","properties":{"k":{"type":"string"}},"nullable":true}},` +
				`"propertyOrdering":["title","unit","note","count","default","extra"]}`,
			[]string{"properties.extra.anyOf[0].additionalProperties: only the properties named in the schema can come back"},
		},
		{"no parameters", `{"type":"object","properties":{}}`, `{"type":"object"}`, nil},
		{"no parameters, closed", `{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object"}`, nil},
		{
			"properties named like keywords",
			`{"type":"object","properties":{"const":{"type":"string"},"$ref":{"type":"string"},"oneOf":{"type":"string"},"nullable":{"type":"string"}},"required":["$ref"]}`,
			`{"type":"object","properties":{"const":{"type":"string"},"$ref":{"type":"string"},"oneOf":{"type":"string"},"nullable":{"type":"string"}},"required":["$ref"],"propertyOrdering":["const","$ref","oneOf","nullable"]}`,
			nil,
		},
		{
			"references are written out",
			`{"type":"object","properties":{"p":{"$ref":"#/$defs/d","description":"here"}},"required":["p"],"$defs":{"d":{"type":"string","description":"a word","maxLength":3}}}`,
			open(`{"type":"string","description":"here a word","maxLength":3}`), nil,
		},
		{
			"recursion through an optional property",
			`{"type":"object","properties":{"v":{"type":"string","format":"uri"},"next":{"$ref":"#"}}}`,
			func() string {
				const v = `"v":{"type":"string","description":"{format: \"uri\"}"}`
				level := `{"type":"object","properties":{` + v + `}}`
				for range 3 {
					level = `{"type":"object","properties":{` + v + `,"next":` + level + `},"propertyOrdering":["v","next"]}`
				}
				return level
			}(),
			[]string{
				"properties.v.format: not enforced by the provider; checked afterwards",
				"properties.next.properties.v.format: not enforced by the provider; checked afterwards",
				"recursive through #: only 3 levels can come back",
			},
		},
		{
			"recursion through a list", `{"$ref":"#/$defs/t","$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}}`,
			`{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"string"},"maxItems":0}}}`,
			[]string{"recursive through #/$defs/t: only 3 levels can come back"},
		},
		{
			"recursion through a union",
			open(`{"anyOf":[{"type":"number"},{"type":"array","items":{"$ref":"#/properties/p"},"minItems":2}]}`),
			open(`{"anyOf":[{"type":"number"},{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"array","items":{"anyOf":[{"type":"number"},` +
				`{"type":"array","items":{"type":"number"},"minItems":2}]},"minItems":2}]},"minItems":2}]}`),
			[]string{"recursive through #/properties/p: only 3 levels can come back"},
		},
		{
			"what stands beside a union goes into it",
			open(`{"description":"d","title":"t","anyOf":[{"type":"string"},{"type":"integer","description":"i"},{"type":"null"}],"default":null}`),
			open(`{"anyOf":[{"type":"string","description":"d","title":"t","nullable":true},{"type":"integer","description":"d i","title":"t","nullable":true}]}`), nil,
		},
		{
			"a choice of what is required",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"propertyOrdering":["a","b"]},` +
				`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"],"propertyOrdering":["a","b"]}]}`, nil,
		},
		{
			"allOf", open(`{"allOf":[{"type":"object","properties":{"a":{"type":"number","minimum":1}}},{"properties":{"a":{"type":"integer","minimum":3}},"required":["a"]}]}`),
			open(`{"type":"object","properties":{"a":{"type":"integer","minimum":3}},"required":["a"]}`), nil,
		},
		{
			"oneOf that can't overlap", open(`{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`),
			open(`{"anyOf":[{"type":"string","nullable":true},{"type":"integer","nullable":true}]}`), nil,
		},
		{
			"oneOf that can", open(`{"oneOf":[{"type":"number"},{"type":"integer"}]}`), open(`{"anyOf":[{"type":"number"},{"type":"integer"}]}`),
			[]string{"properties.p.oneOf: sent as anyOf, so more than one branch may fit"},
		},
		{
			"oneOf of a branch that says no type", open(`{"oneOf":[{"minLength":2},{"type":"null"}]}`), open(`{"type":"string","minLength":2,"nullable":true}`),
			[]string{"properties.p.oneOf: sent as anyOf, so more than one branch may fit"},
		},
		{
			"values of all kinds", open(`{"enum":["a",1,null,2]}`),
			open(`{"anyOf":[{"type":"string","enum":["a"],"nullable":true},{"type":"number","description":"{enum: [1,2]}","nullable":true}]}`),
			[]string{"properties.p.enum: not enforced by the provider; checked afterwards"},
		},
		{"null alone", open(`{"const":null}`), open(`{"type":"null"}`), nil},
		{"bounds that touch", open(`{"type":"integer","exclusiveMinimum":1.5,"minimum":1,"exclusiveMaximum":9,"maximum":5}`), open(`{"type":"integer","minimum":2,"maximum":5}`), nil},
		{
			"bound of a fraction", open(`{"type":"number","exclusiveMinimum":0}`), open(`{"type":"number","minimum":0,"description":"{exclusiveMinimum: 0}"}`),
			[]string{"properties.p.exclusiveMinimum: not enforced by the provider; checked afterwards"},
		},
		{
			"keywords of other types", open(`{"type":"string","minimum":1,"properties":{"a":{}},"required":["a"],"items":{},"maxLength":3}`),
			open(`{"type":"string","maxLength":3}`), nil,
		},
		{
			"places", open(`{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}`),
			open(`{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}`),
			[]string{"properties.p.items: items that are told apart by their place, sent as items that may stand anywhere"},
		},
		{
			"a map", open(`{"type":"object","additionalProperties":{"type":"integer"}}`),
			open(`{"type":"object","description":"{additionalProperties: {\"type\":\"integer\"}}"}`),
			[]string{"properties.p.additionalProperties: the properties aren't named, so the object may come back empty; checked afterwards"},
		},
		{
			"required without description", `{"type":"object","required":["ghost"]}`, `{"type":"object"}`,
			[]string{"required: ghost is not described, so it can't be demanded"},
		},
		{
			"any value", open(`{"description":"d"}`),
			open(`{"anyOf":[{"type":"string","description":"d","nullable":true},{"type":"number","description":"d","nullable":true},` +
				`{"type":"boolean","description":"d","nullable":true},{"type":"object","description":"d","nullable":true},` +
				`{"type":"array","description":"d","items":{"type":"string"},"nullable":true}]}`),
			[]string{"properties.p: any value: sent as a choice of a text, a number, a boolean, an object or a list of texts"},
		},
		{"ruled out", `{"type":"object","properties":{"a":{"type":"string"},"b":false}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, nil},
		{"an order of one's own", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"propertyOrdering":["b","a"]}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"propertyOrdering":["b","a"]}`, nil},
	})
}

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
		{"no more items", open(`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`), open(`{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1}`), nil},
	})
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
	defs := append(make([]string, 0, 15), `"d14":{"type":"string"}`)
	for i := range 14 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
	}
	wide := `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `}}`
	loop := `{"type":"object","properties":{"n":{"$ref":"#"}},"required":["n"]}`
	tests := []struct {
		name   string
		target schema.Target
		raw    string
		want   string
	}{
		{"no schema", schema.Gemini, `[]`, "must be an object"},
		{"dangling reference", schema.Gemini, open(`{"$ref":"#/$defs/x"}`), "properties.p.$ref: leads nowhere"},
		{"itself", schema.Gemini, `{"anyOf":[{"$ref":"#"}]}`, "refers to itself without end"},
		{"endless value", schema.Gemini, loop, "holds itself without a choice, which Gemini's schema dialect can't express"},
		{"explosion", schema.Gemini, wide, "more than 4000 parts once its references are written out"},
		{"two unions", schema.Gemini, open(`{"anyOf":[{}],"oneOf":[{}]}`), "properties.p: both oneOf and anyOf"},
		{"closed against each other", schema.Gemini, open(`{"allOf":[{"additionalProperties":false},{"properties":{"a":{}}}]}`), "properties.p.a: a property that another part of the schema rules out"},
		{"nothing fits", schema.Gemini, open(`{"type":"string","enum":[1]}`), "a schema that no value fits"},
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
