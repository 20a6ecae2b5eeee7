package schema

import (
	"encoding/json"
	"fmt"
)

// Alternative is one of the schemas of a [Union], under its name.
type Alternative struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Union is the schema of a choice between alternatives: an object with one
// member, called member, that holds the name of the alternative and, under
// "arguments", a value of its schema. The order of members is the order in
// which a model writes: the name first. Definitions move to the root, local
// references follow them.
func Union(member string, alternatives []Alternative) (json.RawMessage, error) {
	choices, defs := newArray(), newObject()
	for i, a := range alternatives {
		place := fmt.Sprintf("#/properties/%s/anyOf/%d/properties/arguments", escapePointer(member), i)
		args, err := transplant(a.Schema, place, a.Name+"_", defs)
		if err != nil {
			return nil, within(a.Name, err)
		}
		one := closedObject(
			newField("name", newObject(
				newField("type", newText("string")),
				newField("enum", newArray(newText(a.Name))),
			)),
			newField("arguments", args),
		)
		if a.Description != "" {
			one.set("description", newText(a.Description))
		}
		choices.items = append(choices.items, one)
	}
	root := closedObject(newField(member, newObject(newField("anyOf", choices))))
	if len(defs.fields) > 0 {
		root.set("$defs", defs)
	}
	return root.append(nil), nil
}

// Wrap is the schema of an object whose only member, called member, holds a
// value of the given schema: for wires that take nothing but objects.
func Wrap(member string, raw json.RawMessage) (json.RawMessage, error) {
	defs := newObject()
	inner, err := transplant(raw, "#/properties/"+escapePointer(member), "", defs)
	if err != nil {
		return nil, err
	}
	root := closedObject(newField(member, inner))
	if len(defs.fields) > 0 {
		root.set("$defs", defs)
	}
	return root.append(nil), nil
}

// Describe puts a title and a description on the root of a schema that has none.
func Describe(raw json.RawMessage, title, description string) json.RawMessage {
	n, err := parse(raw)
	if err != nil || n.kind != '{' {
		return raw
	}
	for _, word := range []struct{ name, text string }{{"title", title}, {"description", description}} {
		if word.text != "" && n.get(word.name) == nil {
			n.set(word.name, newText(word.text))
		}
	}
	return n.append(nil)
}

// IsObject reports whether a schema says that its values are objects.
func IsObject(raw json.RawMessage) bool {
	n, err := parse(raw)
	return err == nil && n.get("type") != nil && n.get("type").text == "object"
}

// IsUnion reports whether a schema is a choice between alternatives and states
// no type, as that of a [OneOf] is.
func IsUnion(raw json.RawMessage) bool {
	n, err := parse(raw)
	return err == nil && n.get("anyOf") != nil && n.get("type") == nil
}

// transplant reads a schema for a place inside another one: its definitions
// move to defs under a prefix, and its local references point to where things
// are now.
func transplant(raw json.RawMessage, place, prefix string, defs *node) (*node, error) {
	n, err := parseSchema(raw)
	if err != nil {
		return nil, err
	}
	if n.get("$defs") != nil && n.get("definitions") != nil {
		return nil, fault("it has both $defs and definitions, which can't be moved together")
	}
	for n.wouldClash(prefix, defs) {
		prefix += "_"
	}
	n.rebase(place, prefix)
	for _, keyword := range []string{"$defs", "definitions"} {
		for _, f := range fieldsOf(n, keyword) {
			defs.set(prefix+f.name, f.val)
		}
		n.drop(keyword)
	}
	n.drop("$schema")
	n.drop("$id")
	return n, nil
}

// wouldClash reports whether a definition under this prefix has a name that is
// taken: a tool "a" with a definition "b_c" meets a tool "a_b" with "c".
func (n *node) wouldClash(prefix string, defs *node) bool {
	for _, keyword := range []string{"$defs", "definitions"} {
		for _, f := range fieldsOf(n, keyword) {
			if defs.find(prefix+f.name) >= 0 {
				return true
			}
		}
	}
	return false
}

func closedObject(properties ...field) *node {
	required := newArray()
	for _, p := range properties {
		required.items = append(required.items, newText(p.name))
	}
	return newObject(
		newField("type", newText("object")),
		newField("properties", newObject(properties...)),
		newField("required", required),
		newField("additionalProperties", newFalse()),
	)
}
