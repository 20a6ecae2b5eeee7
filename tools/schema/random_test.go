package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sabir-go/sabir/tools/schema"
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
