package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// For returns the JSON Schema of what a T is decoded from, in compact form.
// Equal types give equal bytes.
//
//   - Structs are closed objects; properties follow encoding/json's names and
//     stand in field order. Embedded structs lend their fields.
//   - A property is required unless its tag says omitempty or omitzero. A
//     required pointer may be null.
//   - A tag jsonschema:"…" is the description.
//   - A tag enum:"a,b,c" lists the values of a string or number, or of a list's
//     items. A type with a method Enum() []string lists its own.
//   - time.Time is a string in date-time format, []byte one in base64, big.Int
//     an integer; a type that unmarshals itself from text is a string; any,
//     json.RawMessage and a type that unmarshals itself from JSON are
//     unrestricted.
//   - A struct that embeds [OneOf] is a union.
//   - Recursive types become references into $defs.
//
// Types without a JSON form (functions, channels, interfaces with methods) are
// an error that names the field.
func For[T any]() (json.RawMessage, error) {
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	b := builder{recursive: map[reflect.Type]bool{}, names: map[reflect.Type]string{}, defs: map[string]*node{}}
	b.findRecursion(t, map[reflect.Type]bool{})
	root, err := b.inferType(t)
	if err != nil {
		return nil, fmt.Errorf("schema for %s: %w", t, err)
	}
	if len(b.defs) > 0 {
		defs := newObject()
		for _, name := range slices.Sorted(maps.Keys(b.defs)) {
			defs.fields = append(defs.fields, newField(name, b.defs[name]))
		}
		root.set("$defs", defs)
	}
	root.orderKeywords()
	return root.append(nil), nil
}

// keywordOrder is the order in which inferred schemas are written. Prompt
// caches and recordings depend on it.
var keywordOrder = []string{
	"type", "properties", "items", "$ref", "$defs", "description", "enum", "minimum", "maximum", "minItems", "maxItems",
	"required", "additionalProperties", "anyOf", "contentEncoding", "format",
}

func (n *node) orderKeywords() {
	slices.SortFunc(n.fields, func(a, b field) int {
		return slices.Index(keywordOrder, a.name) - slices.Index(keywordOrder, b.name)
	})
	for _, c := range n.children() {
		(*c.slot).orderKeywords()
	}
}

// builder infers the schema of one type and of the types inside it.
type builder struct {
	recursive map[reflect.Type]bool
	names     map[reflect.Type]string
	defs      map[string]*node
}

// findRecursion marks at least one type of every cycle.
func (b *builder) findRecursion(t reflect.Type, state map[reflect.Type]bool) {
	if t.Name() != "" {
		if active, seen := state[t]; seen {
			b.recursive[t] = b.recursive[t] || active
			return
		}
		state[t] = true
		defer func() { state[t] = false }()
	}
	if isLeaf(t) {
		return
	}
	switch t.Kind() { //nolint:exhaustive // only these hold other types
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		b.findRecursion(t.Elem(), state)
	case reflect.Struct:
		for _, f := range jsonFields(t) {
			b.findRecursion(f.typ, state)
		}
	}
}

// inferInner returns the schema of a type inside the root: a reference if the
// type is recursive.
func (b *builder) inferInner(t reflect.Type) (*node, error) {
	if !b.recursive[t] {
		return b.inferType(t)
	}
	name, known := b.names[t]
	if !known {
		name = b.nameDefinition(t)
		b.names[t] = name
		s, err := b.inferType(t)
		if err != nil {
			return nil, err
		}
		b.defs[name] = s
	}
	return newObject(newField("$ref", newText("#/$defs/"+name))), nil
}

// nameDefinition finds a free name in $defs, of letters, digits and
// underscores.
func (b *builder) nameDefinition(t reflect.Type) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, shortName(t.Name()))
	taken := map[string]bool{}
	for _, n := range b.names {
		taken[n] = true
	}
	name := base
	for i := 2; taken[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// shortName takes the package paths out of a generic type's arguments.
func shortName(s string) string {
	name, args, generic := strings.Cut(s, "[")
	if !generic {
		return s
	}
	words := []string{name}
	for arg := range strings.SplitSeq(strings.TrimSuffix(args, "]"), ",") {
		words = append(words, arg[strings.LastIndexAny(arg, "./")+1:])
	}
	return strings.Join(words, "_")
}

func newTyped(word string, more ...field) *node {
	return newObject(append([]field{newField("type", newText(word))}, more...)...)
}

func (b *builder) inferType(t reflect.Type) (*node, error) {
	if s := inferLeaf(t); s != nil {
		return s, nil
	}
	switch t.Kind() { //nolint:exhaustive // the rest are scalars, or have no JSON form
	case reflect.Pointer:
		s, err := b.inferInner(t.Elem())
		if err != nil || s.takesNull(s) {
			return s, err
		}
		return s.makeNullable(), nil
	case reflect.Slice, reflect.Array:
		return b.inferList(t)
	case reflect.Map:
		return b.inferMap(t)
	case reflect.Struct:
		return b.inferStruct(t)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return nil, fmt.Errorf("type %s has no JSON form: an interface can't be decoded", t)
		}
		return newObject(), nil
	}
	if s := inferScalar(t); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("type %s has no JSON form", t)
}

// isLeaf reports whether a type's schema doesn't depend on types inside it.
func isLeaf(t reflect.Type) bool { return inferLeaf(t) != nil }

