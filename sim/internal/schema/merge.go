package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// FormatNumber spells a number without an exponent.
func FormatNumber(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(x.FloatString(12), "0")
}

// Merge is a schema that asks for what both ask for, as far as one schema can
// say that without combinators.
func Merge(a, b *Schema) *Schema {
	s := *a
	s.Never = a.Never || b.Never
	s.Ref = cmp.Or(a.Ref, b.Ref)
	s.Types = intersectTypes(a.Types, b.Types)
	s.Never = s.Never || len(s.Types) == 0 && len(a.Types)+len(b.Types) > 0
	s.Enum = intersectValues(a.Enum, b.Enum)
	s.Const = pickFirst(a.Const, b.Const)
	s.Default = pickFirst(b.Default, a.Default)
	s.Examples = append(slices.Clone(b.Examples), a.Examples...)
	s.Description = cmp.Or(b.Description, a.Description)
	s.Not = forbidBoth(a.Not, b.Not)
	s.AllOf = slices.Concat(a.AllOf, b.AllOf)
	if len(b.AnyOf) > 0 {
		s.AnyOf, s.AllOf = b.AnyOf, addAnyOf(s.AllOf, a.AnyOf)
	}
	if len(b.OneOf) > 0 {
		s.OneOf = b.OneOf
	}
	if s.If == nil {
		s.If, s.Then, s.Else = b.If, b.Then, b.Else
	}
	s.mergeObject(b)
	s.mergeArray(b)
	s.mergeScalar(b)
	return &s
}

func (s *Schema) mergeObject(b *Schema) {
	s.Properties = mergeProperties(s.Properties, b.Properties)
	s.PatternProperties = mergeProperties(s.PatternProperties, b.PatternProperties)
	s.AdditionalProperties = All(s.AdditionalProperties, b.AdditionalProperties)
	s.PropertyNames = All(s.PropertyNames, b.PropertyNames)
	for _, name := range b.Required {
		if !slices.Contains(s.Required, name) {
			s.Required = append(slices.Clone(s.Required), name)
		}
	}
	if s.DependentRequired == nil {
		s.DependentRequired = b.DependentRequired
	}
	if s.DependentSchemas == nil {
		s.DependentSchemas = b.DependentSchemas
	}
	s.MinProperties = max(s.MinProperties, b.MinProperties)
}

func (s *Schema) mergeArray(b *Schema) {
	s.Items = All(s.Items, b.Items)
	if len(s.PrefixItems) == 0 {
		s.PrefixItems = b.PrefixItems
	}
	s.Contains = pickFirst(s.Contains, b.Contains)
	s.MinContains = cmp.Or(s.MinContains, b.MinContains)
	s.MinItems = max(s.MinItems, b.MinItems)
	s.MaxItems = pickSmaller(s.MaxItems, b.MaxItems)
	s.UniqueItems = s.UniqueItems || b.UniqueItems
}

func (s *Schema) mergeScalar(b *Schema) {
	s.MultipleOf = findCommonMultiple(s.MultipleOf, b.MultipleOf)
	s.Minimum = pickTighter(s.Minimum, b.Minimum, 1)
	s.Maximum = pickTighter(s.Maximum, b.Maximum, -1)
	s.ExclusiveMinimum = pickTighter(s.ExclusiveMinimum, b.ExclusiveMinimum, 1)
	s.ExclusiveMaximum = pickTighter(s.ExclusiveMaximum, b.ExclusiveMaximum, -1)
	s.MinLength = max(s.MinLength, b.MinLength)
	s.MaxLength = pickSmaller(s.MaxLength, b.MaxLength)
	s.Pattern = cmp.Or(b.Pattern, s.Pattern)
	s.Format = cmp.Or(b.Format, s.Format)
}

func pickFirst(a, b json.RawMessage) json.RawMessage {
	if a != nil {
		return a
	}
	return b
}

// All asks for two schemas at once.
func All(a, b json.RawMessage) json.RawMessage {
	switch {
	case a == nil:
		return b
	case b == nil, bytes.Equal(a, b):
		return a
	}
	return slices.Concat(json.RawMessage(`{"allOf":[`), a, []byte(`,`), b, []byte(`]}`))
}

func forbidBoth(a, b json.RawMessage) json.RawMessage {
	if a == nil || b == nil {
		return pickFirst(a, b)
	}
	return slices.Concat(json.RawMessage(`{"anyOf":[`), a, []byte(`,`), b, []byte(`]}`))
}

func addAnyOf(all, branches []json.RawMessage) []json.RawMessage {
	if len(branches) == 0 {
		return all
	}
	raw, err := jsondoc.Marshal(object{"anyOf": branches})
	if err != nil {
		return all
	}
	return append(slices.Clone(all), raw)
}

func mergeProperties(a, b ordered) ordered {
	out := slices.Clone(a)
	for _, p := range b {
		i := slices.IndexFunc(out, func(q Property) bool { return q.Name == p.Name })
		if i < 0 {
			out = append(out, p)
		} else {
			out[i].Raw = All(out[i].Raw, p.Raw)
		}
	}
	return out
}

func intersectTypes(a, b oneOrMany) oneOrMany {
	if len(a) == 0 || len(b) == 0 {
		return append(slices.Clone(a), b...)
	}
	var out oneOrMany
	for _, t := range a {
		switch {
		case slices.Contains(b, t), t == "integer" && slices.Contains(b, "number"):
			out = append(out, t)
		case t == "number" && slices.Contains(b, "integer"):
			out = append(out, "integer")
		}
	}
	return out
}

func intersectValues(a, b []json.RawMessage) []json.RawMessage {
	if a == nil || b == nil {
		return append(slices.Clone(a), b...)
	}
	out := []json.RawMessage{}
	for _, v := range a {
		if slices.ContainsFunc(b, func(w json.RawMessage) bool { return bytes.Equal(v, w) }) {
			out = append(out, v)
		}
	}
	return out
}

func pickSmaller(a, b *int) *int {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// pickTighter picks the bound that allows less: the larger one for sign 1.
func pickTighter(a, b json.Number, sign int) json.Number {
	x, y := ParseNumber(a), ParseNumber(b)
	switch {
	case x == nil:
		return b
	case y != nil && y.Cmp(x) == sign:
		return b
	}
	return a
}

// findCommonMultiple finds a step that both allow: their product, where
// neither is a multiple of the other.
func findCommonMultiple(a, b json.Number) json.Number {
	x, y := ParseNumber(a), ParseNumber(b)
	switch {
	case x == nil:
		return b
	case y == nil || new(big.Rat).Quo(x, y).IsInt():
		return a
	case new(big.Rat).Quo(y, x).IsInt():
		return b
	}
	return json.Number(FormatNumber(new(big.Rat).Mul(x, y)))
}

// ParseNumber is a number, exactly; nil for none, and for one too large to handle.
func ParseNumber(n json.Number) *big.Rat {
	if n == "" || len(n) > 40 {
		return nil
	}
	if f, err := n.Float64(); err != nil || f > 1e30 || f < -1e30 {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}
