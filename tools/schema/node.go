package schema

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxLevels bounds how deeply the JSON of a schema may be nested.
const maxLevels = 1000

// node is a JSON value that keeps the order of members and the text of
// scalars, so that what isn't changed is written as it was read.
type node struct {
	kind   byte    // '{', '[', '"', '0', 't' for both booleans, 'n'
	raw    []byte  // scalars: the text as written
	text   string  // strings: decoded
	fields []field // objects
	items  []*node // arrays
}

type field struct {
	name string
	raw  []byte // the name as written, with quotes
	val  *node
}

// append writes the value as compact JSON.
func (n *node) append(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i, f := range n.fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, f.raw...), ':')
			b = f.val.append(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, v := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.append(b)
		}
		return append(b, ']')
	}
	return append(b, n.raw...)
}

// get returns a member's value; nil if n has no such member or isn't an object.
func (n *node) get(name string) *node {
	if i := n.find(name); i >= 0 {
		return n.fields[i].val
	}
	return nil
}

func (n *node) find(name string) int {
	if n == nil {
		return -1
	}
	return slices.IndexFunc(n.fields, func(f field) bool { return f.name == name })
}

// set replaces the member called name, or appends it.
func (n *node) set(name string, val *node) {
	if i := n.find(name); i >= 0 {
		n.fields[i].val = val
		return
	}
	n.fields = append(n.fields, newField(name, val))
}

func (n *node) drop(name string) {
	if i := n.find(name); i >= 0 {
		n.fields = slices.Delete(n.fields, i, i+1)
	}
}

// rename keeps the member in its place.
func (n *node) rename(from, to string) {
	if i := n.find(from); i >= 0 {
		n.fields[i] = newField(to, n.fields[i].val)
	}
}

func (n *node) members() map[string]*node {
	if n == nil {
		return nil
	}
	m := make(map[string]*node, len(n.fields))
	for _, f := range n.fields {
		m[f.name] = f.val
	}
	return m
}

func (n *node) isFalse() bool { return n != nil && n.kind == 't' && n.raw[0] == 'f' }

func isTrue(n *node) bool { return n != nil && n.kind == 't' && !n.isFalse() }

func newField(name string, val *node) field { return field{name, quote(name), val} }

func newObject(fields ...field) *node { return &node{kind: '{', fields: fields} }

func newArray(items ...*node) *node { return &node{kind: '[', items: items} }

func newText(s string) *node { return &node{kind: '"', raw: quote(s), text: s} }

func newFalse() *node { return &node{kind: 't', raw: []byte("false")} }

func newNull() *node { return &node{kind: 'n', raw: []byte("null")} }

func quote(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil {
		return strconv.AppendQuote(nil, s) // not reached: a string always marshals
	}
	return raw
}

func newTrue() *node { return &node{kind: 't', raw: []byte("true")} }

func newInt(n int64) *node { return &node{kind: '0', raw: strconv.AppendInt(nil, n, 10)} }

// float returns a number's value; out of range it is an infinity.
func (n *node) float() float64 {
	f, _ := strconv.ParseFloat(string(n.raw), 64) // the error says out of range
	return f
}

// compare orders two numbers by all their digits.
func (n *node) compare(m *node) int {
	a, okA := n.exactValue()
	b, okB := m.exactValue()
	if okA && okB {
		return a.Cmp(b)
	}
	return cmp.Compare(n.float(), m.float())
}