// inferLeaf returns the schema of a type with a JSON form of its own; nil for
// others.
func inferLeaf(t reflect.Type) *node {
	switch t {
	case reflect.TypeFor[time.Time]():
		return newTyped("string", newField("format", newText("date-time")))
	case reflect.TypeFor[big.Int]():
		return newTyped("integer")
	case reflect.TypeFor[json.Number]():
		return newTyped("number")
	case reflect.TypeFor[[]byte]():
		return newTyped("string", newField("contentEncoding", newText("base64")))
	}
	switch p := reflect.PointerTo(t); {
	case t.Kind() == reflect.Pointer:
		return nil
	case p.Implements(reflect.TypeFor[enumerated]()):
		return newTyped("string", newField("enum", newArray(listEnum(t)...)))
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return newObject()
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return newTyped("string")
	}
	return nil
}

// enumerated is a type that lists its values.
type enumerated interface{ Enum() []string }

func listEnum(t reflect.Type) []*node {
	lister, ok := reflect.TypeAssert[enumerated](reflect.New(t))
	if !ok {
		return nil
	}
	var vals []*node
	for _, s := range lister.Enum() {
		vals = append(vals, newText(s))
	}
	return vals
}

// inferScalar gives numbers the bounds of their Go type, if it has fewer than
// 64 bits. It returns nil for types that aren't scalars.
func inferScalar(t reflect.Type) *node {
	switch t.Kind() { //nolint:exhaustive // the rest are no scalars
	case reflect.Bool:
		return newTyped("boolean")
	case reflect.String:
		return newTyped("string")
	case reflect.Float32, reflect.Float64:
		return newTyped("number")
	case reflect.Int, reflect.Int64:
		return newTyped("integer")
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return newTyped("integer", newField("minimum", newInt(0)))
	case reflect.Int8, reflect.Int16, reflect.Int32:
		half := int64(1) << (t.Bits() - 1)
		return newTyped("integer", newField("minimum", newInt(-half)), newField("maximum", newInt(half-1)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return newTyped("integer", newField("minimum", newInt(0)), newField("maximum", newInt(1<<t.Bits()-1)))
	}
	return nil
}

func (b *builder) inferList(t reflect.Type) (*node, error) {
	items, err := b.inferInner(t.Elem())
	if err != nil {
		return nil, err
	}
	s := newTyped("array", newField("items", items))
	if t.Kind() == reflect.Array {
		s.set("minItems", newInt(int64(t.Len())))
		s.set("maxItems", newInt(int64(t.Len())))
	}
	return s, nil
}

func (b *builder) inferMap(t reflect.Type) (*node, error) {
	key := t.Key()
	named := key.Kind() == reflect.String || key.Kind() >= reflect.Int && key.Kind() <= reflect.Uintptr ||
		reflect.PointerTo(key).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	if !named {
		return nil, fmt.Errorf("type %s has no JSON form: its keys can't be names", t)
	}
	vals, err := b.inferInner(t.Elem())
	if err != nil {
		return nil, err
	}
	if len(vals.fields) == 0 {
		vals = newTrue()
	}
	return newTyped("object", newField("additionalProperties", vals)), nil
}

func (b *builder) inferStruct(t reflect.Type) (*node, error) {
	if isUnion(t) {
		return b.inferUnion(t)
	}
	if u := findEmbeddedUnion(t, map[reflect.Type]bool{}); u != nil {
		return nil, fmt.Errorf("the union %s can't be embedded: give its field a name", u)
	}
	props, required := newObject(), newArray()
	for _, f := range jsonFields(t) {
		prop, err := b.inferProperty(f)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		props.fields = append(props.fields, newField(f.name, prop))
		if !f.optional {
			required.items = append(required.items, newText(f.name))
		}
	}
	s := newTyped("object", newField("properties", props), newField("additionalProperties", newFalse()))
	if len(required.items) > 0 {
		s.set("required", required)
	}
	return s, nil
}

func (b *builder) inferProperty(f jsonField) (*node, error) {
	t := f.typ
	if f.optional && t.Kind() == reflect.Pointer {
		t = t.Elem() // leaving it out says what null would
	}
	s, err := b.inferInner(t)
	if err != nil {
		return nil, err
	}
	if f.quoted {
		s = newTyped("string")
	}
	if list, ok := f.Tag.Lookup("enum"); ok {
		if err := s.setEnum(list); err != nil {
			return nil, err
		}
	}
	text := f.Tag.Get("jsonschema")
	if startsWithKey.MatchString(text) {
		return nil, fmt.Errorf("tag jsonschema:%q: it is the description alone, not a list of keywords", text)
	}
	if text != "" {
		s.set("description", newText(text))
	}
	return s, nil
}

// startsWithKey is how other libraries begin such a tag; jsonschema-go
// reserves it.
var startsWithKey = regexp.MustCompile(`^[^ \t\n]*=`)

// setEnum puts the values of an enum tag into a schema, or into that of a
// list's items.
func (n *node) setEnum(list string) error {
	if items := n.get("items"); items != nil {
		return items.setEnum(list)
	}
	words := typeList(n.get("type"))
	vals := newArray()
	for v := range strings.SplitSeq(list, ",") {
		v = strings.TrimSpace(v)
		switch {
		case len(words) > 0 && words[0].text == "string":
			vals.items = append(vals.items, newText(v))
		case len(words) > 0 && (words[0].text == "integer" || words[0].text == "number"):
			if _, err := strconv.ParseFloat(v, 64); err != nil || !json.Valid([]byte(v)) {
				return fmt.Errorf("tag enum:%q: %q is no number", list, v)
			}
			vals.items = append(vals.items, &node{kind: '0', raw: []byte(v)})
		default:
			return fmt.Errorf("tag enum:%q: only strings, numbers and lists of them have one", list)
		}
	}
	if len(words) > 1 {
		vals.items = append(vals.items, newNull())
	}
	n.set("enum", vals)
	return nil
}
