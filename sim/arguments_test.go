package sim_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sabir-go/sabir/sim"
)

// forced lets the simulator call a tool with that schema and returns the
// arguments. The schema stands inside an object, under "v".
func forced(t *testing.T, schema, prompt string) string {
	t.Helper()
	s := sim.New(sim.Options{Lenient: true})
	req, err := json.Marshal(map[string]any{
		"model": "m", "messages": []any{map[string]any{"role": "user", "content": prompt}}, "tool_choice": "required",
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "f", "parameters": json.RawMessage(schema)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	args, _ := dig(t, ok(t, s, "elsewhere", string(req)), "choices", 0, "message", "tool_calls", 0, "function",
		"arguments").(string)
	return args
}

// inObject is a schema of an object whose member v has the given schema.
// Definitions stay at the root.
func inObject(schema, defs string) string {
	if defs == "" {
		defs = "{}"
	}
	return `{"type":"object","properties":{"v":` + schema + `},"required":["v"],"additionalProperties":false,"$defs":` + defs + `}`
}

func validate(t *testing.T, schema, value string) {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatalf("%v in %s", err, schema)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%v in %s", err, schema)
	}
	var v any
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		t.Fatalf("%v in %s", err, value)
	}
	if err := r.Validate(v); err != nil {
		t.Errorf("%s is not valid: %v\nschema %s", value, err, schema)
	}
}

