package schema

import "errors"

// maxWritten bounds how many schemas are written out in place of references.
const maxWritten = 4000

var errLarge = errors.New("a schema of more than 4000 parts once its references are written out")

// open2020 brings a schema for an open subset into the spelling of 2020-12
// that the wires document: places of a list in prefixItems, definitions in
// $defs, {} instead of true.
func (a *adapter) open2020() error {
	a.root.spellOut()
	a.root.placesFirst()
	if a.root.get("$defs") == nil && a.root.get("definitions") != nil {
		a.root.rename("definitions", "$defs")
		a.root.rebase("#", "")
		a.changed("definitions", "moved to $defs")
	}
	if ref := a.root.endless(); ref != "" {
		return fault("the schema refers to itself without end through " + ref)
	}
	return nil
}

// spellOut writes {} instead of true, which some providers don't read.
func (n *node) spellOut() {
	for _, c := range n.children() {
		sub := *c.slot
		if sub.kind == 't' && !sub.isFalse() && c.path != "additionalProperties" {
			*c.slot = newObject()
		}
		sub.spellOut()
	}
}

// placesFirst spells lists of items as prefixItems. No items after them are an
// upper bound on the length.
func (n *node) placesFirst() {
	if items := n.get("items"); items != nil && items.kind == '[' {
		n.rename("items", "prefixItems")
		n.drop("items")
		n.rename("additionalItems", "items")
	}
	places, rest := n.get("prefixItems"), n.get("items")
	if places != nil && rest.isFalse() {
		n.drop("items")
		if most := n.get("maxItems"); most == nil || most.float() > float64(len(places.items)) {
			n.set("maxItems", newInt(int64(len(places.items))))
		}
	}
	if places == nil && rest.isFalse() {
		n.drop("items")
		n.set("maxItems", newInt(0))
	}
	for _, c := range n.children() {
		(*c.slot).placesFirst()
	}
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

// together merges the branches of an allOf into the schema, each reference
// written out once.
func (a *adapter) together(path string, n *node) error {
	all := n.get("allOf")
	if all == nil || len(all.items) == 1 && !n.demandsBeside("allOf") {
		return nil // the one branch becomes an anyOf
	}
	out := n.without("allOf")
	for _, b := range all.items {
		part, err := a.self(b)
		if err == nil {
			out, err = out.merged(part)
		}
		if err != nil {
			return a.refuse(join(path, "allOf"), "a schema made of several ("+err.Error()+")")
		}
	}
	a.changed(join(path, "allOf"), "merged")
	n.fields = out.clone().fields
	return a.together(path, n)
}

// self is a schema without a reference of its own, for being merged. What it
// refers to must not be recursive: there would be no end of writing it out.
func (a *adapter) self(n *node) (*node, error) {
	ref := n.get("$ref")
	if ref == nil {
		return n, nil
	}
	to := a.root.follow(ref.text)
	finder := recursionFinder{root: a.root, state: map[*node]bool{}}
	if finder.visit(to) != "" {
		return nil, fault("it is recursive through " + ref.text)
	}
	if a.written += to.size(); a.written > maxWritten {
		return nil, errLarge
	}
	inner, err := a.self(to)
	if err != nil {
		return nil, err
	}
	return n.without("$ref").merged(inner.without("$defs"))
}

func (n *node) size() int {
	sum := 1
	for _, c := range n.children() {
		sum += (*c.slot).size()
	}
	return sum
}
