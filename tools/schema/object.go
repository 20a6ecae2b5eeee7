package schema

import "slices"

// object closes an object and, where the subset wants that, makes all its
// properties required.
func (a *adapter) object(path string, n *node) error {
	props := fieldsOf(n, "properties")
	if a.open {
		a.described(path, n)
		return nil
	}
	if !n.hasType("object") && n.get("properties") == nil {
		return nil
	}
	if err := a.close(path, n, len(props)); err != nil {
		return err
	}
	if a.typed && n.get("properties") == nil {
		n.set("properties", newObject())
		a.changed(path, "it has no properties member")
	}
	required := map[string]bool{}
	if r := n.get("required"); r != nil {
		for _, name := range r.items {
			if n.get("properties").get(name.text) == nil {
				return a.refuse(join(path, "required"), "a required property "+name.text+" that isn't described")
			}
			required[name.text] = true
		}
	}
	for i := range props {
		if f := &props[i]; !required[f.name] {
			a.optional++
			if err := a.demand(join(path, join("properties", step(f.name))), f); err != nil {
				return err
			}
		}
	}
	if a.allRequired && len(required) < len(props) {
		a.requireAll(path, n, props)
	}
	return nil
}

// close sets additionalProperties to false. An object that was left open
// without a word loses nothing that was asked for; one that was opened on
// purpose does.
func (a *adapter) close(path string, n *node, props int) error {
	open := n.get("additionalProperties")
	switch {
	case open.isFalse():
		return nil
	case props == 0 && (open != nil || n.get("properties") == nil):
		return a.refuse(path, "an object of properties that aren't named")
	case open != nil:
		a.note(join(path, "additionalProperties"), "only the properties named in the schema can come back")
	default:
		a.changed(path, "additionalProperties is not false")
	}
	n.set("additionalProperties", newFalse())
	return nil
}

// demand makes an optional property one that is always there: null stands for
// its absence.
func (a *adapter) demand(path string, f *field) error {
	switch {
	case !a.allRequired:
	case f.val.takesNull(a.root):
		a.note(path, "always sent, so null no longer differs from leaving it out")
	case a.targets[f.val]:
		return a.refuse(path, "an optional property that a $ref leads to")
	default:
		a.changed(path, "is optional")
		f.val = f.val.nullable()
	}
	return nil
}

func (a *adapter) requireAll(path string, n *node, props []field) {
	items := make([]*node, len(props))
	for i, f := range props {
		items[i] = &node{kind: '"', raw: f.raw, text: f.name}
	}
	a.changed(join(path, "required"), "does not list every property")
	n.set("required", newArray(items...))
}

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
	f.seen[n] = f.scalars(n) && f.branches(n)
	return f.seen[n]
}

func (f nullFinder) scalars(n *node) bool {
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

func (f nullFinder) branches(n *node) bool {
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

func every(nodes []*node, ok func(*node) bool) bool {
	return !slices.ContainsFunc(nodes, func(n *node) bool { return !ok(n) })
}

func hasNull(list *node) bool {
	return slices.ContainsFunc(list.items, func(v *node) bool { return v.kind == 'n' })
}

// nullable returns the schema with null added. Its description stays outside.
func (n *node) nullable() *node {
	t := n.get("type")
	if t == nil || n.get("anyOf") != nil || n.get("oneOf") != nil || n.get("allOf") != nil || n.get("$ref") != nil {
		return n.orNull()
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

// orNull wraps the schema into a union with null.
func (n *node) orNull() *node {
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

// onlyUnion reports whether the anyOf is all that the schema demands.
func onlyUnion(n *node) bool {
	for _, f := range n.fields {
		if f.name != "anyOf" && !annotations[f.name] {
			return false
		}
	}
	return true
}
