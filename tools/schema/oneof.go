package schema

import (
	"errors"
	"fmt"
	"reflect"
)

// OneOf makes the struct that embeds it a union: exactly one of the fields is
// there. Each is an alternative, a pointer with omitempty, and its name is what
// tells them apart:
//
//	type Finding struct {
//		schema.OneOf
//		Castle  *Castle `json:"castle,omitempty"`
//		Nothing *string `json:"nothing,omitempty" jsonschema:"why there is none"`
//	}
//
// is {"castle": {…}} or {"nothing": "…"}, whichever pointer is set: an anyOf of
// closed objects, which every wire that enforces schemas can keep. That just
// one is there holds for what was checked against the schema; encoding/json
// alone takes both, or none. A union can't be embedded in another struct.
type OneOf struct{}

func isUnion(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		if f.Anonymous && (f.Type == reflect.TypeFor[OneOf]() || f.Type == reflect.TypeFor[*OneOf]()) {
			return true
		}
	}
	return false
}

func (b *builder) inferUnion(t reflect.Type) (*node, error) {
	branches := newArray()
	for _, f := range jsonFields(t) {
		if f.typ.Kind() != reflect.Pointer || !f.optional {
			return nil, fmt.Errorf("field %s: an alternative must be a pointer with omitempty", f.Name)
		}
		prop, err := b.inferProperty(f)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		branches.items = append(branches.items, closedObject(newField(f.name, prop)))
	}
	if len(branches.items) == 0 {
		return nil, errors.New("a union without alternatives")
	}
	return newObject(newField("anyOf", branches)), nil
}

// findEmbeddedUnion returns the union that a struct embeds, at any depth; nil
// if there is none. Its fields would pass for members that may all be there.
func findEmbeddedUnion(t reflect.Type, inside map[reflect.Type]bool) reflect.Type {
	if inside[t] {
		return nil
	}
	inside[t] = true
	for f := range t.Fields() {
		if f.Tag.Get("json") == "-" || namedByTag(f) {
			continue
		}
		switch within := embeddedStruct(f); {
		case within == nil:
		case isUnion(within):
			return within
		default:
			if u := findEmbeddedUnion(within, inside); u != nil {
				return u
			}
		}
	}
	return nil
}
