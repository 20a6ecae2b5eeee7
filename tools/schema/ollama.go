package schema

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
)

// ollama is what the grammar says that Ollama's runtime makes of a schema.
// The converter looks for one thing after the other: $ref, a union, a list of
// types, const, enum, an object's properties, a list's items, a format,
// lengths, an integer's bounds. What it finds first decides, so nothing else
// of the same schema is enforced, and some of what it doesn't know is a 400:
// boolean schemas, a reference to the root, patterns that aren't anchored.
// Patterns are left out altogether.
// Source: llama.cpp, common/json-schema-to-grammar.cpp; ollama/ollama#8185
// ("We don't support regex-constrained structured outputs") and #18226; read
// 2026-11-30.
var ollama = &subset{
	name: "Ollama's grammar",
	keeps: set("type", "properties", "required", "additionalProperties", "items", "prefixItems", "enum", "const", "anyOf",
		"$ref", "$defs", "$schema", "title", "description", "default", "minItems", "maxItems", "minLength", "maxLength",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
	formats: set("date-time", "date", "time", "uuid"),
	listed:  func(*node) bool { return true },
	open:    true, noAllOf: true,
	prepare: plainRefs, rule: ollamaRule,
}

// maxRepeated bounds lengths: the grammar repeats a rule so many times, and
// the runtime refuses grammars that repeat too much. Source: as above.
const maxRepeated = 1000

func ollamaRule(a *adapter, path string, n *node) error {
	if err := a.together(path, n); err != nil {
		return err
	}
	for _, rule := range []func(string, *node) error{a.aloneRef, a.aloneUnion, a.aloneValues} {
		if err := rule(path, n); err != nil {
			return err
		}
	}
	a.anyType(path, n)
	a.places(path, n)
	a.wholeBounds(path, n)
	a.grammarBounds(path, n)
	if n.get("patternProperties") != nil && n.get("additionalProperties").isFalse() {
		n.drop("additionalProperties") // else no property could come back
	}
	return nil
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

// places sees to lists: those with places come back just that long, and
// lengths need items.
func (a *adapter) places(path string, n *node) {
	places := n.get("prefixItems")
	switch {
	case places != nil && n.get("items") != nil:
		a.leave(path, n, "prefixItems")
	case places != nil:
		count := newInt(int64(len(places.items)))
		if b := n.get("minItems"); b != nil && count.compare(b) < 0 {
			a.leave(path, n, "minItems")
		}
		if b := n.get("maxItems"); b != nil && count.compare(b) > 0 {
			a.leave(path, n, "maxItems")
		}
	case n.hasType("array") && n.get("items") == nil && (n.get("minItems") != nil || n.get("maxItems") != nil):
		n.set("items", newObject())
	}
}

// grammarBounds leaves out bounds that the grammar doesn't hold.
func (a *adapter) grammarBounds(path string, n *node) {
	integer := n.hasType("integer") && !n.hasType("number")
	for _, word := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if b := n.get(word); b != nil && (!integer || !b.isInt64()) {
			a.leave(path, n, word)
		}
	}
	text := n.hasType("string") && !a.formats[textOf(n.get("format"))]
	for _, word := range []string{"minLength", "maxLength"} {
		if b := n.get(word); b != nil && (!text || b.float() > maxRepeated) {
			a.leave(path, n, word)
		}
	}
	for _, word := range []string{"minItems", "maxItems"} {
		if b := n.get(word); b != nil && b.float() > maxRepeated {
			a.leave(path, n, word)
		}
	}
}

func textOf(n *node) string {
	if n == nil {
		return ""
	}
	return n.text
}

func (n *node) isInt64() bool {
	r, ok := n.exact()
	return ok && r.IsInt() && r.Num().IsInt64() && new(big.Int).Abs(r.Num()).Int64() >= 0
}

// leave leaves one keyword to the check afterwards.
func (a *adapter) leave(path string, n *node, word string) {
	var h hints
	h.add(field{name: word, val: n.get(word)})
	n.drop(word)
	h.into(n)
	a.leftOut(join(path, word), word)
}

var notInRule = regexp.MustCompile(`[^a-zA-Z0-9-]+`)

// plainRefs sees that each reference is a pointer that the converter follows:
// not to the root, without escapes, and apart from others once only letters,
// digits and dashes are left of it.
func plainRefs(a *adapter) error {
	if err := a.plainRoot(); err != nil {
		return err
	}
	rules := map[string]string{}
	return a.root.eachRef(func(ref *node) error {
		if strings.ContainsAny(ref.text, "~%") {
			return a.refuse("", "the reference "+brief(ref.raw))
		}
		rule := notInRule.ReplaceAllString(ref.text, "-")
		if other, taken := rules[rule]; taken && other != ref.text {
			return a.refuse("", "the references "+other+" and "+ref.text+" in one schema")
		}
		rules[rule] = ref.text
		return nil
	})
}

func (n *node) eachRef(do func(*node) error) error {
	if ref := n.get("$ref"); ref != nil {
		if err := do(ref); err != nil {
			return err
		}
	}
	for _, c := range n.children() {
		if err := (*c.slot).eachRef(do); err != nil {
			return err
		}
	}
	return nil
}

// plainRoot moves a root that references lead to into a definition.
func (a *adapter) plainRoot() error {
	found := false
	err := a.root.eachRef(func(ref *node) error {
		found = found || ref.text == "#"
		return nil
	})
	if err != nil || !found {
		return err
	}
	name := "root"
	for a.root.get("$defs").get(name) != nil {
		name += "_"
	}
	a.root.rebase("#/$defs/"+name, "")
	defs := newObject(fieldsOf(a.root, "$defs")...)
	root := &node{kind: '{', fields: a.root.without("$defs", "$schema").fields}
	defs.fields = append(defs.fields, newField(name, root))
	delete(a.targets, a.root)
	a.targets[root] = true
	a.root.fields = []field{newField("$ref", newText("#/$defs/"+name)), newField("$defs", defs)}
	a.changed("", "moved into $defs")
	return nil
}
