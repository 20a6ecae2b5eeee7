package schema_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

// wild makes schemas with all that people write into them.
func (r random) wild() string {
	root := r.wildObject(1 + r.IntN(2))
	var defs []string
	for _, def := range []string{
		`"word":{"type":"string"}`,
		`"node":{"type":"object","properties":{"v":` + r.wildLeaf() + `,"next":{"$ref":"#/$defs/node"}},"required":["v"]}`,
		`"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["kids"]}`,
		`"base":{"type":"object","properties":{"id":` + r.wildLeaf() + `},"required":["id"]}`,
	} {
		name, _, _ := strings.Cut(def[1:], `"`)
		if strings.Contains(root, "#/$defs/"+name) {
			defs = append(defs, def)
		}
	}
	return root[:len(root)-1] + `,"$defs":{` + strings.Join(defs, ",") + `}}`
}

func (r random) choose(list ...string) string { return list[r.IntN(len(list))] }

// wildLeaf is mostly something that every wire takes, so that some schemas
// come through without a note.
func (r random) wildLeaf() string {
	switch r.IntN(8) {
	case 0, 1, 2:
		return r.choose(`{"type":"string"}`, `{"type":"integer"}`, `{"type":"boolean"}`, `{"type":"string","format":"date-time"}`)
	case 3, 4:
		return r.choose(`{"type":"string","enum":["a","2","type"]}`, `{"const":"a"}`, `{"type":["string","null"]}`,
			`{"type":["string","null"],"enum":["a",null]}`, `{"type":["integer","string"]}`, `{"type":"null"}`)
	case 5, 6:
		return r.choose(`{"type":"string","minLength":1,"maxLength":3}`, `{"type":"integer","exclusiveMinimum":0,"maximum":5}`,
			`{"type":"integer","minimum":1}`, `{"type":"number","minimum":1}`, `{"type":["integer","null"],"exclusiveMaximum":2.5}`,
			`{"type":["string","integer"],"minLength":2,"minimum":2}`, `{"type":"integer","enum":[1,2,3],"minimum":2}`,
			`{"type":"array","items":{"type":"string"},"maxItems":1}`, `{"type":"string","pattern":"a"}`)
	}
	return r.choose(
		`{"type":"string","pattern":"^a"}`, `{"type":"string","format":"email"}`, `{"const":7}`, `{"enum":[1,"a",null,true]}`,
		`{}`, `true`, `{"description":"d"}`, `{"type":"number","exclusiveMinimum":1}`, `{"type":"object"}`,
		`{"type":"array","maxItems":1}`, `{"minLength":2}`, `{"type":"boolean","const":true}`, `{"not":{"type":"string"}}`,
		`{"type":"number","multipleOf":0.5}`, `{"type":"string","format":"date","minLength":11}`)
}

func (r random) wildAny(depth int) string {
	if depth <= 0 || r.IntN(3) == 0 {
		return r.wildLeaf()
	}
	some, other := r.wildAny(depth-1), r.wildAny(depth-1)
	switch r.IntN(13) {
	case 0:
		return `{"type":"array","items":` + some + r.choose(``, ``, `,"minItems":1,"maxItems":3`) + `}`
	case 1:
		return `{"type":"array","prefixItems":[` + some + `,` + other + `]` + r.choose(``, `,"items":false`, `,"items":{"type":"string"}`) + `}`
	case 2:
		return `{"anyOf":[` + some + `,` + other + `,{"type":"null"}],"description":"either"}`
	case 3:
		return `{"oneOf":[` + some + `,{"type":"null"}]}`
	case 4:
		return `{"type":"object","properties":{"a":` + some + `,"b":` + other + `},"anyOf":[{"required":["a"]},{"required":["b"]}]}`
	case 5:
		return `{"allOf":[{"$ref":"#/$defs/base"},{"type":"object","properties":{"a":` + some + `}}]}`
	case 6:
		return `{"$ref":"#/$defs/` + r.choose("word", "node", "tree", "base") + `"}`
	case 7:
		return `{"$ref":"#/$defs/word","description":"d"` + r.choose(``, `,"maxLength":2`) + `}`
	case 8:
		return `{"type":"object","additionalProperties":` + some + `}`
	case 9:
		return `{"type":["object","array","null"],"properties":{"a":` + some + `},"items":` + other + `,"required":["a"]}`
	case 10:
		return `{"allOf":[{"type":"object","properties":{"a":{"type":["number","null"]}}},{"properties":{"a":{"type":"integer"},"b":` + other + `}}]}`
	case 11:
		return `{"type":"object","anyOf":[{"$ref":"#/$defs/base"},{"$ref":"#/$defs/node"}]}`
	}
	return r.wildObject(depth - 1)
}

