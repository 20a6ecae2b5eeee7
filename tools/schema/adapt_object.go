package schema

func (a *adapter) adaptObject(path string, n *node) error {
	props := fieldsOf(n, "properties")
	if a.open {
		a.dropUndescribed(path, n)
		return nil
	}
	if !n.hasType("object") && n.get("properties") == nil {
		return nil
	}
	if err := a.closeObject(path, n, len(props)); err != nil {
		return err
	}
	if a.typed && n.get("properties") == nil {
		n.set("properties", newObject())
		a.recordChange(path, "it has no properties member")
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
			if err := a.demandProperty(join(path, join("properties", step(f.name))), f); err != nil {
				return err
			}
		}
	}
	if a.allRequired && len(required) < len(props) {
		a.requireAll(path, n, props)
	}
	return nil
}

// closeObject sets additionalProperties to false. That is a change of meaning
// only where the schema allows other properties explicitly.
func (a *adapter) closeObject(path string, n *node, props int) error {
	open := n.get("additionalProperties")
	switch {
	case open.isFalse():
		return nil
	case props == 0 && (open != nil || n.get("properties") == nil):
		return a.refuse(path, "an object of properties that aren't named")
	case open != nil:
		a.addNote(join(path, "additionalProperties"), "only the properties named in the schema can come back")
	default:
		a.recordChange(path, "additionalProperties is not false")
	}
	n.set("additionalProperties", newFalse())
	return nil
}

func (a *adapter) demandProperty(path string, f *field) error {
	switch {
	case !a.allRequired:
	case f.val.takesNull(a.root):
		a.addNote(path, "always sent, so null no longer differs from leaving it out")
	case a.targets[f.val]:
		return a.refuse(path, "an optional property that a $ref leads to")
	default:
		a.recordChange(path, "is optional")
		f.val = f.val.makeNullable()
	}
	return nil
}

func (a *adapter) requireAll(path string, n *node, props []field) {
	items := make([]*node, len(props))
	for i, f := range props {
		items[i] = &node{kind: '"', raw: f.raw, text: f.name}
	}
	a.recordChange(join(path, "required"), "does not list every property")
	n.set("required", newArray(items...))
}

// dropUndescribed takes names that properties doesn't describe out of required:
// a model can't be held to a property when it doesn't know what to write.
func (a *adapter) dropUndescribed(path string, n *node) {
	required := n.get("required")
	if required == nil {
		return
	}
	kept := newArray()
	for _, name := range required.items {
		if n.get("properties").get(name.text) == nil {
			a.addNote(join(path, "required"), step(name.text)+" is not described, so it can't be demanded")
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

// pushIntoRequiredChoice moves properties into the branches of a union that
// only says which of them are required, so that each branch describes what it
// requires.
func (a *adapter) pushIntoRequiredChoice(path string, n *node) error {
	for _, word := range []string{"anyOf", "oneOf"} {
		union := n.get(word)
		if union == nil || n.get("properties") == nil {
			continue
		}
		for _, b := range union.items {
			if b.get("required") != nil && b.get("properties") == nil {
				return a.pushIntoBranches(path, n)
			}
		}
	}
	return nil
}
