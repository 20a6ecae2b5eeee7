package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// cohere is what Cohere documents for response_format and strict_tools.
// Source: Cohere, "Structured Outputs", parameter types support, unsupported
// schema features and schema constraints; "Parameter types for tool use",
// important notes; read 2026-11-30. Lists of types aren't mentioned and become
// anyOf, which is.
var cohere = &subset{
	name: "Cohere's structured output",
	keeps: wordSet("type", "properties", "required", "additionalProperties", "items", "enum", "const", "pattern", "anyOf",
		"$ref", "$defs", "$schema", "title", "description", "default"),
	formats: wordSet("date-time", "uuid", "date", "time"),
	pattern: cohereReads, open: true, noAllOf: true, rule: cohereRule,
}

// maxCohereFields is how many properties strict_tools takes, over all tools of
// a call. Source: as above.
const maxCohereFields = 200

func adaptCohere(raw json.RawMessage) (Adapted, error) {
	out, notes, _, err := cohere.adapt(raw)
	if err != nil {
		return Adapted{}, err
	}
	root, err := parse(out)
	if err != nil {
		return Adapted{}, err
	}
	why := root.checkCohere()
	if why != "" {
		notes = append(notes, why)
	}
	return Adapted{Schema: out, Notes: notes, Strict: why == ""}, nil
}

// checkCohere returns the reason why Cohere doesn't enforce a schema; "" if it
// does.
func (n *node) checkCohere() string {
	if t := n.get("type"); t == nil || t.text != "object" {
		return "the root has not just the type object, so the schema is not enforced"
	}
	fields := 0
	why := n.findUnrequired("", &fields)
	if why == "" && fields > maxCohereFields {
		why = "more than " + strconv.Itoa(maxCohereFields) + " properties, so the schema is not enforced"
	}
	return why
}

// findUnrequired names an object that requires no property, and adds up
// properties in fields.
func (n *node) findUnrequired(path string, fields *int) string {
	*fields += len(fieldsOf(n, "properties"))
	if required := n.get("required"); (n.hasType("object") || n.get("properties") != nil) &&
		(required == nil || len(required.items) == 0) {
		return prefixPath(path, "an object that requires no property, so the schema is not enforced")
	}
	for _, c := range n.children() {
		if why := (*c.slot).findUnrequired(join(path, c.path), fields); why != "" {
			return why
		}
	}
	return ""
}

func cohereReads(pattern string) bool {
	return !strings.ContainsAny(pattern, "^$") && !hasLookaround(pattern)
}

func cohereRule(a *adapter, path string, n *node) error {
	if err := a.mergeAllOf(path, n); err != nil {
		return err
	}
	a.splitTypes(path, n)
	if err := a.pushIntoRequiredChoice(path, n); err != nil {
		return err
	}
	if c := n.get("const"); c != nil && !isScalar(c) {
		n.drop("const")
		a.noteLeftOut(join(path, "const"), "const")
	}
	if rest := n.get("additionalProperties"); rest != nil && rest.kind == '{' {
		for _, word := range []string{"$ref", "required", "anyOf"} {
			if rest.get(word) != nil {
				a.addNote(join(path, join("additionalProperties", word)), notEnforced)
			}
		}
	}
	return nil
}

// splitTypes spells a list of types as a union with a branch for each.
func (a *adapter) splitTypes(path string, n *node) {
	words := typeList(n.get("type"))
	if len(words) < 2 {
		if len(words) == 1 {
			n.set("type", words[0])
		}
		return
	}
	a.recordChange(join(path, "type"), "a list, sent as anyOf")
	out, rest := n.splitDemands("type")
	branches := newArray()
	for _, w := range words {
		if b := rest.forType(w); b != nil {
			branches.items = append(branches.items, b)
		}
	}
	if len(branches.items) == 0 {
		return // no value fits; that is for the caller to see
	}
	out.set("anyOf", branches)
	n.fields = out.fields
}

// forType returns the schema for just one of its types: with the keywords and
// values that are about it; nil if no value is left.
func (n *node) forType(word *node) *node {
	out := newObject(newField("type", word))
	group := word.text
	if group == "integer" {
		group = "number"
	}
	for _, f := range n.fields {
		vals := []*node{f.val}
		switch about := belongs[f.name]; {
		case f.name == "enum":
			vals = f.val.items
			fallthrough
		case f.name == "const":
			vals = valuesOf(vals, word.text)
			if len(vals) == 0 {
				return nil
			}
			if group == "null" {
				continue
			}
			f.val = vals[0]
			if f.name == "enum" {
				f.val = newArray(vals...)
			}
		case about != "" && about != group, f.name == "format" && !slices.Contains([]string{"string", "number"}, group):
			continue
		}
		out.fields = append(out.fields, f)
	}
	return out.clone()
}

func valuesOf(vals []*node, word string) []*node {
	var out []*node
	for _, v := range vals {
		if isOf(word, v) {
			out = append(out, v)
		}
	}
	return out
}