func (r random) wildObject(depth int) string {
	props, required := make([]string, 0, 3), make([]string, 0, 4)
	for _, at := range r.Perm(len(oddNames))[:1+r.IntN(3)] {
		name := string(must(json.Marshal(oddNames[at])))
		props = append(props, name+":"+r.wildAny(depth))
		if len(required) == 0 || r.IntN(2) == 0 {
			required = append(required, name)
		}
	}
	if r.IntN(20) == 0 {
		required = append(required, `"nowhere"`)
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `]` +
		r.choose(``, ``, `,"additionalProperties":false`, `,"additionalProperties":false`, `,"additionalProperties":true`, `,"minProperties":1`) + `}`
}

// writer writes values the way llama.cpp's grammar of a schema does: what it
// looks for first decides, and it sees nothing else. For schemas in which
// nothing else is said, that is what JSON Schema says too.
type writer struct {
	random
	root map[string]any
	deep int
	lost bool // the value went too deep
}

func (w *writer) value(at any) any {
	w.deep++
	defer func() { w.deep-- }()
	s, ok := at.(map[string]any)
	if w.deep > 60 {
		w.lost = true
		return nil
	}
	if !ok || len(s) == 0 {
		return map[string]any{"any": 1}
	}
	if ref, ok := s["$ref"].(string); ok {
		return w.value(w.follow(ref))
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if branches, ok := s[word].([]any); ok {
			if w.deep > 12 {
				return w.value(branches[len(branches)-1])
			}
			return w.value(branches[w.IntN(len(branches))])
		}
	}
	if words, ok := s["type"].([]any); ok {
		one := maps.Clone(s)
		one["type"] = words[w.IntN(len(words))]
		return w.value(one)
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[w.IntN(len(enum))]
	}
	return w.typed(s)
}

func (w *writer) follow(ref string) any {
	var at any = w.root
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		switch in := at.(type) {
		case map[string]any:
			if part != "" {
				at = in[part]
			}
		case []any:
			at = in[must(strconv.Atoi(part))]
		}
	}
	return at
}

func (w *writer) typed(s map[string]any) any {
	_, props := s["properties"]
	rest, open := s["additionalProperties"]
	switch word, _ := s["type"].(string); {
	case (word == "" || word == "object") && (props || open && rest != true):
		return w.object(s)
	case (word == "" || word == "array") && (s["items"] != nil || s["prefixItems"] != nil):
		return w.array(s)
	case word == "string":
		return w.text(s)
	case word == "integer":
		return w.integer(s)
	case word == "number":
		return []any{-1, 0, 1.5, 2, 7}[w.IntN(5)]
	case word == "boolean":
		return w.IntN(2) == 0
	case word == "null":
		return nil
	case word == "array":
		return [][]any{{}, {"a"}, {1, nil}}[w.IntN(3)]
	case word == "object":
		return []map[string]any{{}, {"any": 1}, {"a": nil}}[w.IntN(3)]
	}
	return []any{"text", 1, nil, []any{}}[w.IntN(4)]
}

func (w *writer) object(s map[string]any) any {
	out := map[string]any{}
	required, _ := s["required"].([]any)
	props, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if slices.Contains(required, any(name)) || w.deep < 12 && w.IntN(2) == 0 {
			out[name] = w.value(props[name])
		}
	}
	if rest, ok := s["additionalProperties"]; ok && rest != false && w.IntN(2) == 0 {
		out["extra"] = w.value(rest)
	}
	return out
}

func (w *writer) array(s map[string]any) any {
	if places, ok := s["prefixItems"].([]any); ok && s["items"] == nil {
		out := make([]any, len(places))
		for i, p := range places {
			out[i] = w.value(p)
		}
		return out
	}
	least, most := bound(s, "minItems", 0), bound(s, "maxItems", 1000)
	if w.deep < 12 {
		least = min(most, least+w.IntN(3))
	}
	out := make([]any, least)
	for i := range out {
		out[i] = w.value(s["items"])
	}
	return out
}

func bound(s map[string]any, word string, none int) int {
	if f, ok := s[word].(float64); ok {
		return int(f)
	}
	return none
}

func (w *writer) text(s map[string]any) any {
	if f, ok := s["format"].(string); ok && f != "email" {
		return map[string]string{"date": "2026-11-30", "time": "10:00:00Z", "date-time": "2026-11-30T10:00:00Z"}[f]
	}
	least := bound(s, "minLength", 0)
	n := min(least+w.IntN(4), bound(s, "maxLength", 1000))
	return strings.Repeat(w.choose("a", "é", "z"), n)
}

func (w *writer) integer(s map[string]any) any {
	least, most := bound(s, "minimum", -5), bound(s, "maximum", 10)
	return min(most, least+w.IntN(7))
}

// read is a schema as a writer reads it.
func (r random) read(raw json.RawMessage) *writer {
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		panic(err) //nolint:forbidigo // a fault of the test itself
	}
	return &writer{random: r, root: root}
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

var targets = map[string]schema.Target{
	"openai": schema.OpenAI, "anthropic": schema.Anthropic, "gemini JSON": schema.GeminiJSON,
	"ollama": schema.Ollama, "cohere": schema.Cohere,
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