// exactValue returns a number's value, digit for digit. Numbers of absurd size
// have none: writing one takes a few bytes, computing with it would take
// gigabytes.
func (n *node) exactValue() (*big.Rat, bool) {
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

func (n *node) isWhole() bool {
	if r, ok := n.exactValue(); ok {
		return r.IsInt()
	}
	f := n.float()
	return math.IsInf(f, 0) || f == math.Trunc(f)
}

func (n *node) multipleOf(m *node) bool {
	a, okA := n.exactValue()
	b, okB := m.exactValue()
	if okA && okB {
		return new(big.Rat).Quo(a, b).IsInt()
	}
	q := n.float() / m.float()
	return q == math.Trunc(q)
}

// writeCanonical writes a text that equal values share, in JSON Schema's sense:
// 1 and 1.0 are equal, and so are objects whatever the order of their members.
func (n *node) writeCanonical(b *strings.Builder) {
	switch n.kind {
	case '{':
		fields := slices.Clone(n.fields)
		slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
		b.WriteByte('{')
		for _, f := range fields {
			b.WriteString(strconv.Quote(f.name))
			f.val.writeCanonical(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for _, v := range n.items {
			v.writeCanonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(strconv.Quote(n.text))
	case '0':
		b.WriteString(n.canonicalNumber())
	default:
		b.Write(n.raw)
	}
}

func (n *node) canonicalNumber() string {
	if r, ok := n.exactValue(); ok {
		return r.RatString()
	}
	return strconv.FormatFloat(n.float(), 'g', -1, 64)
}

func (n *node) canonicalKey() string {
	var b strings.Builder
	n.writeCanonical(&b)
	return b.String()
}

func containsValue(list []*node, val *node) bool {
	key := val.canonicalKey()
	return slices.ContainsFunc(list, func(v *node) bool { return v.kind == val.kind && v.canonicalKey() == key })
}

// findRepeated returns the index of the first value that equals an earlier one,
// or -1.
func findRepeated(list []*node) int {
	seen := make(map[string]bool, len(list))
	for i, v := range list {
		key := v.canonicalKey()
		if seen[key] {
			return i
		}
		seen[key] = true
	}
	return -1
}

// without returns a shallow copy that lacks some members.
func (n *node) without(names ...string) *node {
	out := newObject()
	for _, f := range n.fields {
		if !slices.Contains(names, f.name) {
			out.fields = append(out.fields, f)
		}
	}
	return out
}

func (n *node) clone() *node {
	out := &node{kind: n.kind, raw: n.raw, text: n.text}
	for _, f := range n.fields {
		out.fields = append(out.fields, field{f.name, f.raw, f.val.clone()})
	}
	for _, v := range n.items {
		out.items = append(out.items, v.clone())
	}
	return out
}

// typeList returns a type keyword's words, whether it is a word or a list.
func typeList(t *node) []*node {
	switch {
	case t == nil:
		return nil
	case t.kind == '[':
		return t.items
	}
	return []*node{t}
}

func (n *node) listsName(name string) bool {
	return n != nil && slices.ContainsFunc(n.items, func(v *node) bool { return v.text == name })
}

func fieldsOf(n *node, name string) []field {
	if v := n.get(name); v != nil {
		return v.fields
	}
	return nil
}

// hasType reports whether the type is word or a list with it.
func (n *node) hasType(word string) bool {
	t := n.get("type")
	if t == nil {
		return false
	}
	if t.kind == '"' {
		return t.text == word
	}
	return t.listsName(word)
}

func every(nodes []*node, ok func(*node) bool) bool {
	return !slices.ContainsFunc(nodes, func(n *node) bool { return !ok(n) })
}

func hasNull(list *node) bool {
	return slices.ContainsFunc(list.items, func(v *node) bool { return v.kind == 'n' })
}

func textOf(n *node) string {
	if n == nil {
		return ""
	}
	return n.text
}

func (n *node) isInt64() bool {
	r, ok := n.exactValue()
	return ok && r.IsInt() && r.Num().IsInt64() && new(big.Int).Abs(r.Num()).Int64() >= 0
}

func (n *node) countSchemas() int {
	sum := 1
	for _, c := range n.children() {
		sum += (*c.slot).countSchemas()
	}
	return sum
}

func (n *node) appendDescription(hint string) {
	if d := n.get("description"); d != nil && d.kind == '"' && d.text != "" {
		hint = d.text + " " + hint
	}
	n.set("description", newText(hint))
}
