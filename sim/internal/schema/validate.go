package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// NewValidator returns a validator for the parts of a schema.
func NewValidator(root json.RawMessage) Validator {
	return Validator{Root: root, compiled: map[string]*jsonschema.Resolved{}}
}

// Fits reports whether a value is valid against a schema. A schema that can't
// be read fits everything.
func Fits(raw, value json.RawMessage) bool {
	return Validator{Root: raw}.Fits(raw, value)
}

// Validator checks values against parts of a schema, whose references are
// relative to its root. It keeps what it has compiled, if it has a map for it.
type Validator struct {
	Root     json.RawMessage
	compiled map[string]*jsonschema.Resolved
}

// Fits reports whether a value is valid against a part. A part that can't be
// compiled fits everything.
func (d Validator) Fits(part, value json.RawMessage) bool {
	resolved, ok := d.compiled[string(part)]
	if !ok {
		resolved = d.compilePart(part)
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

// compilePart returns nil for a part that can't be compiled.
func (d Validator) compilePart(part json.RawMessage) *jsonschema.Resolved {
	if isEndless(d.Root, part) {
		return nil
	}
	doc, err := jsondoc.Marshal(object{
		"$defs": object{"root": decodeMoved(d.Root)},
		"allOf": []any{decodeMoved(part)},
	})
	if err != nil {
		return nil
	}
	resolved, err := Compile(doc)
	if err != nil {
		return nil
	}
	return resolved
}

// Compile resolves a schema for validation.
func Compile(doc json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(doc, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// decodeMoved decodes a schema and moves its local references below
// /$defs/root.
func decodeMoved(raw json.RawMessage) any {
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

// object is a JSON object to be sent; its keys are marshalled in order of
// their names.
type object = map[string]any
