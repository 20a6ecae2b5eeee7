package schema

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// jsonField is a struct field as encoding/json sees it.
type jsonField struct {
	reflect.StructField
	typ      reflect.Type
	name     string
	index    []int // from the outermost struct
	tagged   bool
	optional bool
	quoted   bool // the option "string"
}

// jsonFields lists the fields that encoding/json reads, in field order. Of
// fields with one name the least deep wins, then the one with a tag; if that
// doesn't settle it, none does.
func jsonFields(t reflect.Type) []jsonField {
	byName := map[string][]jsonField{}
	for _, f := range collectFields(t, nil, map[reflect.Type]bool{}) {
		byName[f.name] = append(byName[f.name], f)
	}
	out := make([]jsonField, 0, len(byName))
	for _, rivals := range byName {
		if f, ok := pickDominant(rivals); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b jsonField) int { return slices.Compare(a.index, b.index) })
	return out
}

func pickDominant(rivals []jsonField) (jsonField, bool) {
	slices.SortStableFunc(rivals, func(a, b jsonField) int {
		return cmp.Or(cmp.Compare(len(a.index), len(b.index)), cmp.Compare(rankField(a), rankField(b)))
	})
	if len(rivals) > 1 && len(rivals[0].index) == len(rivals[1].index) && rivals[0].tagged == rivals[1].tagged {
		return jsonField{}, false
	}
	return rivals[0], true
}

func rankField(f jsonField) int {
	if f.tagged {
		return 0
	}
	return 1
}

func collectFields(t reflect.Type, at []int, inside map[reflect.Type]bool) []jsonField {
	if inside[t] {
		return nil
	}
	inside[t] = true
	defer delete(inside, t)
	var out []jsonField
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(slices.Clone(at), i)
		tag, hasTag := sf.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		if embedded := embeddedStruct(sf); embedded != nil && name == "" {
			out = append(out, collectFields(embedded, index, inside)...)
			continue
		}
		if !sf.IsExported() && embeddedStruct(sf) == nil {
			continue // an embedded struct with a name of its own counts, exported or not
		}
		words := strings.Split(options, ",")
		out = append(out, jsonField{
			StructField: sf, typ: sf.Type, name: cmp.Or(name, sf.Name), index: index,
			tagged:   hasTag && name != "",
			optional: slices.Contains(words, "omitempty") || slices.Contains(words, "omitzero"),
			quoted:   slices.Contains(words, "string") && isQuotable(sf.Type),
		})
	}
	return out
}

// embeddedStruct returns the struct that a field embeds; nil if there is none.
func embeddedStruct(sf reflect.StructField) reflect.Type {
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !sf.Anonymous || t.Kind() != reflect.Struct || sf.Type.Kind() == reflect.Pointer && !sf.IsExported() {
		return nil
	}
	return t
}

// namedByTag reports whether an embedded struct is a member of its own.
func namedByTag(sf reflect.StructField) bool {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	return name != ""
}

func isQuotable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	k := t.Kind()
	return k == reflect.String || k >= reflect.Bool && k <= reflect.Float64
}
