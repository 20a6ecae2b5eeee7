package schema

import "math/big"

// geminiJSON is what Gemini reads of JSON Schema in parametersJsonSchema and
// responseJsonSchema. propertyOrdering is its own.
// Source: Gemini API reference, GenerationConfig.responseJsonSchema: the list
// of supported properties; enum for strings and numbers; cycles only within
// properties that aren't required, nullable being no help; $ref without
// siblings but those that begin with $. Read 2026-11-30.
var geminiJSON = &subset{
	name: "Gemini's part of JSON Schema",
	keeps: set("$id", "$anchor", "$defs", "$ref", "type", "format", "title", "description", "enum", "items", "prefixItems",
		"minItems", "maxItems", "minimum", "maximum", "anyOf", "properties", "additionalProperties", "required",
		"propertyOrdering"),
	formats: set("date-time", "date", "time", "float", "double", "int32", "int64"),
	listed:  written,
	open:    true, bareRefs: true, noAllOf: true,
	prepare: breakLoops, rule: geminiRule,
}

func geminiRule(a *adapter, path string, n *node) error {
	if err := a.together(path, n); err != nil {
		return err
	}
	if err := a.choiceOfRequired(path, n); err != nil {
		return err
	}
	a.listedValues(path, n)
	a.wholeBounds(path, n)
	return nil
}

// listedValues spells const as enum, and null among the values as a type of
// its own. Values of other kinds are left to the check afterwards.
func (a *adapter) listedValues(path string, n *node) {
	if n.get("enum") == nil && n.get("const") != nil {
		a.changed(join(path, "const"), "sent as enum")
		n.rename("const", "enum")
		n.set("enum", newArray(n.get("enum")))
	}
	enum := n.get("enum")
	if enum == nil || !hasNull(enum) || !every(enum.items, writtenOrNull) {
		return
	}
	rest := newArray()
	for _, v := range enum.items {
		if v.kind != 'n' {
			rest.items = append(rest.items, v)
		}
	}
	t := n.get("type")
	a.changed(join(path, "enum"), "null is sent as a type")
	if len(rest.items) == 0 {
		n.drop("enum")
		n.set("type", newText("null"))
		return
	}
	n.set("enum", rest)
	if t == nil || n.hasType("null") {
		n.dropNullType()
		*n = *(&node{kind: '{', fields: n.fields}).orNull()
	}
}

func (n *node) dropNullType() {
	var words []*node
	for _, w := range typeList(n.get("type")) {
		if w.text != "null" {
			words = append(words, w)
		}
	}
	switch {
	case len(words) == 1:
		n.set("type", words[0])
	case len(words) > 1:
		n.set("type", newArray(words...))
	}
}

// written reports whether Gemini takes a value in an enum.
func written(v *node) bool { return v.kind == '"' || v.kind == '0' }

func writtenOrNull(v *node) bool { return written(v) || v.kind == 'n' }

// wholeBounds turns exclusive bounds of integers into ones that fit
// themselves.
func (a *adapter) wholeBounds(path string, n *node) {
	if !n.hasType("integer") || n.hasType("number") {
		return
	}
	for _, word := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		bound := n.get(word)
		if bound == nil {
			continue
		}
		to, fits, ok := inclusive(word, bound)
		if !ok {
			continue
		}
		a.changed(join(path, word), "sent as "+to)
		n.drop(word)
		if other := n.get(to); other == nil || tighter(to, fits, other) {
			n.set(to, fits)
		}
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
