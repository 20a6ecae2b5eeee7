package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
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
	for _, f := range gather(t, nil, map[reflect.Type]bool{}) {
		byName[f.name] = append(byName[f.name], f)
	}
	out := make([]jsonField, 0, len(byName))
	for _, rivals := range byName {
		if f, ok := dominant(rivals); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b jsonField) int { return slices.Compare(a.index, b.index) })
	return out
}

func dominant(rivals []jsonField) (jsonField, bool) {
	slices.SortStableFunc(rivals, func(a, b jsonField) int {
		return cmp.Or(cmp.Compare(len(a.index), len(b.index)), cmp.Compare(rank(a), rank(b)))
	})
	if len(rivals) > 1 && len(rivals[0].index) == len(rivals[1].index) && rivals[0].tagged == rivals[1].tagged {
		return jsonField{}, false
	}
	return rivals[0], true
}

func rank(f jsonField) int {
	if f.tagged {
		return 0
	}
	return 1
}

// gather lists the fields of t and of what it embeds.
func gather(t reflect.Type, at []int, inside map[reflect.Type]bool) []jsonField {
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
		if embedded := embeds(sf); embedded != nil && name == "" {
			out = append(out, gather(embedded, index, inside)...)
			continue
		}
		if !sf.IsExported() && embeds(sf) == nil {
			continue // an embedded struct with a name of its own counts, exported or not
		}
		words := strings.Split(options, ",")
		out = append(out, jsonField{
			StructField: sf, typ: sf.Type, name: cmp.Or(name, sf.Name), index: index,
			tagged:   hasTag && name != "",
			optional: slices.Contains(words, "omitempty") || slices.Contains(words, "omitzero"),
			quoted:   slices.Contains(words, "string") && quotable(sf.Type),
		})
	}
	return out
}

// embeds is the struct that a field embeds; nil if it doesn't.
func embeds(sf reflect.StructField) reflect.Type {
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

func quotable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	k := t.Kind()
	return k == reflect.String || k >= reflect.Bool && k <= reflect.Float64
}

func (b *builder) structure(t reflect.Type) (*jsonschema.Schema, error) {
	if isUnion(t) {
		return b.union(t)
	}
	if u := lentUnion(t, map[reflect.Type]bool{}); u != nil {
		return nil, fmt.Errorf("the union %s can't be embedded: give its field a name", u)
	}
	s := closedSchema()
	for _, f := range jsonFields(t) {
		prop, err := b.property(f)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		s.Properties[f.name] = prop
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if !f.optional {
			s.Required = append(s.Required, f.name)
		}
	}
	return s, nil
}

func (b *builder) property(f jsonField) (*jsonschema.Schema, error) {
	t := f.typ
	if f.optional && t.Kind() == reflect.Pointer {
		t = t.Elem() // leaving it out says what null would
	}
	s, err := b.schema(t)
	if err != nil {
		return nil, err
	}
	if f.quoted {
		s = &jsonschema.Schema{Type: "string"}
	}
	if list, ok := f.Tag.Lookup("enum"); ok {
		if err := setEnum(s, list); err != nil {
			return nil, err
		}
	}
	if text, ok := f.Tag.Lookup("jsonschema"); ok {
		if keyed.MatchString(text) {
			return nil, fmt.Errorf("tag jsonschema:%q: it is the description alone, not a list of keywords", text)
		}
		s.Description = text
	}
	return s, nil
}

// keyed is how other libraries begin such a tag; jsonschema-go reserves it.
var keyed = regexp.MustCompile(`^[^ \t\n]*=`)

// setEnum puts the values of an enum tag into a schema, or into that of a
// list's items.
func setEnum(s *jsonschema.Schema, list string) error {
	if s.Items != nil {
		return setEnum(s.Items, list)
	}
	word := s.Type
	if word == "" && len(s.Types) > 0 {
		word = s.Types[0]
	}
	var vals []any
	for v := range strings.SplitSeq(list, ",") {
		v = strings.TrimSpace(v)
		switch word {
		case "string":
			vals = append(vals, v)
		case "integer", "number":
			if _, err := strconv.ParseFloat(v, 64); err != nil || !json.Valid([]byte(v)) {
				return fmt.Errorf("tag enum:%q: %q is no number", list, v)
			}
			vals = append(vals, json.Number(v))
		default:
			return fmt.Errorf("tag enum:%q: only strings, numbers and lists of them have one", list)
		}
	}
	if s.Type == "" {
		vals = append(vals, nil)
	}
	s.Enum = vals
	return nil
}
