package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// random makes schemas and values that fit them.
type random struct{ *rand.Rand }

var oddNames = []string{"type", "required", "properties", "enum", "$ref", "items", "a.b", "é", "plain", "default"}

func (r random) schema() string {
	props := r.object(3)
	return props[:len(props)-1] + `,"$defs":{"word":{"type":"string"},"pair":` +
		strings.ReplaceAll(r.object(1), "#/$defs/pair", "#/$defs/word") + `}}`
}

func (r random) any(depth int) string {
	kinds := 9
	if depth == 0 {
		kinds = 6
	}
	switch r.IntN(kinds) {
	case 0:
		return `{"type":"string"}`
	case 1:
		return `{"type":["integer","null"],"description":"a number"}`
	case 2:
		return `{"type":"string","enum":["x","y"]}`
	case 3:
		return `{"type":"boolean"}`
	case 4:
		return `{"$ref":"#/$defs/word"}`
	case 5:
		return r.bounded()
	case 6:
		return `{"type":"array","items":` + r.any(depth-1) + `}`
	case 7:
		return `{"anyOf":[` + r.any(0) + `,` + r.any(depth-1) + `]}`
	}
	return r.object(depth - 1)
}

func (r random) bounded() string {
	return []string{
		`{"type":"string","minLength":1,"maxLength":10}`, `{"type":"integer","minimum":1,"maximum":5}`,
		`{"type":"number","multipleOf":0.5}`, `{"type":"string","format":"date"}`, `{"const":7}`, `{"$ref":"#/$defs/pair"}`,
	}[r.IntN(6)]
}

func (r random) object(depth int) string {
	props, required := make([]string, 0, 5), make([]string, 0, 5)
	for i, at := range r.Perm(len(oddNames))[:r.IntN(5)] {
		name := string(must(json.Marshal(oddNames[at])))
		props = append(props, name+":"+r.any(max(depth, 0)))
		if i%2 == r.IntN(2) {
			required = append(required, name)
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(props, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	if r.IntN(2) == 0 {
		s += `,"additionalProperties":false`
	}
	return s + "}"
}

// value makes a value that fits s, which root's definitions belong to.
func (r random) value(root, s map[string]any) any {
	if ref, ok := s["$ref"].(string); ok {
		defs, _ := root["$defs"].(map[string]any)
		return r.value(root, defs[ref[len("#/$defs/"):]].(map[string]any))
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[r.IntN(len(enum))]
	}
	if branches, ok := s["anyOf"].([]any); ok {
		return r.value(root, branches[r.IntN(len(branches))].(map[string]any))
	}
	word, _ := s["type"].(string)
	if words, ok := s["type"].([]any); ok {
		word = words[r.IntN(len(words))].(string)
	}
	switch word {
	case "string":
		return []string{"a", "long text", "é", "2026-11-30"}[r.IntN(4)]
	case "integer":
		return 1 + r.IntN(5)
	case "number":
		return 1.5
	case "boolean":
		return r.IntN(2) == 0
	case "null":
		return nil
	case "array":
		list := make([]any, r.IntN(3))
		for i := range list {
			list[i] = r.value(root, s["items"].(map[string]any))
		}
		return list
	}
	return r.members(root, s)
}

func (r random) members(root, s map[string]any) any {
	required := map[string]bool{}
	if names, ok := s["required"].([]any); ok {
		for _, n := range names {
			required[n.(string)] = true
		}
	}
	obj := map[string]any{}
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		if required[name] || r.IntN(2) == 0 {
			obj[name] = r.value(root, p.(map[string]any))
		}
	}
	return obj
}

func (r random) fitting(raw json.RawMessage) json.RawMessage {
	var s map[string]any
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err) //nolint:forbidigo // a fault of the test itself
	}
	return must(json.Marshal(r.value(s, s)))
}

// spoil changes one thing in a value.
func (r random) spoil(value json.RawMessage) json.RawMessage {
	s := string(value)
	from := []string{`"x"`, `1`, `2`, `true`, `"a"`, `null`, `[`, `"plain":`, `1.5`, `"é"`}[r.IntN(10)]
	to := []string{`"z"`, `7`, `1e1`, `null`, `""`, `{}`, `[0,`, `"more":`, `1.25`, `"much longer text"`}[r.IntN(10)]
	if spoilt := json.RawMessage(strings.Replace(s, from, to, 1)); json.Valid(spoilt) {
		return spoilt
	}
	return value
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) //nolint:forbidigo // a fault of the test itself
	}
	return v
}

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
