package schema

import (
	"math/big"
	"slices"
)

// geminiName stands for Gemini's OpenAPI dialect in texts.
//
// What the dialect knows: type, format, title, description, nullable, default,
// enum, items, min/maxItems, min/maxProperties, min/maxLength, minimum,
// maximum, pattern, properties, required, propertyOrdering, anyOf. Each of
// these stands only beside the type it belongs to, enum only beside string;
// required names only what properties describes; properties is not empty; an
// array has items; anyOf has no siblings (Vertex); other members, type lists
// and references are a 400.
// Source: Gemini API reference, "Schema"; Vertex AI reference, "Schema"; error
// texts of the API as quoted in public reports; read 2026-11-30. The order in
// which a model writes properties is alphabetical on older models unless
// propertyOrdering says otherwise.
const geminiName = "Gemini's schema dialect"

// writtenFormats are the formats that don't end in a 400, by type.
// Source: "only 'enum' and 'date-time' are supported for STRING type", the
// API's own error text; Gemini API reference, "Schema", read 2026-11-30.
var writtenFormats = map[string]map[string]bool{
	"string": set("enum", "date-time"), "number": set("float", "double"), "integer": set("int32", "int64"),
}

// belongs is the type that a keyword is about. Beside other types it demands
// nothing.
var belongs = map[string]string{
	"minLength": "string", "maxLength": "string", "pattern": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"multipleOf": "number",
	"items":      "array", "prefixItems": "array", "additionalItems": "array", "minItems": "array", "maxItems": "array",
	"uniqueItems": "array", "contains": "array", "minContains": "array", "maxContains": "array", "unevaluatedItems": "array",
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object",
	"propertyNames": "object", "minProperties": "object", "maxProperties": "object", "dependentRequired": "object",
	"dependentSchemas": "object", "dependencies": "object", "unevaluatedProperties": "object", "propertyOrdering": "object",
}

// typed writes a schema that is no union, for each type that it allows.
func (e *expander) typed(path string, n *node) (*node, error) {
	words, vals := n.allowedTypes()
	if words == nil {
		return e.anything(path, n)
	}
	u := unionBuilder{}
	for _, word := range words {
		fitting := valuesOf(vals, word)
		if vals != nil && len(fitting) == 0 {
			continue
		}
		if word == "null" {
			u.null = true
			continue
		}
		w := typeWriter{expander: e, path: path, word: word, from: n, out: newObject(newField("type", newText(word)))}
		err := w.write(fitting)
		if gone(err) {
			u.lost = err
			continue
		}
		if err != nil {
			return nil, err
		}
		u.branches = append(u.branches, w.out)
	}
	return u.done()
}

// anything writes a schema that says nothing about the type.
func (e *expander) anything(path string, n *node) (*node, error) {
	e.note(path, "any value: sent as a choice of a text, a number, a boolean, an object or a list of texts")
	some := n.without("default")
	some.set("items", newObject(newField("type", newText("string"))))
	some.set("type", newArray(newText("string"), newText("number"), newText("boolean"), newText("object"),
		newText("array"), newText("null")))
	return e.typed(path, some)
}

// allowedTypes are the types that a schema allows, as it says or as its other
// keywords imply; nil if it leaves that open. vals are the values that enum
// and const leave; nil if there is neither.
func (n *node) allowedTypes() (words []string, vals []*node) {
	if enum := n.get("enum"); enum != nil {
		vals = enum.items
	}
	if c := n.get("const"); c != nil {
		if vals == nil || contains(vals, c) {
			vals = []*node{c}
		} else {
			vals = []*node{}
		}
	}
	add := func(word string) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for _, w := range typeList(n.get("type")) {
		add(w.text)
	}
	if words != nil {
		if slices.Contains(words, "number") {
			words = slices.DeleteFunc(words, func(w string) bool { return w == "integer" })
		}
		return words, vals
	}
	for _, v := range vals {
		add(kindWord(v))
	}
	if vals == nil {
		for _, f := range n.fields {
			if word := belongs[f.name]; word != "" {
				add(word)
			}
		}
	}
	return words, vals
}

