package schema

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

// described demands only properties that are described: other names can't be
// demanded of a writer that doesn't know what to write.
func (a *adapter) described(path string, n *node) {
	required := n.get("required")
	if required == nil {
		return
	}
	kept := newArray()
	for _, name := range required.items {
		if n.get("properties").get(name.text) == nil {
			a.note(join(path, "required"), step(name.text)+" is not described, so it can't be demanded")
			continue
		}
		kept.items = append(kept.items, name)
	}
	if len(kept.items) == len(required.items) {
		return
	}
	if n.set("required", kept); len(kept.items) == 0 {
		n.drop("required")
	}
}

// choiceOfRequired moves properties into the branches of a union that only
// says which of them are required, so that each branch describes what it
// requires.
func (a *adapter) choiceOfRequired(path string, n *node) error {
	for _, word := range []string{"anyOf", "oneOf"} {
		union := n.get(word)
		if union == nil || n.get("properties") == nil {
			continue
		}
		for _, b := range union.items {
			if b.get("required") != nil && b.get("properties") == nil {
				return a.aloneUnion(path, n)
			}
		}
	}
	return nil
}
