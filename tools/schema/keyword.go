package schema

import (
	"strings"
)

// shape is what a keyword's value must look like.
type shape uint8

const (
	anything shape = iota
	oneSchema
	schemaList
	schemaMap
	schemaOrList  // items: a schema, or in draft-07 a list of them
	schemaOrNames // the values of dependencies: a schema or a list of names
	text
	number
	positive // a number above 0
	count    // an integer of 0 or more
	flag
	names    // a list of strings
	namesMap // an object of lists of strings
	typeWord
	values // a list of anything, not empty
	list   // a list of anything
)

// keywords gives the shape of each known keyword. Unknown keywords are
// allowed: the specification says to ignore them.
// Source: JSON Schema draft 2020-12 and draft-07, core and validation.
var keywords = map[string]shape{
	"$schema": text, "$id": text, "$anchor": text, "$ref": text, "$comment": text,
	"$dynamicRef": text, "$dynamicAnchor": text, "title": text, "description": text,
	"format": text, "pattern": text, "contentEncoding": text, "contentMediaType": text,

	"type": typeWord, "enum": values, "examples": list, "required": names, "dependentRequired": namesMap,

	"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number,
	"multipleOf": positive,
	"minLength":  count, "maxLength": count, "minItems": count, "maxItems": count,
	"minContains": count, "maxContains": count, "minProperties": count, "maxProperties": count,
	"uniqueItems": flag, "deprecated": flag, "readOnly": flag, "writeOnly": flag,

	"additionalProperties": oneSchema, "additionalItems": oneSchema, "contains": oneSchema,
	"propertyNames": oneSchema, "unevaluatedItems": oneSchema, "unevaluatedProperties": oneSchema,
	"contentSchema": oneSchema, "not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema,
	"items": schemaOrList,

	"anyOf": schemaList, "oneOf": schemaList, "allOf": schemaList, "prefixItems": schemaList,

	"properties": schemaMap, "patternProperties": schemaMap, "$defs": schemaMap, "definitions": schemaMap,
	"dependentSchemas": schemaMap, "dependencies": schemaOrNames,
}

func isType(word string) bool {
	switch word {
	case "object", "array", "string", "integer", "number", "boolean", "null":
		return true
	}
	return false
}

// belongs gives the type that a keyword is about. Beside other types the
// keyword demands nothing.
var belongs = map[string]string{
	"minLength": "string", "maxLength": "string", "pattern": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"multipleOf": "number",
	"items":      "array", "prefixItems": "array", "additionalItems": "array", "minItems": "array", "maxItems": "array",
	"uniqueItems": "array", "contains": "array", "minContains": "array", "maxContains": "array",
	"unevaluatedItems": "array",
	"properties":       "object", "required": "object", "additionalProperties": "object", "patternProperties": "object",
	"propertyNames": "object", "minProperties": "object", "maxProperties": "object", "dependentRequired": "object",
	"dependentSchemas": "object", "dependencies": "object", "unevaluatedProperties": "object",
	"propertyOrdering": "object",
}

// annotations say nothing about which values fit, so leaving them out
// changes no meaning.
var annotations = map[string]bool{
	"$id": true, "$schema": true, "$comment": true, "$anchor": true, "title": true, "description": true,
	"default": true, "examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
	"contentEncoding": true, "contentMediaType": true, "contentSchema": true,
}

func wordSet(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// child is a schema inside a schema: the place that holds it and the path
// from its parent.
type child struct {
	path string
	slot **node
}

// children lists the schemas directly inside n, in order. Only places where
// the specification puts schemas count, so a property that is called like a
// keyword is never taken for one.
func (n *node) children() []child {
	var out []child
	if n.kind != '{' {
		return nil
	}
	for i := range n.fields {
		f := &n.fields[i]
		out = append(out, schemasUnder(step(f.name), keywords[f.name], &f.val)...)
	}
	return out
}

func schemasUnder(path string, s shape, slot **node) []child {
	val := *slot
	switch s {
	case oneSchema:
		return []child{{path, slot}}
	case schemaOrList, schemaList:
		if val.kind != '[' {
			return []child{{path, slot}}
		}
		out := make([]child, len(val.items))
		for i := range val.items {
			out[i] = child{path + index(i), &val.items[i]}
		}
		return out
	case schemaMap, schemaOrNames:
		out := make([]child, 0, len(val.fields))
		for i := range val.fields {
			f := &val.fields[i]
			if s == schemaMap || f.val.kind != '[' {
				out = append(out, child{join(path, step(f.name)), &f.val})
			}
		}
		return out
	case anything, text, number, positive, count, flag, names, namesMap, typeWord, values, list:
	}
	return nil
}

// inPlace reports whether the child applies to the very value that its parent
// applies to.
func (c child) inPlace() bool {
	word, _, _ := strings.Cut(c.path, "[")
	word, _, _ = strings.Cut(word, ".")
	switch word {
	case "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		return true
	}
	return false
}