// kindWord is the type of a value; a number is a number.
func kindWord(v *node) string {
	switch v.kind {
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return typeOf(v)
}

func valuesOf(vals []*node, word string) []*node {
	var out []*node
	for _, v := range vals {
		if isOf(word, v) {
			out = append(out, v)
		}
	}
	return out
}

// typeWriter writes the schema of one type.
type typeWriter struct {
	*expander
	path, word string
	from, out  *node
	hints      hints
}

func (w *typeWriter) write(vals []*node) error {
	for _, f := range w.from.fields {
		group := w.word
		if group == "integer" {
			group = "number"
		}
		if about := belongs[f.name]; about != "" && about != group {
			continue
		}
		if err := w.keyword(f, vals); err != nil {
			return err
		}
	}
	if w.word == "array" && w.out.get("items") == nil {
		if err := w.items(newObject()); err != nil {
			return err
		}
	}
	if props := w.out.get("properties"); props != nil && len(props.fields) > 1 && w.out.get("propertyOrdering") == nil {
		w.out.set("propertyOrdering", namesOf(props))
	}
	w.hints.into(w.out)
	return nil
}

func namesOf(props *node) *node {
	names := newArray()
	for _, f := range props.fields {
		names.items = append(names.items, newText(f.name))
	}
	return names
}

func (w *typeWriter) keyword(f field, vals []*node) error {
	switch f.name {
	case "type", "nullable", "additionalItems":
	case "title", "description", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minimum", "maximum":
		if w.out.get(f.name) == nil {
			w.out.set(f.name, f.val)
		}
	case "default":
		if isOf(w.word, f.val) {
			w.out.set(f.name, f.val)
		}
	case "enum", "const":
		w.values(f, vals)
	case "format":
		if !writtenFormats[w.word][f.val.text] {
			w.leaveOut(f)
			return nil
		}
		w.out.set(f.name, f.val)
	case "pattern":
		if looksAround(f.val.text) {
			w.leaveOut(f)
			return nil
		}
		w.out.set(f.name, f.val)
	case "exclusiveMinimum", "exclusiveMaximum":
		w.exclusive(f)
	case "items", "prefixItems":
		return w.list(f)
	case "properties", "required", "additionalProperties", "propertyOrdering":
		return w.object(f)
	default:
		w.leaveOut(f)
	}
	return nil
}

// leaveOut leaves a keyword to the check afterwards, and tells the model.
func (w *typeWriter) leaveOut(f field) {
	w.hints.add(f)
	if _, known := keywords[f.name]; known && !annotations[f.name] {
		w.note(join(w.path, step(f.name)), notEnforced)
	}
}

// values writes the values that are allowed: only texts can be listed.
func (w *typeWriter) values(f field, vals []*node) {
	switch {
	case w.word == "string":
		w.out.set("enum", newArray(vals...))
	case w.out.get("enum") == nil && (f.name == "const" || w.from.get("const") == nil):
		w.hints.tell("enum", newArray(vals...))
		w.note(join(w.path, f.name), notEnforced)
	}
}

// exclusive turns a bound that doesn't fit itself into one that does. Between
// whole numbers that loses nothing.
func (w *typeWriter) exclusive(f field) {
	to, bound, whole := inclusive(f.name, f.val)
	if !whole || w.word != "integer" {
		bound = f.val
		w.leaveOut(f)
	}
	if other := w.from.get(to); other == nil || tighter(to, bound, other) {
		w.out.set(to, bound)
	}
}

func tighter(word string, bound, other *node) bool {
	if word == "minimum" {
		return bound.compare(other) > 0
	}
	return bound.compare(other) < 0
}

// inclusive is the bound on whole numbers, as a keyword and its value, that
// says what an exclusive bound says; not ok for numbers of absurd size.
func inclusive(word string, bound *node) (to string, fits *node, ok bool) {
	to, away := "minimum", int64(1)
	if word == "exclusiveMaximum" {
		to, away = "maximum", -1
	}
	exact, ok := bound.exact()
	if !ok {
		return to, nil, false
	}
	next := new(big.Rat).Add(exact, big.NewRat(away, 1))
	if !exact.IsInt() {
		next = roundTowards(exact, away)
	}
	return to, &node{kind: '0', raw: []byte(next.RatString())}, true
}

// roundTowards is the next whole number in a direction.
func roundTowards(r *big.Rat, sign int64) *big.Rat {
	floor := new(big.Int).Div(r.Num(), r.Denom()) // rounds down, as the denominator is above 0
	if sign > 0 {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetInt(floor)
}
