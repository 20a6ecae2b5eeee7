package schema

import (
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
	keeps: wordSet("type", "properties", "required", "additionalProperties", "items", "prefixItems", "enum", "const",
		"anyOf", "$ref", "$defs", "$schema", "title", "description", "default", "minItems", "maxItems", "minLength", "maxLength",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
	formats: wordSet("date-time", "date", "time", "uuid"),
	listed:  func(*node) bool { return true },
	open:    true, noAllOf: true,
	prepare: checkRefs, rule: ollamaRule,
}

// maxRepeated bounds lengths: the grammar repeats a rule so many times, and
// the runtime refuses grammars that repeat too much. Source: as above.
const maxRepeated = 1000

func ollamaRule(a *adapter, path string, n *node) error {
	if err := a.mergeAllOf(path, n); err != nil {
		return err
	}
	for _, rule := range []func(string, *node) error{a.inlineRef, a.pushIntoBranches, a.filterValues} {
		if err := rule(path, n); err != nil {
			return err
		}
	}
	a.spellAnyType(path, n)
	a.adaptPlaces(path, n)
	a.useInclusiveBounds(path, n)
	a.dropUnheldBounds(path, n)
	if n.get("patternProperties") != nil && n.get("additionalProperties").isFalse() {
		n.drop("additionalProperties") // else no property could come back
	}
	return nil
}

// adaptPlaces keeps the grammar to lists that it can write: those with
// prefixItems come back just that long, and lengths need items.
func (a *adapter) adaptPlaces(path string, n *node) {
	places := n.get("prefixItems")
	switch {
	case places != nil && n.get("items") != nil:
		a.dropKeyword(path, n, "prefixItems")
	case places != nil:
		count := newInt(int64(len(places.items)))
		if b := n.get("minItems"); b != nil && count.compare(b) < 0 {
			a.dropKeyword(path, n, "minItems")
		}
		if b := n.get("maxItems"); b != nil && count.compare(b) > 0 {
			a.dropKeyword(path, n, "maxItems")
		}
	case n.hasType("array") && n.get("items") == nil && (n.get("minItems") != nil || n.get("maxItems") != nil):
		n.set("items", newObject())
	}
}

func (a *adapter) dropUnheldBounds(path string, n *node) {
	integer := n.hasType("integer") && !n.hasType("number")
	for _, word := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if b := n.get(word); b != nil && (!integer || !b.isInt64()) {
			a.dropKeyword(path, n, word)
		}
	}
	text := n.hasType("string") && !a.formats[textOf(n.get("format"))]
	for _, word := range []string{"minLength", "maxLength"} {
		if b := n.get(word); b != nil && (!text || b.float() > maxRepeated) {
			a.dropKeyword(path, n, word)
		}
	}
	for _, word := range []string{"minItems", "maxItems"} {
		if b := n.get(word); b != nil && b.float() > maxRepeated {
			a.dropKeyword(path, n, word)
		}
	}
}

// dropKeyword leaves one keyword to the check afterwards.
func (a *adapter) dropKeyword(path string, n *node, word string) {
	var h hints
	h.addBound(field{name: word, val: n.get(word)})
	n.drop(word)
	h.appendTo(n)
	a.noteLeftOut(join(path, word), word)
}

var notInRule = regexp.MustCompile(`[^a-zA-Z0-9-]+`)

// checkRefs refuses references that the converter doesn't follow, to the root
// or with escapes, and those that it can't tell apart: it keeps only letters,
// digits and dashes.
func checkRefs(a *adapter) error {
	if err := a.moveRoot(); err != nil {
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

// moveRoot moves a root that references lead to into a definition.
func (a *adapter) moveRoot() error {
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
	a.recordChange("", "moved into $defs")
	return nil
}
