package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
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
	b := builder{
		recursive: map[reflect.Type]bool{},
		names:     map[reflect.Type]string{},
		defs:      map[string]*jsonschema.Schema{},
	}
	b.findRecursion(t, map[reflect.Type]bool{})
	s, err := b.expand(t)
	if err != nil {
		return nil, fmt.Errorf("schema for %s: %w", t, err)
	}
	if len(b.defs) > 0 {
		s.Defs = b.defs
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema for %s: %w", t, err)
	}
	return spellOut(raw)
}

// spellOut writes properties that take anything as {} instead of true, which
// some providers don't read.
func spellOut(raw []byte) (json.RawMessage, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if root.kind != '{' {
		return json.RawMessage("{}"), nil
	}
	root.spellOut()
	return root.append(make([]byte, 0, len(raw))), nil
}

func (n *node) spellOut() {
	for _, c := range n.children() {
		sub := *c.slot
		if sub.kind == 't' && !sub.isFalse() && c.path != "additionalProperties" {
			*c.slot = newObject()
		}
		sub.spellOut()
	}
}

type builder struct {
	recursive map[reflect.Type]bool
	names     map[reflect.Type]string
	defs      map[string]*jsonschema.Schema
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

// schema is the schema of a type that isn't the root.
func (b *builder) schema(t reflect.Type) (*jsonschema.Schema, error) {
	if !b.recursive[t] {
		return b.expand(t)
	}
	name, known := b.names[t]
	if !known {
		name = b.name(t)
		b.names[t] = name
		s, err := b.expand(t)
		if err != nil {
			return nil, err
		}
		b.defs[name] = s
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}, nil
}

// name is a name for the type in $defs, of letters, digits and underscores.
func (b *builder) name(t reflect.Type) string {
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

// isLeaf reports whether a type's schema doesn't depend on types inside it.
func isLeaf(t reflect.Type) bool { return leaf(t) != nil }

// leaf is the schema of a type that has one of its own; nil for others.
func leaf(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[big.Int]():
		return &jsonschema.Schema{Type: "integer"}
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[[]byte]():
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
	}
	switch p := reflect.PointerTo(t); {
	case t.Kind() == reflect.Pointer:
		return nil
	case p.Implements(reflect.TypeFor[interface{ Enum() []string }]()):
		return &jsonschema.Schema{Type: "string", Enum: enumOf(t)}
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return &jsonschema.Schema{}
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

func enumOf(t reflect.Type) []any {
	lister, ok := reflect.TypeAssert[interface{ Enum() []string }](reflect.New(t))
	if !ok {
		return nil
	}
	var vals []any
	for _, s := range lister.Enum() {
		vals = append(vals, s)
	}
	return vals
}

// expand is the schema of a type, written out.
func (b *builder) expand(t reflect.Type) (*jsonschema.Schema, error) {
	if s := leaf(t); s != nil {
		return s, nil
	}
	switch t.Kind() { //nolint:exhaustive // the library knows the scalars and refuses the rest
	case reflect.Pointer:
		s, err := b.schema(t.Elem())
		if err != nil {
			return nil, err
		}
		return orNull(s), nil
	case reflect.Slice, reflect.Array:
		return b.list(t)
	case reflect.Map:
		return b.mapping(t)
	case reflect.Struct:
		return b.structure(t)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return nil, fmt.Errorf("type %s has no JSON form: an interface can't be decoded", t)
		}
		return &jsonschema.Schema{}, nil
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, fmt.Errorf("type %s has no JSON form", t)
	}
	return s, nil
}

func (b *builder) list(t reflect.Type) (*jsonschema.Schema, error) {
	items, err := b.schema(t.Elem())
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Type: "array", Items: items}
	if t.Kind() == reflect.Array {
		s.MinItems, s.MaxItems = new(t.Len()), new(t.Len())
	}
	return s, nil
}

func (b *builder) mapping(t reflect.Type) (*jsonschema.Schema, error) {
	key := t.Key()
	named := key.Kind() == reflect.String || key.Kind() >= reflect.Int && key.Kind() <= reflect.Uintptr ||
		reflect.PointerTo(key).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	if !named {
		return nil, fmt.Errorf("type %s has no JSON form: its keys can't be names", t)
	}
	vals, err := b.schema(t.Elem())
	if err != nil {
		return nil, err
	}
	return &jsonschema.Schema{Type: "object", AdditionalProperties: vals}, nil
}

// orNull lets a schema take null.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Ref != "":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	case len(s.AnyOf) > 0 && s.AnyOf[len(s.AnyOf)-1].Type != "null":
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "null"})
		return s
	case s.Type == "":
		return s // unrestricted, or nullable already
	}
	s.Types = []string{s.Type, "null"}
	s.Type = ""
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}
