package schema

import (
	"slices"
)

// takesNull reports whether null fits the schema.
func (n *node) takesNull(root *node) bool {
	return nullFinder{root, map[*node]bool{}}.fits(n)
}

// nullFinder remembers its answers, so that shared definitions are visited
// once; while a schema is being visited it counts as not taking null.
type nullFinder struct {
	root *node
	seen map[*node]bool
}

func (f nullFinder) fits(n *node) bool {
	if n.kind != '{' {
		return !n.isFalse()
	}
	if known, seen := f.seen[n]; seen {
		return known
	}
	f.seen[n] = false
	f.seen[n] = f.scalarsFit(n) && f.branchesFit(n)
	return f.seen[n]
}

func (f nullFinder) scalarsFit(n *node) bool {
	if n.get("type") != nil && !n.hasType("null") {
		return false
	}
	if c := n.get("const"); c != nil && c.kind != 'n' {
		return false
	}
	if enum := n.get("enum"); enum != nil && !hasNull(enum) {
		return false
	}
	if ref := n.get("$ref"); ref != nil {
		to := f.root.follow(ref.text)
		return to != nil && f.fits(to)
	}
	return true
}

func (f nullFinder) branchesFit(n *node) bool {
	if all := n.get("allOf"); all != nil && !every(all.items, f.fits) {
		return false
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if some := n.get(word); some != nil && !slices.ContainsFunc(some.items, f.fits) {
			return false
		}
	}
	return true
}

// makeNullable adds null to the schema. It returns n or a union around it,
// outside of which the description stays.
func (n *node) makeNullable() *node {
	t := n.get("type")
	if t == nil || n.get("anyOf") != nil || n.get("oneOf") != nil || n.get("allOf") != nil || n.get("$ref") != nil {
		return n.joinNull()
	}
	if c := n.get("const"); c != nil {
		n.rename("const", "enum")
		n.set("enum", newArray(c, newNull()))
	} else if enum := n.get("enum"); enum != nil && !hasNull(enum) {
		enum.items = append(enum.items, newNull())
	}
	switch {
	case t.kind == '"':
		n.set("type", newArray(t, newText("null")))
	case !n.hasType("null"):
		t.items = append(t.items, newText("null"))
	}
	return n
}

func (n *node) joinNull() *node {
	null := newObject(newField("type", newText("null")))
	if union := n.get("anyOf"); union != nil && onlyUnion(n) {
		union.items = append(union.items, null)
		return n
	}
	out := newObject()
	if d := n.get("description"); d != nil {
		out.set("description", d)
		n.drop("description")
	}
	out.set("anyOf", newArray(n, null))
	return out
}

func onlyUnion(n *node) bool {
	for _, f := range n.fields {
		if f.name != "anyOf" && !annotations[f.name] {
			return false
		}
	}
	return true
}

// saysNull reports whether a schema's type leaves room for null, in the way of
// JSON Schema or of OpenAPI.
func (n *node) saysNull() bool {
	return n.get("type") == nil || n.hasType("null") || isTrue(n.get("nullable"))
}
