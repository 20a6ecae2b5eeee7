package schema

import (
	"errors"
)

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

// aloneRef writes out a reference beside which something else is demanded.
func (a *adapter) aloneRef(path string, n *node) error {
	if n.get("$ref") == nil || !n.demandsBeside("$ref") {
		return nil
	}
	out, err := a.self(n)
	if err != nil {
		return a.refuse(join(path, "$ref"), "a $ref beside other demands ("+err.Error()+")")
	}
	a.changed(join(path, "$ref"), "written out")
	n.fields = out.clone().fields
	return nil
}

// aloneUnion moves what stands beside a union into its branches.
func (a *adapter) aloneUnion(path string, n *node) error {
	word := "anyOf"
	if n.get(word) == nil {
		word = "oneOf"
	}
	branches := n.get(word)
	if branches == nil || n.get("anyOf") != nil && n.get("oneOf") != nil || !n.demandsBeside(word) {
		return nil
	}
	out, rest := n.splitDemands(word)
	union := newArray()
	for _, b := range branches.items {
		part, err := a.branch(rest, b)
		if errors.Is(err, errNever) {
			continue
		}
		if err != nil {
			return a.refuse(join(path, word), "a union beside other demands ("+err.Error()+")")
		}
		union.items = append(union.items, part)
	}
	if len(union.items) == 0 {
		return a.refuse(path, errNever.Error())
	}
	a.changed(join(path, word), "what stands beside it moved into it")
	out.set(word, union)
	n.fields = out.fields
	return nil
}

// branch joins one branch with what stands beside its union. A reference stays
// one if all that stands there is a type that it has anyway.
func (a *adapter) branch(rest, b *node) (*node, error) {
	if ref := b.get("$ref"); ref != nil && len(rest.fields) == 1 && len(b.fields) == 1 {
		common, err := commonTypes(orAll(rest.get("type")), orAll(a.root.follow(ref.text).get("type")))
		if err == nil && common.key() == orAll(a.root.follow(ref.text).get("type")).key() {
			return b, nil
		}
	}
	part, err := a.self(b)
	if err == nil {
		part, err = rest.merged(part)
	}
	if err != nil {
		return nil, err
	}
	return part.clone(), nil
}

// orAll is a type keyword, or what its absence stands for.
func orAll(t *node) *node {
	if t != nil {
		return t
	}
	return newArray(newText("object"), newText("array"), newText("string"), newText("number"), newText("boolean"),
		newText("null"))
}

// splitDemands parts a schema into annotations and definitions, which may
// stand beside a union, and demands, without word.
func (n *node) splitDemands(word string) (annotated, demands *node) {
	annotated, demands = newObject(), newObject()
	for _, f := range n.fields {
		switch {
		case f.name == word:
		case annotations[f.name] || f.name == "$defs":
			annotated.fields = append(annotated.fields, f)
		default:
			demands.fields = append(demands.fields, f)
		}
	}
	return annotated, demands
}

// demandsBeside reports whether anything but word and annotations is said.
func (n *node) demandsBeside(word string) bool {
	for _, f := range n.fields {
		if f.name != word && f.name != "$defs" && !annotations[f.name] {
			return true
		}
	}
	return false
}

// aloneValues keeps the listed values that fit the rest, which then needs no
// saying.
func (a *adapter) aloneValues(path string, n *node) error {
	word, enum := "const", newArray(n.get("const"))
	if n.get(word) == nil {
		if word, enum = "enum", n.get("enum"); enum == nil {
			return nil
		}
	}
	j := judge{root: a.root, seen: map[[2]*node][]string{}}
	kept := newArray()
	for _, v := range enum.items {
		if len(j.value("", n, v)) == 0 {
			kept.items = append(kept.items, v)
		}
	}
	if len(kept.items) == 0 {
		return a.refuse(path, errNever.Error())
	}
	if word == "enum" {
		n.set(word, kept)
	}
	out := newObject()
	for _, f := range n.fields {
		if f.name == word || f.name == "type" || f.name == "$defs" || !judged[f.name] {
			out.fields = append(out.fields, f)
		}
	}
	n.fields = out.fields
	return nil
}

// anyType spells out that a schema takes any type: the converter reads an
// empty one as an object.
func (a *adapter) anyType(path string, n *node) {
	for _, word := range []string{"type", "$ref", "anyOf", "oneOf", "allOf", "const", "enum", "properties", "items", "prefixItems"} {
		if n.get(word) != nil {
			return
		}
	}
	if rest := n.get("additionalProperties"); rest != nil && !isTrue(rest) {
		return
	}
	a.changed(path, "it has no type")
	n.set("type", orAll(nil))
}
