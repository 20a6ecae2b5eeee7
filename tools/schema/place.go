package schema

import "reflect"

// Place is a place in the JSON of a Go type, for readers of a document that is
// still arriving: they have to know what a value that is only partly there is
// good for. It is not safe for concurrent use; nor are two places of one
// [PlaceOf].
type Place struct {
	typ    reflect.Type // nil: anything
	listed bool         // its scalars are of a list of values
	quoted bool
	fields map[reflect.Type]map[string]jsonField
}

// PlaceOf is the root of a type's JSON.
func PlaceOf(t reflect.Type) Place {
	return Place{typ: t, fields: map[reflect.Type]map[string]jsonField{}}.deref()
}

func (p Place) deref() Place {
	for p.typ != nil && p.typ.Kind() == reflect.Pointer {
		p.typ = p.typ.Elem()
	}
	if p.typ != nil && p.typ.Kind() == reflect.Interface {
		p.typ = nil
	}
	return p
}

// Member is the place of an object's member, and false if the type has none of
// that name.
func (p Place) Member(name string) (Place, bool) {
	switch {
	case p.typ == nil:
		return p, true
	case p.typ.Kind() == reflect.Map:
		p.typ = p.typ.Elem()
		return p.deref(), true
	case p.typ.Kind() != reflect.Struct:
		return Place{}, false
	}
	members, known := p.fields[p.typ]
	if !known {
		members = map[string]jsonField{}
		for _, f := range jsonFields(p.typ) {
			members[f.name] = f
		}
		p.fields[p.typ] = members
	}
	f, ok := members[name]
	_, p.listed = f.Tag.Lookup("enum")
	p.typ, p.quoted = f.typ, f.quoted
	return p.deref(), ok
}

// Item is the place of an array's elements, and false if the type is no list.
func (p Place) Item() (Place, bool) {
	switch {
	case p.typ == nil:
		return p, true
	case p.typ.Kind() != reflect.Slice && p.typ.Kind() != reflect.Array:
		return Place{}, false
	}
	p.typ = p.typ.Elem()
	return p.deref(), true
}

// Grows reports whether the beginning of a value is a value too: that of a
// text, a list, a struct or a map is. The others only mean something when they
// are whole: numbers, one of a list of values, and what a type reads for
// itself, such as a time.
func (p Place) Grows() bool {
	if p.typ == nil {
		return true
	}
	if isLeaf(p.typ) {
		return false
	}
	switch p.typ.Kind() { //nolint:exhaustive // the rest are numbers, or can't be read
	case reflect.String:
		return !p.listed && !p.quoted
	case reflect.Slice, reflect.Array, reflect.Struct, reflect.Map:
		return true
	}
	return false
}
