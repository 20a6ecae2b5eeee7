package schema

import (
	"errors"
	"slices"
	"strings"
)

// errNever says that no value fits a schema.
var errNever = errors.New("a schema that no value fits")

// merge returns the schema that demands what n demands and what m demands,
// without changing either. Where both describe a property the result has an
// allOf, to be merged in turn. What can't be said in one schema is an error;
// contradictions are errNever.
func (n *node) merge(m *node) (*node, error) {
	if n.isFalse() || m.isFalse() {
		return nil, errNever
	}
	if err := checkClosed(n, m); err != nil {
		return nil, err
	}
	if n.get("items") != nil && m.get("prefixItems") != nil || n.get("prefixItems") != nil && m.get("items") != nil {
		return nil, fault("it demands items and prefixItems in different parts")
	}
	out := newObject(n.fields...)
	out.fields = slices.Clip(out.fields)
	for _, f := range m.fields {
		i := out.find(f.name)
		if i < 0 {
			out.fields = append(out.fields, f)
			continue
		}
		val, err := mergeValue(f.name, out.fields[i].val, f.val)
		if err != nil {
			return nil, err
		}
		out.fields[i] = field{f.name, f.raw, val}
	}
	if out.get("nullable") != nil && (!n.saysNull() || !m.saysNull()) {
		out.drop("nullable")
	}
	return out, nil
}

// checkClosed refuses to merge an object that restricts other properties with
// one that has some.
func checkClosed(n, m *node) error {
	for _, pair := range [][2]*node{{n, m}, {m, n}} {
		open := pair[0].get("additionalProperties")
		if open == nil || open.kind == 't' && !open.isFalse() {
			continue
		}
		own := pair[0].get("properties").members()
		for _, f := range fieldsOf(pair[1], "properties") {
			if own[f.name] == nil {
				return within(step(f.name), fault("a property that another part of the schema rules out"))
			}
		}
	}
	return nil
}

func mergeValue(word string, a, b *node) (*node, error) {
	if a.canonicalKey() == b.canonicalKey() {
		return a, nil
	}
	switch word {
	case "type":
		return intersectTypes(a, b)
	case "enum":
		return intersectValues(a, b)
	case "const":
		return nil, errNever
	case "required", "allOf":
		return joinLists(a, b), nil
	case "properties":
		return mergeProperties(a, b), nil
	case "items":
		return newObject(newField("allOf", newArray(a, b))), nil
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return pick(a, b, a.compare(b) > 0), nil
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return pick(a, b, a.compare(b) < 0), nil
	case "uniqueItems":
		return pick(a, b, !a.isFalse()), nil
	case "additionalProperties":
		if a.kind == 't' && b.kind == 't' {
			return pick(a, b, a.isFalse()), nil
		}
	case "description":
		return newText(strings.TrimSpace(a.text + " " + b.text)), nil
	case "$defs", "definitions":
		return a, nil // references count from the root
	}
	if annotations[word] {
		return a, nil
	}
	return nil, fault("it demands " + word + " in two ways at once")
}

func pick(a, b *node, first bool) *node {
	if first {
		return a
	}
	return b
}

func mergeProperties(a, b *node) *node {
	out := newObject(a.fields...)
	out.fields = slices.Clip(out.fields)
	for _, f := range b.fields {
		i := out.find(f.name)
		switch {
		case i < 0:
			out.fields = append(out.fields, f)
		case out.fields[i].val.canonicalKey() != f.val.canonicalKey():
			out.fields[i] = field{f.name, f.raw, newObject(newField("allOf", newArray(out.fields[i].val, f.val)))}
		}
	}
	return out
}

func joinLists(a, b *node) *node {
	out := newArray(slices.Clip(a.items)...)
	for _, v := range b.items {
		if !containsValue(a.items, v) {
			out.items = append(out.items, v)
		}
	}
	return out
}

func intersectValues(a, b *node) (*node, error) {
	out := newArray()
	for _, v := range a.items {
		if containsValue(b.items, v) {
			out.items = append(out.items, v)
		}
	}
	if len(out.items) == 0 {
		return nil, errNever
	}
	return out, nil
}

func intersectTypes(a, b *node) (*node, error) {
	var words []*node
	for _, w := range typeList(a) {
		for _, v := range typeList(b) {
			switch {
			case w.text == v.text, w.text == "integer" && v.text == "number":
				words = append(words, w)
			case w.text == "number" && v.text == "integer":
				words = append(words, v)
			}
		}
	}
	switch len(words) {
	case 0:
		return nil, errNever
	case 1:
		return words[0], nil
	}
	return newArray(words...), nil
}

// maxWritten bounds how many schemas are written out in place of references.
const maxWritten = 4000

var errLarge = errors.New("a schema of more than 4000 parts once its references are written out")

func (a *adapter) mergeAllOf(path string, n *node) error {
	all := n.get("allOf")
	if all == nil || len(all.items) == 1 && !n.demandsBeside("allOf") {
		return nil // the one branch becomes an anyOf
	}
	out := n.without("allOf")
	for _, b := range all.items {
		part, err := a.withoutRef(b)
		if err == nil {
			out, err = out.merge(part)
		}
		if err != nil {
			return a.refuse(join(path, "allOf"), "a schema made of several ("+err.Error()+")")
		}
	}
	a.recordChange(join(path, "allOf"), "merged")
	n.fields = out.clone().fields
	return a.mergeAllOf(path, n)
}

// withoutRef returns n merged with what its $ref leads to. That must not be
// recursive: writing it out would have no end.
func (a *adapter) withoutRef(n *node) (*node, error) {
	ref := n.get("$ref")
	if ref == nil {
		return n, nil
	}
	to := a.root.follow(ref.text)
	finder := recursionFinder{root: a.root, state: map[*node]bool{}}
	if finder.visit(to) != "" {
		return nil, fault("it is recursive through " + ref.text)
	}
	if a.written += to.countSchemas(); a.written > maxWritten {
		return nil, errLarge
	}
	inner, err := a.withoutRef(to)
	if err != nil {
		return nil, err
	}
	return n.without("$ref").merge(inner.without("$defs"))
}
