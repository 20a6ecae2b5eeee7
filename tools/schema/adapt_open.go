package schema

import (
	"errors"
)

// spellAs2020 uses the spelling of 2020-12, which the wires document:
// prefixItems, $defs, {} instead of true.
func (a *adapter) spellAs2020() error {
	a.root.spellOutTrue()
	a.root.usePrefixItems()
	if a.root.get("$defs") == nil && a.root.get("definitions") != nil {
		a.root.rename("definitions", "$defs")
		a.root.rebase("#", "")
		a.recordChange("definitions", "moved to $defs")
	}
	if ref := a.root.findEndless(); ref != "" {
		return fault("the schema refers to itself without end through " + ref)
	}
	return nil
}

// spellOutTrue writes {} instead of true, which some providers don't read.
func (n *node) spellOutTrue() {
	for _, c := range n.children() {
		sub := *c.slot
		if sub.kind == 't' && !sub.isFalse() && c.path != "additionalProperties" {
			*c.slot = newObject()
		}
		sub.spellOutTrue()
	}
}

// usePrefixItems spells lists of items as prefixItems, and items: false as
// maxItems.
func (n *node) usePrefixItems() {
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
		(*c.slot).usePrefixItems()
	}
}

// inlineRef writes out a $ref that has siblings.
func (a *adapter) inlineRef(path string, n *node) error {
	if n.get("$ref") == nil || !n.demandsBeside("$ref") {
		return nil
	}
	out, err := a.withoutRef(n)
	if err != nil {
		return a.refuse(join(path, "$ref"), "a $ref beside other demands ("+err.Error()+")")
	}
	a.recordChange(join(path, "$ref"), "written out")
	n.fields = out.clone().fields
	return nil
}

// pushIntoBranches moves the siblings of a union into its branches.
func (a *adapter) pushIntoBranches(path string, n *node) error {
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
		part, err := a.mergeBranch(rest, b)
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
	a.recordChange(join(path, word), "what stands beside it moved into it")
	out.set(word, union)
	n.fields = out.fields
	return nil
}

// mergeBranch merges a branch with the siblings of its union. A $ref stays one
// if the only sibling is a type that it has anyway.
func (a *adapter) mergeBranch(rest, b *node) (*node, error) {
	if ref := b.get("$ref"); ref != nil && len(rest.fields) == 1 && len(b.fields) == 1 {
		common, err := intersectTypes(typesOrAll(rest.get("type")), typesOrAll(a.root.follow(ref.text).get("type")))
		if err == nil && common.canonicalKey() == typesOrAll(a.root.follow(ref.text).get("type")).canonicalKey() {
			return b, nil
		}
	}
	part, err := a.withoutRef(b)
	if err == nil {
		part, err = rest.merge(part)
	}
	if err != nil {
		return nil, err
	}
	return part.clone(), nil
}

func typesOrAll(t *node) *node {
	if t != nil {
		return t
	}
	return newArray(newText("object"), newText("array"), newText("string"), newText("number"), newText("boolean"),
		newText("null"))
}

// splitDemands separates annotations and definitions, which may stand beside a
// union, from demands. The keyword word goes to neither.
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

// demandsBeside reports whether there are keywords other than word and
// annotations.
func (n *node) demandsBeside(word string) bool {
	for _, f := range n.fields {
		if f.name != word && f.name != "$defs" && !annotations[f.name] {
			return true
		}
	}
	return false
}

// filterValues keeps the listed values that fit the other keywords, and drops
// those keywords.
func (a *adapter) filterValues(path string, n *node) error {
	word, enum := "const", newArray(n.get("const"))
	if n.get(word) == nil {
		if word, enum = "enum", n.get("enum"); enum == nil {
			return nil
		}
	}
	j := judge{root: a.root, seen: map[[2]*node][]string{}}
	kept := newArray()
	for _, v := range enum.items {
		if len(j.check("", n, v)) == 0 {
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

// spellAnyType lists all types where none is given: the converter reads an
// empty schema as an object.
func (a *adapter) spellAnyType(path string, n *node) {
	for _, word := range []string{
		"type", "$ref", "anyOf", "oneOf", "allOf", "const", "enum", "properties", "items", "prefixItems",
	} {
		if n.get(word) != nil {
			return
		}
	}
	if rest := n.get("additionalProperties"); rest != nil && !isTrue(rest) {
		return
	}
	a.recordChange(path, "it has no type")
	n.set("type", typesOrAll(nil))
}
