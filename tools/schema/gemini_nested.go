package schema

// list writes items, and places that are told apart as one kind of items.
func (w *typeWriter) list(f field) error {
	places, rest := w.from.get("prefixItems"), w.from.get("items")
	if rest != nil && rest.kind == '[' {
		places, rest = rest, w.from.get("additionalItems")
	}
	if f.name == "items" && places != nil && w.from.get("prefixItems") != nil {
		return nil // said with the places
	}
	if places == nil {
		return w.items(rest)
	}
	w.note(join(w.path, f.name), "items that are told apart by their place, sent as items that may stand anywhere")
	kinds := newArray(places.items...)
	if rest != nil && !rest.isFalse() {
		kinds.items = append(kinds.items, rest)
	}
	if most := w.from.get("maxItems"); rest == nil || rest.isFalse() {
		if most == nil || most.float() > float64(len(places.items)) {
			w.out.set("maxItems", newCount(len(places.items)))
		}
	}
	return w.items(newObject(newField("anyOf", kinds)))
}

// items writes the items of a list. Where no item can be written the list
// stays empty.
func (w *typeWriter) items(n *node) error {
	items, err := w.schema(join(w.path, "items"), n)
	if gone(err) {
		if least := w.from.get("minItems"); least != nil && least.float() > 0 {
			return err
		}
		w.out.set("items", newObject(newField("type", newText("string"))))
		w.out.set("maxItems", newCount(0))
		return nil
	}
	if err == nil {
		w.out.set("items", items)
	}
	return err
}

func (w *typeWriter) object(f field) error {
	switch f.name {
	case "properties":
		return w.properties(f.val)
	case "required":
		w.required(f.val)
	case "propertyOrdering":
		w.ordering(f.val)
	case "additionalProperties":
		w.additional(f)
	}
	return nil
}

// properties leaves out optional properties that can't be written: those
// below the last level of a recursive schema.
func (w *typeWriter) properties(from *node) error {
	props := newObject()
	for _, p := range from.fields {
		at := join(w.path, join("properties", step(p.name)))
		prop, err := w.schema(at, p.val)
		switch {
		case gone(err) && !w.from.get("required").lists(p.name):
		case err != nil:
			return err
		default:
			props.fields = append(props.fields, field{p.name, p.raw, prop})
		}
	}
	if len(props.fields) > 0 {
		w.out.set("properties", props)
	}
	return nil
}

// required demands what is described; Gemini refuses other names.
func (w *typeWriter) required(names *node) {
	described := w.from.get("properties").members()
	kept := newArray()
	for _, name := range names.items {
		switch {
		case described[name.text] == nil:
			w.note(join(w.path, "required"), step(name.text)+" is not described, so it can't be demanded")
		case !kept.lists(name.text):
			kept.items = append(kept.items, name)
		}
	}
	if len(kept.items) > 0 {
		w.out.set("required", kept)
	}
}

// ordering keeps an order that the caller wrote, as far as it is one.
func (w *typeWriter) ordering(names *node) {
	props := w.from.get("properties").members()
	for _, name := range names.items {
		if props[name.text] == nil || w.out.get("properties") != nil && w.out.get("properties").get(name.text) == nil {
			return
		}
	}
	if names.kind == '[' && len(names.items) == len(props) {
		w.out.set("propertyOrdering", names)
	}
}

// additional says what is lost: Gemini writes only properties that are named.
func (w *typeWriter) additional(f field) {
	described := len(fieldsOf(w.from, "properties")) > 0
	switch {
	case f.val.isFalse():
	case described:
		w.note(join(w.path, f.name), "only the properties named in the schema can come back")
	case f.val.kind == '{':
		w.hints.tell(f.name, f.val)
		w.note(join(w.path, f.name), "the properties aren't named, so the object may come back empty; checked afterwards")
	}
}
