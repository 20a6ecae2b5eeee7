package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// KindOf is the type of value to make.
func KindOf(s *Schema) string {
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	switch {
	case len(s.Types) > 0:
		return "null"
	case s.Properties != nil || s.Required != nil || s.AdditionalProperties != nil || s.MinProperties > 0 ||
		s.PatternProperties != nil:
		return "object"
	case s.Items != nil || s.PrefixItems != nil || s.MinItems > 0 || s.Contains != nil:
		return "array"
	case s.Minimum+s.Maximum+s.ExclusiveMinimum+s.ExclusiveMaximum+s.MultipleOf != "":
		return "number"
	}
	return "string"
}

// FindMember is the schema of a member that stands in no property list.
func (s *Schema) FindMember(name string) json.RawMessage {
	if raw, ok := s.Properties.find(name); ok {
		return raw
	}
	for _, p := range s.PatternProperties {
		if re, err := regexp.Compile(p.Name); err == nil && re.MatchString(name) {
			return p.Raw
		}
	}
	return s.AdditionalProperties
}

// Schema is one JSON Schema, with the order of its properties kept.
type Schema struct {
	Never bool `json:"-"` // the schema false

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
	if s, ok := jsondoc.Text(b); ok {
		*o = oneOrMany{s}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// Property is a named schema.
type Property struct {
	Name string
	Raw  json.RawMessage
}

// ordered is a JSON object in the order it was written.
type ordered []Property

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
		*o = append(*o, Property{name, raw})
	}
	return nil
}

func (o ordered) find(name string) (json.RawMessage, bool) {
	for _, p := range o {
		if p.Name == name {
			return p.Raw, true
		}
	}
	return nil, false
}

// ErrNotSchema is the error of what is no schema, and of references that lead
// nowhere.
var ErrNotSchema = errors.New("not a schema")

// Read decodes a schema; an absent one allows everything.
func Read(raw json.RawMessage) (*Schema, error) {
	s := &Schema{}
	switch t := bytes.TrimSpace(raw); {
	case len(t) == 0 || string(t) == "true":
		return s, nil
	case string(t) == "false":
		s.Never = true
		return s, nil
	case t[0] != '{':
		return nil, ErrNotSchema
	}
	return s, json.Unmarshal(raw, s)
}

// PropertyNames are the names at the top of a schema, as a text.
func PropertyNames(raw json.RawMessage) string {
	s, err := Read(raw)
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(s.Properties))
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// Resolve finds what a local reference points at.
func Resolve(root json.RawMessage, ref string) (json.RawMessage, error) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, ErrNotSchema
	}
	if un, err := url.PathUnescape(pointer); err == nil {
		pointer = un
	}
	at := root
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		next, err := stepInto(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func stepInto(at json.RawMessage, step string) (json.RawMessage, error) {
	if next, ok := jsondoc.Members(at)[step]; ok {
		return next, nil
	}
	var list []json.RawMessage
	if i, err := strconv.ParseUint(step, 10, 16); err == nil && json.Unmarshal(at, &list) == nil && int(i) < len(list) {
		return list[i], nil
	}
	return nil, ErrNotSchema
}

// Walk applies a rule to a schema and everything below it, references
// not followed but definitions included, and returns the first objection.
func Walk(raw json.RawMessage, path []string, rule func(*Schema, json.RawMessage, string) string) string {
	s, err := Read(raw)
	if err != nil {
		return "it is not a JSON Schema."
	}
	quotedPath := make([]string, len(path))
	for i, p := range path {
		quotedPath[i] = "'" + p + "'"
	}
	if why := rule(s, raw, "("+strings.Join(quotedPath, ", ")+")"); why != "" {
		return why
	}
	subs := s.listSubschemas()
	for _, defs := range []string{"$defs", "definitions"} {
		var o ordered
		if d, ok := jsondoc.Members(raw)[defs]; ok && json.Unmarshal(d, &o) == nil {
			for _, p := range o {
				subs = append(subs, Property{defs + "." + p.Name, p.Raw})
			}
		}
	}
	for _, sub := range subs {
		if why := Walk(sub.Raw, append(slices.Clone(path), strings.Split(sub.Name, ".")...), rule); why != "" {
			return why
		}
	}
	return ""
}

// listSubschemas lists the schemas directly below one, by path.
func (s *Schema) listSubschemas() []Property {
	var out []Property
	for _, p := range s.Properties {
		out = append(out, Property{"properties." + p.Name, p.Raw})
	}
	if jsondoc.IsObject(s.Items) {
		out = append(out, Property{"items", s.Items})
	}
	if jsondoc.IsObject(s.AdditionalProperties) {
		out = append(out, Property{"additionalProperties", s.AdditionalProperties})
	}
	for name, list := range map[string][]json.RawMessage{
		"anyOf": s.AnyOf, "allOf": s.AllOf, "prefixItems": s.PrefixItems,
	} {
		for i, raw := range list {
			out = append(out, Property{fmt.Sprintf("%s.%d", name, i), raw})
		}
	}
	slices.SortStableFunc(out, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
	return out
}
