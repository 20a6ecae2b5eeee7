package conformance

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"
)

// shape compares JSON values with Go types.
type shape struct {
	// nulls are fine anywhere: answers have them, and Go types don't say where.
	nulls bool
}

// misfits names the members of a JSON value (decoded with numbers kept) that
// a Go type of an official client has no place for, or another kind of place,
// and those that the type requires and the value lacks. It goes by the types
// alone: the decoders of the clients keep what they don't know.
func (s shape) misfits(t reflect.Type, v any, at string) []string {
	if t.Kind() == reflect.Pointer {
		return s.misfits(t.Elem(), v, at)
	}
	if anything(t) || v == nil && s.nulls {
		return nil
	}
	if v == nil {
		return []string{at + ": null"}
	}
	if own := reflect.New(t); decodesItself(t) {
		return reread(own, v, at)
	}
	switch t.Kind() { //nolint:exhaustive // the others are scalars
	case reflect.Struct:
		return s.ofStruct(t, v, at)
	case reflect.Slice:
		return s.ofList(t, v, at)
	case reflect.Map:
		return s.ofMap(t, v, at)
	}
	return ofScalar(t, v, at)
}

func anything(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]()
}

// decodesItself reports whether nothing can be seen from outside of the type.
func decodesItself(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return t == reflect.TypeFor[time.Time]()
	}
	for f := range t.Fields() {
		if f.IsExported() && (f.Tag.Get("json") != "" || f.Name == "Value") {
			return f.Name == "Value" && !strings.HasPrefix(t.Name(), "Opt[")
		}
	}
	return true
}

// reread decodes a value into an opaque type and compares what that makes of it.
func reread(into reflect.Value, v any, at string) []string {
	text := encoded(v)
	if err := json.Unmarshal([]byte(text), into.Interface()); err != nil {
		return []string{at + ": " + err.Error()}
	}
	if again := plainJSON(encoded(into.Interface())); again != plainJSON(text) {
		return []string{fmt.Sprintf("%s: %s is taken for %s", at, text, again)}
	}
	return nil
}

func (s shape) ofStruct(t reflect.Type, v any, at string) []string {
	if strings.HasPrefix(t.Name(), "Opt[") {
		return s.misfits(t.Field(0).Type, v, at)
	}
	if variants := inline(t); len(variants) > 0 {
		return s.bestFit(variants, v, at)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %T for %s", at, v, t)}
	}
	var bad []string
	known, open := map[string]bool{}, false
	for _, f := range reflect.VisibleFields(t) { // with those of embedded structs
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("api") == "extrafields" {
			open = true
		}
		if name == "" || name == "-" {
			continue
		}
		known[name] = true
		if value, ok := object[name]; ok {
			bad = append(bad, s.misfits(f.Type, value, at+"."+name)...)
		} else if f.Tag.Get("api") == "required" || isConstant(f.Type) {
			bad = append(bad, at+"."+name+": missing")
		}
	}
	for _, name := range sortedKeys(object) {
		if !known[name] && !open {
			bad = append(bad, fmt.Sprintf("%s.%s: unknown to %s", at, name, t.Name()))
		}
	}
	return bad
}

// inline are the variants of a union: in the clients of OpenAI and Anthropic a
// struct whose fields stand for the whole.
func inline(t reflect.Type) []reflect.Type {
	var out []reflect.Type
	for f := range t.Fields() {
		if f.IsExported() && strings.HasPrefix(f.Tag.Get("json"), ",") && strings.HasSuffix(f.Tag.Get("json"), "inline") {
			out = append(out, f.Type)
		}
	}
	return out
}

func (s shape) bestFit(variants []reflect.Type, v any, at string) []string {
	var best []string
	for i, t := range variants {
		bad := s.misfits(t, v, at)
		if len(bad) == 0 {
			return nil
		}
		if out := outOfQuestion(bad, at); i == 0 || !out && (outOfQuestion(best, at) || len(bad) < len(best)) {
			best = bad
		}
	}
	return best
}

// outOfQuestion reports whether a variant is out of the question: its kind,
// type or role is another.
func outOfQuestion(bad []string, at string) bool {
	for _, b := range bad {
		if strings.HasPrefix(b, at+": ") || strings.HasPrefix(b, at+".type: ") || strings.HasPrefix(b, at+".role: ") {
			return true
		}
	}
	return false
}

func (s shape) ofList(t reflect.Type, v any, at string) []string {
	if t.Elem().Kind() == reflect.Uint8 {
		if _, err := base64.StdEncoding.DecodeString(fmt.Sprint(v)); err != nil {
			return []string{fmt.Sprintf("%s: %v is no base64", at, v)}
		}
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %T for %s", at, v, t)}
	}
	var bad []string
	for i, item := range list {
		bad = append(bad, s.misfits(t.Elem(), item, fmt.Sprintf("%s[%d]", at, i))...)
	}
	return bad
}

func (s shape) ofMap(t reflect.Type, v any, at string) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %T for %s", at, v, t)}
	}
	var bad []string
	for _, name := range sortedKeys(object) {
		bad = append(bad, s.misfits(t.Elem(), object[name], at+"."+name)...)
	}
	return bad
}

func isConstant(t reflect.Type) bool {
	_, ok := t.MethodByName("Default")
	return ok && t.Kind() == reflect.String
}

func ofScalar(t reflect.Type, v any, at string) []string {
	ok := false
	switch t.Kind() { //nolint:exhaustive // no other kinds of scalars are on the wire
	case reflect.String:
		var text string
		if text, ok = v.(string); ok && isConstant(t) {
			want := reflect.Zero(t).MethodByName("Default").Call(nil)[0].String()
			ok = text == want
		}
	case reflect.Bool:
		_, ok = v.(bool)
	case reflect.Int, reflect.Int32, reflect.Int64:
		var n json.Number
		if n, ok = v.(json.Number); ok {
			r, valid := new(big.Rat).SetString(n.String())
			ok = valid && r.IsInt()
		}
	case reflect.Float32, reflect.Float64:
		_, ok = v.(json.Number)
	}
	if !ok {
		return []string{fmt.Sprintf("%s: %v for %s", at, v, t)}
	}
	return nil
}