// TestMadeArguments: the values that a reader expects, from prompt and schema.
func TestMadeArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, prompt, schema, want string }{
		{"city", weatherWords, `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, `{"city":"Ghent"}`},
		{"two names in order", "From Aalst to New York, please.", `{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"]}`, `{"from":"Aalst","to":"New York"}`},
		{"dates are no names", "High water at Sorrel Bar on Friday, and a berth for Kittiwake?", `{"type":"object","properties":{"station":{"type":"string"},"date":{"type":"string"},"vessel":{"type":"string"}},"required":["station","date","vessel"]}`, `{"station":"Sorrel Bar","date":"2026-11-30","vessel":"Kittiwake"}`},
		{"number and mentioned enum", "3 nights with shore power", `{"type":"object","properties":{"nights":{"type":"integer"},"kind":{"enum":["bare","shore power"]}},"required":["nights","kind"]}`, `{"nights":3,"kind":"shore power"}`},
		{"first of enum", "hi", `{"type":"object","properties":{"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["unit"]}`, `{"unit":"celsius"}`},
		{"optional enum when mentioned", "in fahrenheit", `{"type":"object","properties":{"a":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]}}}`, `{"unit":"fahrenheit"}`},
		{"optional number when named", "for 4 days", `{"type":"object","properties":{"days":{"type":"integer"},"hours":{"type":"integer"}}}`, `{"days":4}`},
		{"whole question", "Who built it?", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`, `{"query":"Who built it?"}`},
		{"default", "hi", `{"type":"object","properties":{"n":{"type":"integer","default":25}},"required":["n"]}`, `{"n":25}`},
		{"order of the schema", "hi", `{"type":"object","properties":{"z":{"const":1},"a":{"const":2}},"required":["a","z"]}`, `{"z":1,"a":2}`},
		{"last word when there is no name", "weather in ghent", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, `{"city":"ghent"}`},
		{"no schema", "hi", `{}`, `{}`},
		{"no arguments", "hi", `{"type":"object"}`, `{}`},
		{"not satisfiable", "hi", `{"type":"object","required":["a"],"properties":{"a":false}}`, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := forced(t, c.schema, c.prompt); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestMadeArgumentsAreValid goes through schemas that are hard to satisfy.
func TestMadeArgumentsAreValid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, defs string }{
		{"bounds", `{"type":"integer","minimum":17,"maximum":18}`, ""},
		{"exclusive bounds", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, ""},
		{"negative", `{"type":"integer","maximum":-5}`, ""},
		{"multiple", `{"type":"integer","minimum":100,"multipleOf":7}`, ""},
		{"fraction", `{"type":"number","minimum":1,"multipleOf":0.25,"maximum":1.3}`, ""},
		{"length", `{"type":"string","minLength":40,"maxLength":41}`, ""},
		{"short", `{"type":"string","maxLength":2}`, ""},
		{"pattern", `{"type":"string","pattern":"^[A-Z]{2}-\\d{4}(a|b)?$"}`, ""},
		{"pattern and length", `{"type":"string","pattern":"^[a-z]+$","minLength":4}`, ""},
		{"array of three", `{"type":"array","items":{"type":"string"},"minItems":3}`, ""},
		{"unique", `{"type":"array","items":{"type":"integer","minimum":1,"maximum":4},"minItems":4,"uniqueItems":true}`, ""},
		{"unique enum", `{"type":"array","items":{"enum":["a","b","c"]},"minItems":3,"uniqueItems":true}`, ""},
		{"empty array", `{"type":"array","maxItems":0}`, ""},
		{"tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, ""},
		{"contains", `{"type":"array","items":{"type":"integer"},"contains":{"minimum":50},"minContains":2}`, ""},
		{"nullable", `{"type":["null","string"]}`, ""},
		{"null", `{"type":"null"}`, ""},
		{"anyOf", `{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}]}`, ""},
		{"oneOf, overlapping", `{"oneOf":[{"type":"integer"},{"type":"integer","minimum":5},{"type":"string","maxLength":3}]}`, ""},
		{"anyOf beside properties", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, ""},
		{"allOf", `{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"a":{"minimum":9},"b":{"const":true}},"required":["b"]}]}`, ""},
		{"if then", `{"type":"object","properties":{"kind":{"enum":["box","ball"]}},"required":["kind"],"if":{"properties":{"kind":{"const":"box"}}},"then":{"required":["edge"],"properties":{"edge":{"type":"number"}}},"else":{"required":["radius"]}}`, ""},
		{"not", `{"type":"string","enum":["a","b"],"not":{"const":"a"}}`, ""},
		{"not a number", `{"type":"integer","not":{"minimum":0}}`, ""},
		{"ref", `{"$ref":"#/$defs/place"}`, `{"place":{"type":"object","properties":{"name":{"type":"string"},"in":{"$ref":"#/$defs/country"}},"required":["name","in"]},"country":{"enum":["BE","NL"]}}`},
		{"recursion through null", `{"$ref":"#/$defs/node"}`, `{"node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["next"]}}`},
		{"recursion through an array", `{"$ref":"#/$defs/tree"}`, `{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["kids"]}}`},
		{"escaped ref", `{"$ref":"#/$defs/a~1b"}`, `{"a/b":{"const":5}}`},
		{"additional properties", `{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}`, ""},
		{"pattern properties", `{"type":"object","minProperties":1,"patternProperties":{"^x-[a-z]+$":{"type":"boolean"}},"additionalProperties":false}`, ""},
		{"property names", `{"type":"object","minProperties":2,"propertyNames":{"pattern":"^[a-z]{1,9}$"}}`, ""},
		{"dependent required", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a"],"dependentRequired":{"a":["b"]}}`, ""},
		{"dependent schemas", `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"dependentSchemas":{"a":{"required":["c"],"properties":{"c":{"const":"x"}}}}}`, ""},
		{"required without property", `{"type":"object","required":["ghost"]}`, ""},
		{"const object", `{"const":{"a":[1,2,{"b":null}]}}`, ""},
		{"big integer", `{"type":"integer","minimum":9007199254740995}`, ""},
		{"true", `true`, ""},
		{"weird names", `{"type":"object","properties":{"a\"b":{"type":"string"},"é/~":{"type":"string"}},"required":["a\"b","é/~"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schema := inObject(c.schema, c.defs)
			args := forced(t, schema, "Ask Ada Lovelace for 12 tides in Ghent")
			validate(t, schema, args)
			if args == "{}" {
				t.Errorf("gave up on %s", schema)
			}
		})
	}
}

// TestFormats: the validator doesn't look at formats, so look here.
func TestFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"date": "2026-11-30", "date-time": "2026-11-30T12:00:00Z", "email": "ada@example.com", "uuid": "123e4567-e89b-42d3-a456-426614174000",
		"ipv4": "192.0.2.1", "uri": "https://example.com/", "hostname": "example.com",
	} {
		schema := inObject(`{"type":"string","format":"`+format+`"}`, "")
		if got := forced(t, schema, "Ghent"); got != `{"v":"`+want+`"}` {
			t.Errorf("%s: %s", format, got)
		}
	}
}

// schemaFor makes a schema that the made value of the other side can't know: it
// is grown around a value, so that there is one that fits.
func schemaFor(r *rand.Rand, depth int) string {
	kinds := 6
	if depth <= 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		low := r.IntN(2000) - 1000
		return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, low, low+r.IntN(20))
	case 1:
		low, step := r.IntN(200)-100, []string{"0.5", "0.125", "3", "0.25"}[r.IntN(4)]
		return fmt.Sprintf(`{"type":"number","exclusiveMinimum":%d,"maximum":%d,"multipleOf":%s}`, low, low+4+r.IntN(9), step)
	case 2:
		low := r.IntN(12)
		if r.IntN(3) == 0 {
			return fmt.Sprintf(`{"type":"string","pattern":"^[a-f%d]{%d}(x|y)?z*$"}`, r.IntN(10), low)
		}
		return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, low, low+r.IntN(4))
	case 3:
		return []string{`{"type":"boolean"}`, `{"type":"null"}`, `{"enum":[3,"a",null]}`, `{"const":{"a":1}}`, `{"type":["string","null"],"maxLength":1}`}[r.IntN(5)]
	case 4:
		low := r.IntN(3)
		return fmt.Sprintf(`{"type":"array","items":%s,"minItems":%d,"maxItems":%d}`, schemaFor(r, depth-1), low,
			low+r.IntN(3))
	}
	return objectFor(r, depth)
}

func objectFor(r *rand.Rand, depth int) string {
	n := 1 + r.IntN(4)
	props, required := make([]string, 0, n), []string{}
	for i := range n {
		name := fmt.Sprintf(`"p%d"`, i)
		sub := schemaFor(r, depth-1)
		if r.IntN(5) == 0 {
			sub = fmt.Sprintf(`{"anyOf":[%s,%s]}`, sub, schemaFor(r, depth-1))
		}
		props = append(props, name+":"+sub)
		if r.IntN(3) > 0 {
			required = append(required, name)
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false,"minProperties":%d}`,
		strings.Join(props, ","), strings.Join(required, ","), r.IntN(len(props)+1))
}

func FuzzMadeArguments(f *testing.F) {
	for i := range uint64(40) {
		f.Add(i, "Ghent at 7")
	}
	f.Fuzz(func(t *testing.T, seed uint64, prompt string) {
		r := rand.New(rand.NewPCG(seed, 1))
		schema := inObject(schemaFor(r, 3), "")
		args := forced(t, schema, prompt)
		validate(t, schema, args)
	})
}

// FuzzAnySchema: whatever stands where a schema belongs, the server answers.
func FuzzAnySchema(f *testing.F) {
	for _, seed := range []string{
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`, `{"oneOf":[{"items":{"$ref":"#"}},{"allOf":[{"$ref":"#"},{"minItems":3}]}]}`, `{"anyOf":[]}`, `{"type":[]}`, `{"items":[1]}`, `{"minLength":1e9}`, `{"minItems":1000000,"type":"array"}`,
		`{"enum":[]}`, `{"pattern":"("}`, `{"multipleOf":0,"type":"number"}`, `{"minimum":1e999}`, `{"properties":[]}`, `null`, `7`, `{"$ref":"http://x"}`,
		`{"type":"object","minProperties":100000}`, `{"pattern":"^(((a{1,50}){1,50}){1,50})$"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		if args := forced(t, schema, "Ghent"); !json.Valid([]byte(args)) {
			t.Errorf("%s: %s", schema, args)
		}
	})
}
