package schema

import (
	"encoding/json"
	"slices"
	"strconv"
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

// parse reads a JSON value. A member that occurs twice is refused: readers
// disagree about which one counts.
func parse(data []byte) (*node, error) {
	if err := valid(data); err != nil {
		return nil, err
	}
	c := cursor{data: data}
	return c.node(0)
}

func (c *cursor) node(level int) (*node, error) {
	if level > maxLevels {
		return nil, fault("nested deeper than " + strconv.Itoa(maxLevels) + " levels")
	}
	switch first := c.peek(); first {
	case '{':
		return c.object(level)
	case '[':
		return c.array(level)
	case '"':
		raw := c.skip()
		return &node{kind: '"', raw: raw, text: string(unquote(raw))}, nil
	case 't', 'f':
		return &node{kind: 't', raw: c.skip()}, nil
	case 'n':
		return &node{kind: 'n', raw: c.skip()}, nil
	default:
		return &node{kind: '0', raw: c.skip()}, nil
	}
}

func (c *cursor) object(level int) (*node, error) {
	n := &node{kind: '{'}
	seen := map[string]bool{}
	c.open()
	for c.more() {
		key, raw := c.key()
		name := string(key)
		if seen[name] {
			return nil, within(step(name), fault("occurs twice"))
		}
		seen[name] = true
		val, err := c.node(level + 1)
		if err != nil {
			return nil, within(step(name), err)
		}
		n.fields = append(n.fields, field{name, raw, val})
	}
	return n, nil
}

func (c *cursor) array(level int) (*node, error) {
	n := &node{kind: '['}
	c.open()
	for c.more() {
		val, err := c.node(level + 1)
		if err != nil {
			return nil, within(index(len(n.items)), err)
		}
		n.items = append(n.items, val)
	}
	return n, nil
}

// parseSchema is parse for text that must be a schema, see [Check].
func parseSchema(raw []byte) (*node, error) {
	if err := Check(raw); err != nil {
		return nil, err
	}
	return parse(raw)
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

// get returns the member called name; nil if n has none or isn't an object.
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

// rename gives a member another name in the same place.
func (n *node) rename(from, to string) {
	if i := n.find(from); i >= 0 {
		n.fields[i] = newField(to, n.fields[i].val)
	}
}

// members maps an object's members by their names.
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
