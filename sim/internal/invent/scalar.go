package invent

import (
	"encoding/json"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// makeNumber makes a number within its bounds: one from the prompt, 1, or the
// nearest to a bound.
func (m *maker) makeNumber(s *schema.Schema) (json.RawMessage, error) {
	for i, text := range m.numbers {
		if x := schema.ParseNumber(json.Number(text)); x != nil && m.isInBounds(s, x) {
			m.numbers = slices.Concat(m.numbers[:i], m.numbers[i+1:])
			return json.RawMessage(text), nil
		}
	}
	for _, x := range listNumbers(s) {
		if m.isInBounds(s, x) {
			return json.RawMessage(schema.FormatNumber(x)), nil
		}
	}
	return nil, errNoValue
}

func listNumbers(s *schema.Schema) []*big.Rat {
	step := schema.ParseNumber(s.MultipleOf)
	if step == nil || step.Sign() == 0 {
		step = big.NewRat(1, 1)
	}
	if schema.KindOf(s) == "integer" && !step.IsInt() { // a multiple of both
		step = new(big.Rat).SetInt(step.Num())
	}
	out := []*big.Rat{big.NewRat(1, 1), step, new(big.Rat)}
	var bounds []*big.Rat
	for _, n := range []json.Number{s.Minimum, s.ExclusiveMinimum, s.Maximum, s.ExclusiveMaximum} {
		if b := schema.ParseNumber(n); b != nil {
			bounds = append(bounds, b)
		}
	}
	for _, b := range bounds {
		for k := int64(-2); k <= 3; k++ {
			out = append(out, roundToStep(b, step, k))
		}
		out = append(out, b)
	}
	for _, b := range bounds[:max(len(bounds)-1, 0)] { // between two bounds that are close
		sum := new(big.Rat).Add(b, bounds[len(bounds)-1])
		out = append(out, sum.Mul(sum, big.NewRat(1, 2)))
	}
	for k := int64(2); k <= 8; k++ {
		up := new(big.Rat).Mul(step, big.NewRat(k, 1))
		out = append(out, up, new(big.Rat).Neg(up))
	}
	return out
}

// roundToStep finds the multiple of step below b, k steps on.
func roundToStep(b, step *big.Rat, k int64) *big.Rat {
	q := new(big.Rat).Quo(b, step)
	floor := new(big.Int).Div(q.Num(), q.Denom())
	floor.Add(floor, big.NewInt(k))
	return new(big.Rat).Mul(new(big.Rat).SetInt(floor), step)
}

func (m *maker) isInBounds(s *schema.Schema, x *big.Rat) bool {
	within := func(n json.Number, ok func(int) bool) bool {
		b := schema.ParseNumber(n)
		return b == nil || ok(x.Cmp(b))
	}
	if schema.KindOf(s) == "integer" && !x.IsInt() {
		return false
	}
	step := schema.ParseNumber(s.MultipleOf)
	if step != nil && step.Sign() > 0 && !new(big.Rat).Quo(x, step).IsInt() {
		return false
	}
	return within(s.Minimum, func(c int) bool { return c >= 0 }) &&
		within(s.Maximum, func(c int) bool { return c <= 0 }) &&
		within(s.ExclusiveMinimum, func(c int) bool { return c > 0 }) &&
		within(s.ExclusiveMaximum, func(c int) bool { return c < 0 }) &&
		(s.Not == nil || !m.rules.Fits(s.Not, json.RawMessage(schema.FormatNumber(x))))
}

// formatted are texts in the formats of JSON Schema.
var formatted = map[string]string{
	"date":          "2026-11-30",
	"date-time":     "2026-11-30T12:00:00Z",
	"time":          "12:00:00Z",
	"duration":      "PT1H",
	"email":         "ada@example.com",
	"idn-email":     "ada@example.com",
	"hostname":      "example.com",
	"idn-hostname":  "example.com",
	"ipv4":          "192.0.2.1",
	"ipv6":          "2001:db8::1",
	"uri":           "https://example.com/",
	"iri":           "https://example.com/",
	"url":           "https://example.com/",
	"uri-reference": "/path",
	"uuid":          "123e4567-e89b-42d3-a456-426614174000",
	"json-pointer":  "/a",
	"regex":         "^a$",
}

// makeText makes a string: in the format or pattern asked for, or else words of
// the prompt.
func (m *maker) makeText(s *schema.Schema, name string) (json.RawMessage, error) {
	for _, t := range m.listTexts(s, name) {
		t = fitLength(t, s)
		v := jsondoc.Quote(t)
		if n := utf8.RuneCountInString(t); n < s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
			continue
		}
		if s.Pattern != "" && !matchesPattern(s.Pattern, t) || s.Not != nil && m.rules.Fits(s.Not, v) {
			continue
		}
		m.names = slices.DeleteFunc(slices.Clone(m.names), func(n string) bool { return n == t })
		return v, nil
	}
	return nil, errNoValue
}

// listTexts lists the strings to try, best first.
func (m *maker) listTexts(s *schema.Schema, name string) []string {
	if t, ok := formatted[s.Format]; ok {
		return []string{t}
	}
	var out []string
	words := splitWords(name)
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case has("query", "question", "prompt", "message", "text", "request", "input"):
		out = append(out, m.prompt)
	case has("date", "day"):
		out = append(out, formatted["date"])
	case has("time"):
		out = append(out, "12:00")
	case has("email"):
		out = append(out, formatted["email"])
	case has("url", "uri", "link"):
		out = append(out, formatted["url"])
	}
	out = append(out, m.names...)
	if telling := findKeywords(m.prompt); len(telling) > 0 {
		out = append(out, telling[len(telling)-1])
	}
	out = append(out, name, "text")
	if s.Pattern != "" {
		for i := 1; i <= 4; i++ {
			if t, ok := makeMatching(s.Pattern, i); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

func fitLength(t string, s *schema.Schema) string {
	r := []rune(t)
	if s.MaxLength != nil && len(r) > *s.MaxLength && s.Pattern == "" {
		r = r[:max(*s.MaxLength, 0)]
	}
	for len(r) < s.MinLength && len(r) < 100000 && s.Pattern == "" {
		r = append(r, 'x')
	}
	return string(r)
}
