package schema

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// float is a number's value; out of range it is an infinity.
func (n *node) float() float64 {
	f, _ := strconv.ParseFloat(string(n.raw), 64) // the error says out of range
	return f
}

// compare orders two numbers, by all their digits.
func (n *node) compare(m *node) int {
	a, okA := n.exact()
	b, okB := m.exact()
	if okA && okB {
		return a.Cmp(b)
	}
	return cmp.Compare(n.float(), m.float())
}

// exact is a number's value, digit for digit. Numbers of absurd size have
// none: writing one takes a few bytes, computing with it would take gigabytes.
func (n *node) exact() (*big.Rat, bool) {
	if len(n.raw) > 400 {
		return nil, false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(string(n.raw)), "e"); ok {
		if e, err := strconv.Atoi(exponent); err != nil || e > 400 || e < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(n.raw))
}

func (n *node) whole() bool {
	if r, ok := n.exact(); ok {
		return r.IsInt()
	}
	f := n.float()
	return math.IsInf(f, 0) || f == math.Trunc(f)
}

func (n *node) multipleOf(m *node) bool {
	a, okA := n.exact()
	b, okB := m.exact()
	if okA && okB {
		return new(big.Rat).Quo(a, b).IsInt()
	}
	q := n.float() / m.float()
	return q == math.Trunc(q)
}

// canonical is a text that equal values share, in JSON Schema's sense: 1 and
// 1.0 are equal, and so are objects whatever the order of their members.
func (n *node) canonical(b *strings.Builder) {
	switch n.kind {
	case '{':
		fields := slices.Clone(n.fields)
		slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
		b.WriteByte('{')
		for _, f := range fields {
			b.WriteString(strconv.Quote(f.name))
			f.val.canonical(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for _, v := range n.items {
			v.canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(strconv.Quote(n.text))
	case '0':
		b.WriteString(n.digits())
	default:
		b.Write(n.raw)
	}
}

// digits spells a number in the one way that equal numbers share.
func (n *node) digits() string {
	if r, ok := n.exact(); ok {
		return r.RatString()
	}
	return strconv.FormatFloat(n.float(), 'g', -1, 64)
}

func (n *node) key() string {
	var b strings.Builder
	n.canonical(&b)
	return b.String()
}

func contains(list []*node, val *node) bool {
	key := val.key()
	return slices.ContainsFunc(list, func(v *node) bool { return v.kind == val.kind && v.key() == key })
}

// repeated is the index of the first value that equals an earlier one, or -1.
func repeated(list []*node) int {
	seen := make(map[string]bool, len(list))
	for i, v := range list {
		key := v.key()
		if seen[key] {
			return i
		}
		seen[key] = true
	}
	return -1
}
