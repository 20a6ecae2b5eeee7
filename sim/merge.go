package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
)

// merged is a schema that asks for what both ask for, as far as one schema can
// say that without combinators.
func merged(a, b *schema) *schema {
	s := *a
	s.never = a.never || b.never
	s.Ref = cmp.Or(a.Ref, b.Ref)
	s.Types = commonTypes(a.Types, b.Types)
	s.never = s.never || len(s.Types) == 0 && len(a.Types)+len(b.Types) > 0
	s.Enum = commonValues(a.Enum, b.Enum)
	s.Const = first(a.Const, b.Const)
	s.Default = first(b.Default, a.Default)
	s.Examples = append(slices.Clone(b.Examples), a.Examples...)
	s.Description = cmp.Or(b.Description, a.Description)
	s.Not = bothNot(a.Not, b.Not)
	s.AllOf = slices.Concat(a.AllOf, b.AllOf)
	if len(b.AnyOf) > 0 {
		s.AnyOf, s.AllOf = b.AnyOf, withAnyOf(s.AllOf, a.AnyOf)
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

func (s *schema) mergeObject(b *schema) {
	s.Properties = bothOrdered(s.Properties, b.Properties)
	s.PatternProperties = bothOrdered(s.PatternProperties, b.PatternProperties)
	s.AdditionalProperties = both(s.AdditionalProperties, b.AdditionalProperties)
	s.PropertyNames = both(s.PropertyNames, b.PropertyNames)
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

func (s *schema) mergeArray(b *schema) {
	s.Items = both(s.Items, b.Items)
	if len(s.PrefixItems) == 0 {
		s.PrefixItems = b.PrefixItems
	}
	s.Contains = first(s.Contains, b.Contains)
	s.MinContains = cmp.Or(s.MinContains, b.MinContains)
	s.MinItems = max(s.MinItems, b.MinItems)
	s.MaxItems = smaller(s.MaxItems, b.MaxItems)
	s.UniqueItems = s.UniqueItems || b.UniqueItems
}

func (s *schema) mergeScalar(b *schema) {
	s.MultipleOf = commonMultiple(s.MultipleOf, b.MultipleOf)
	s.Minimum = tighter(s.Minimum, b.Minimum, 1)
	s.Maximum = tighter(s.Maximum, b.Maximum, -1)
	s.ExclusiveMinimum = tighter(s.ExclusiveMinimum, b.ExclusiveMinimum, 1)
	s.ExclusiveMaximum = tighter(s.ExclusiveMaximum, b.ExclusiveMaximum, -1)
	s.MinLength = max(s.MinLength, b.MinLength)
	s.MaxLength = smaller(s.MaxLength, b.MaxLength)
	s.Pattern = cmp.Or(b.Pattern, s.Pattern)
	s.Format = cmp.Or(b.Format, s.Format)
}

func first(a, b json.RawMessage) json.RawMessage {
	if a != nil {
		return a
	}
	return b
}

// both asks for two schemas at once.
func both(a, b json.RawMessage) json.RawMessage {
	switch {
	case a == nil:
		return b
	case b == nil, bytes.Equal(a, b):
		return a
	}
	return slices.Concat(json.RawMessage(`{"allOf":[`), a, []byte(`,`), b, []byte(`]}`))
}

// bothNot forbids two schemas at once.
func bothNot(a, b json.RawMessage) json.RawMessage {
	if a == nil || b == nil {
		return first(a, b)
	}
	return slices.Concat(json.RawMessage(`{"anyOf":[`), a, []byte(`,`), b, []byte(`]}`))
}

func withAnyOf(all, branches []json.RawMessage) []json.RawMessage {
	if len(branches) == 0 {
		return all
	}
	raw, err := marshal(object{"anyOf": branches})
	if err != nil {
		return all
	}
	return append(slices.Clone(all), raw)
}

func bothOrdered(a, b ordered) ordered {
	out := slices.Clone(a)
	for _, p := range b {
		i := slices.IndexFunc(out, func(q property) bool { return q.name == p.name })
		if i < 0 {
			out = append(out, p)
		} else {
			out[i].raw = both(out[i].raw, p.raw)
		}
	}
	return out
}

func commonTypes(a, b oneOrMany) oneOrMany {
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

func commonValues(a, b []json.RawMessage) []json.RawMessage {
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

func smaller(a, b *int) *int {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// tighter is the bound that allows less: the larger one for sign 1.
func tighter(a, b json.Number, sign int) json.Number {
	x, y := rat(a), rat(b)
	switch {
	case x == nil:
		return b
	case y != nil && y.Cmp(x) == sign:
		return b
	}
	return a
}

// commonMultiple is a step that both allow: their product, where neither is a
// multiple of the other.
func commonMultiple(a, b json.Number) json.Number {
	x, y := rat(a), rat(b)
	switch {
	case x == nil:
		return b
	case y == nil || new(big.Rat).Quo(x, y).IsInt():
		return a
	case new(big.Rat).Quo(y, x).IsInt():
		return b
	}
	return json.Number(decimal(new(big.Rat).Mul(x, y)))
}

// rat is a number, exactly; nil for none, and for one too large to handle.
func rat(n json.Number) *big.Rat {
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
