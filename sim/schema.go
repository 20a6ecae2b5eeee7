package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is one JSON Schema, with the order of its properties kept.
type schema struct {
	never bool `json:"-"` // the schema false

	Ref         string            `json:"$ref"`
	Types       oneOrMany         `json:"type"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Default     json.RawMessage   `json:"default"`
	Examples    []json.RawMessage `json:"examples"`
	Description string            `json:"description"`

	Properties           ordered                    `json:"properties"`
	PatternProperties    ordered                    `json:"patternProperties"`
	AdditionalProperties json.RawMessage            `json:"additionalProperties"`
	PropertyNames        json.RawMessage            `json:"propertyNames"`
	Required             []string                   `json:"required"`
	DependentRequired    map[string][]string        `json:"dependentRequired"`
	DependentSchemas     map[string]json.RawMessage `json:"dependentSchemas"`
	MinProperties        int                        `json:"minProperties"`

	Items       json.RawMessage   `json:"items"`
	PrefixItems []json.RawMessage `json:"prefixItems"`
	Contains    json.RawMessage   `json:"contains"`
	MinContains *int              `json:"minContains"`
	MinItems    int               `json:"minItems"`
	MaxItems    *int              `json:"maxItems"`
	UniqueItems bool              `json:"uniqueItems"`

	MultipleOf       json.Number `json:"multipleOf"`
	Minimum          json.Number `json:"minimum"`
	Maximum          json.Number `json:"maximum"`
	ExclusiveMinimum json.Number `json:"exclusiveMinimum"`
	ExclusiveMaximum json.Number `json:"exclusiveMaximum"`

	MinLength int    `json:"minLength"`
	MaxLength *int   `json:"maxLength"`
	Pattern   string `json:"pattern"`
	Format    string `json:"format"`

	AllOf []json.RawMessage `json:"allOf"`
	AnyOf []json.RawMessage `json:"anyOf"`
	OneOf []json.RawMessage `json:"oneOf"`
	Not   json.RawMessage   `json:"not"`
	If    json.RawMessage   `json:"if"`
	Then  json.RawMessage   `json:"then"`
	Else  json.RawMessage   `json:"else"`
}

// oneOrMany is a string or a list of strings.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(b []byte) error {
	if s, ok := textOf(b); ok {
		*o = oneOrMany{s}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// property is a named schema.
type property struct {
	name string
	raw  json.RawMessage
}

// ordered is a JSON object in the order it was written.
type ordered []property

func (o *ordered) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not an object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		*o = append(*o, property{name, raw})
	}
	return nil
}

func (o ordered) get(name string) (json.RawMessage, bool) {
	for _, p := range o {
		if p.name == name {
			return p.raw, true
		}
	}
	return nil, false
}

var errNotSchema = errors.New("not a schema")

// readSchema decodes a schema; an absent one allows everything.
func readSchema(raw json.RawMessage) (*schema, error) {
	s := &schema{}
	switch t := bytes.TrimSpace(raw); {
	case len(t) == 0 || string(t) == "true":
		return s, nil
	case string(t) == "false":
		s.never = true
		return s, nil
	case t[0] != '{':
		return nil, errNotSchema
	}
	return s, json.Unmarshal(raw, s)
}

// propertyNames are the names at the top of a schema, as a text.
func propertyNames(raw json.RawMessage) string {
	s, err := readSchema(raw)
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(s.Properties))
	for _, p := range s.Properties {
		names = append(names, p.name)
	}
	return strings.Join(names, " ")
}

// lookup finds what a local reference points at.
func lookup(root json.RawMessage, ref string) (json.RawMessage, error) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, errNotSchema
	}
	if un, err := url.PathUnescape(pointer); err == nil {
		pointer = un
	}
	at := root
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		next, err := descend(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func descend(at json.RawMessage, step string) (json.RawMessage, error) {
	if next, ok := members(at)[step]; ok {
		return next, nil
	}
	var list []json.RawMessage
	if i, err := strconv.ParseUint(step, 10, 16); err == nil && json.Unmarshal(at, &list) == nil && int(i) < len(list) {
		return list[i], nil
	}
	return nil, errNotSchema
}

func newValidator(root json.RawMessage) validator {
	return validator{root: root, compiled: map[string]*jsonschema.Resolved{}}
}

// fits reports whether a value is valid against a schema. A schema that can't
// be read fits everything.
func fits(raw, value json.RawMessage) bool {
	return validator{root: raw}.fits(raw, value)
}

// validator checks values against parts of a schema, whose references are
// relative to its root. It keeps what it has compiled, if it has a map for it.
type validator struct {
	root     json.RawMessage
	compiled map[string]*jsonschema.Resolved
}

func (d validator) fits(part, value json.RawMessage) bool {
	resolved, ok := d.compiled[string(part)]
	if !ok {
		resolved = d.compile(part)
		if d.compiled != nil {
			d.compiled[string(part)] = resolved
		}
	}
	var v any
	if json.Unmarshal(value, &v) != nil {
		return false
	}
	return resolved == nil || resolved.Validate(v) == nil
}

// compile returns nil for a part that can't be compiled.
func (d validator) compile(part json.RawMessage) *jsonschema.Resolved {
	if endless(d.root, part) {
		return nil
	}
	doc, err := marshal(object{
		"$defs": object{"root": movedRefs(d.root)},
		"allOf": []any{movedRefs(part)},
	})
	if err != nil {
		return nil
	}
	resolved, err := compile(doc)
	if err != nil {
		return nil
	}
	return resolved
}

// compile resolves a schema for validation.
func compile(doc json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(doc, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// movedRefs is a schema whose local references point below /$defs/root.
func movedRefs(raw json.RawMessage) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if len(raw) == 0 || dec.Decode(&v) != nil {
		return true
	}
	return moveRefs(v)
}

func moveRefs(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = moveRefs(v[i])
		}
	case map[string]any:
		for _, k := range slices.Collect(maps.Keys(v)) {
			if ref, ok := v[k].(string); ok && strings.EqualFold(k, "$ref") && strings.HasPrefix(ref, "#") {
				v[k] = "#/$defs/root" + ref[1:]
			} else {
				v[k] = moveRefs(v[k])
			}
		}
		delete(v, "$id")
		delete(v, "$schema")
	}
	return v
}
