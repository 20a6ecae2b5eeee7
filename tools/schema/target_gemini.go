package schema

import (
	"math/big"
	"slices"
	"strings"
)

// geminiJSON is what Gemini reads of JSON Schema in parametersJsonSchema and
// responseJsonSchema. propertyOrdering is its own.
// Source: Gemini API reference, GenerationConfig.responseJsonSchema: the list
// of supported properties; enum for strings and numbers; cycles only within
// properties that aren't required, nullable being no help; $ref without
// siblings but those that begin with $. Read 2026-11-30.
var geminiJSON = &subset{
	name: "Gemini's part of JSON Schema",
	keeps: wordSet("$id", "$anchor", "$defs", "$ref", "type", "format", "title", "description", "enum", "items",
		"prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "properties", "additionalProperties", "required",
		"propertyOrdering"),
	formats: wordSet("date-time", "date", "time", "float", "double", "int32", "int64"),
	listed:  isListable,
	open:    true, bareRefs: true, noAllOf: true,
	prepare: breakLoops, rule: geminiRule,
}

func geminiRule(a *adapter, path string, n *node) error {
	if err := a.mergeAllOf(path, n); err != nil {
		return err
	}
	if err := a.pushIntoRequiredChoice(path, n); err != nil {
		return err
	}
	a.adaptValues(path, n)
	a.useInclusiveBounds(path, n)
	return nil
}

// adaptValues spells const as enum, and null among the values as a type of its
// own.
func (a *adapter) adaptValues(path string, n *node) {
	if n.get("enum") == nil && n.get("const") != nil {
		a.recordChange(join(path, "const"), "sent as enum")
		n.rename("const", "enum")
		n.set("enum", newArray(n.get("enum")))
	}
	enum := n.get("enum")
	if enum == nil || !hasNull(enum) || !every(enum.items, isListableOrNull) {
		return
	}
	rest := newArray()
	for _, v := range enum.items {
		if v.kind != 'n' {
			rest.items = append(rest.items, v)
		}
	}
	t := n.get("type")
	a.recordChange(join(path, "enum"), "null is sent as a type")
	if len(rest.items) == 0 {
		n.drop("enum")
		n.set("type", newText("null"))
		return
	}
	n.set("enum", rest)
	if t == nil || n.hasType("null") {
		n.dropNullType()
		*n = *(&node{kind: '{', fields: n.fields}).joinNull()
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

// isListable reports whether Gemini takes a value in an enum.
func isListable(v *node) bool { return v.kind == '"' || v.kind == '0' }

func isListableOrNull(v *node) bool { return isListable(v) || v.kind == 'n' }

// useInclusiveBounds replaces the exclusive bounds of integers.
func (a *adapter) useInclusiveBounds(path string, n *node) {
	if !n.hasType("integer") || n.hasType("number") {
		return
	}
	for _, word := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		bound := n.get(word)
		if bound == nil {
			continue
		}
		to, fits, ok := inclusiveBound(word, bound)
		if !ok {
			continue
		}
		a.recordChange(join(path, word), "sent as "+to)
		n.drop(word)
		if other := n.get(to); other == nil || isTighter(to, fits, other) {
			n.set(to, fits)
		}
	}
}

func isTighter(word string, bound, other *node) bool {
	if word == "minimum" {
		return bound.compare(other) > 0
	}
	return bound.compare(other) < 0
}

// inclusiveBound returns the inclusive bound on whole numbers that says what an
// exclusive bound says; not ok for numbers of absurd size.
func inclusiveBound(word string, bound *node) (to string, fits *node, ok bool) {
	to, away := "minimum", int64(1)
	if word == "exclusiveMaximum" {
		to, away = "maximum", -1
	}
	exact, ok := bound.exactValue()
	if !ok {
		return to, nil, false
	}
	next := new(big.Rat).Add(exact, big.NewRat(away, 1))
	if !exact.IsInt() {
		next = roundTowards(exact, away)
	}
	return to, &node{kind: '0', raw: []byte(next.RatString())}, true
}

// roundTowards returns the next whole number in a direction.
func roundTowards(r *big.Rat, sign int64) *big.Rat {
	floor := new(big.Int).Div(r.Num(), r.Denom()) // rounds down, as the denominator is above 0
	if sign > 0 {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetInt(floor)
}

// breakLoops makes recursion lead through optional properties only.
func breakLoops(a *adapter) error {
	for {
		f := loopFinder{root: a.root, state: map[*node]bool{}}
		loop := f.visitAll(a.root)
		if loop == nil {
			return nil
		}
		at := loop.owner
		if at == nil {
			return a.refuse("", "recursion through "+loop.ref+" without a property on the way")
		}
		a.addNote(join(loop.path, "required"), step(loop.name)+" is recursive, so it can't be demanded")
		kept := newArray()
		for _, name := range at.get("required").items {
			if name.text != loop.name {
				kept.items = append(kept.items, name)
			}
		}
		if at.set("required", kept); len(kept.items) == 0 {
			at.drop("required")
		}
	}
}

// loop is a way from a schema back to itself; owner is the object on the way
// that demands the property name, nil if there is none.
type loop struct {
	ref, path, name string
	owner           *node
}

// loopFinder looks for loops that lead through no optional property.
type loopFinder struct {
	root  *node
	state map[*node]bool // true while on the way, false once done
	way   []loopStep
}

// loopStep is a schema on the way. If a property holds it, owner is the
// object with that property.
type loopStep struct {
	at        *node
	path      string
	owner     *node
	ownerPath string
	name      string
}

// visitAll starts at each schema: optional properties are not followed.
func (f *loopFinder) visitAll(n *node) *loop { return f.visitFrom("", n) }

func (f *loopFinder) visitFrom(path string, n *node) *loop {
	if found := f.visit(loopStep{at: n, path: path}); found != nil {
		return found
	}
	for _, c := range n.children() {
		if found := f.visitFrom(join(path, c.path), *c.slot); found != nil {
			return found
		}
	}
	return nil
}

func (f *loopFinder) visit(s loopStep) *loop {
	if _, seen := f.state[s.at]; seen {
		return nil
	}
	f.state[s.at] = true
	f.way = append(f.way, s)
	defer func() {
		f.state[s.at] = false
		f.way = f.way[:len(f.way)-1]
	}()
	if ref := s.at.get("$ref"); ref != nil {
		to := f.root.follow(ref.text)
		if f.state[to] {
			return f.closeLoop(to, ref.text)
		}
		if found := f.visit(loopStep{at: to, path: pointerPath(ref.text)}); found != nil {
			return found
		}
	}
	for _, next := range s.demandedSteps() {
		if f.state[next.at] {
			continue // can't be: only references lead back
		}
		if found := f.visit(next); found != nil {
			return found
		}
	}
	return nil
}

// demandedSteps are the schemas inside that apply whenever this one does.
func (s loopStep) demandedSteps() []loopStep {
	var out []loopStep
	required := s.at.get("required")
	for _, f := range s.at.fields {
		switch f.name {
		case "properties":
			for _, p := range f.val.fields {
				if required.listsName(p.name) {
					at := join(s.path, join("properties", step(p.name)))
					out = append(out, loopStep{p.val, at, s.at, s.path, p.name})
				}
			}
		case "$defs", "definitions":
		default:
			val := f.val
			for _, c := range schemasUnder(f.name, keywords[f.name], &val) {
				out = append(out, loopStep{at: *c.slot, path: join(s.path, c.path)})
			}
		}
	}
	return out
}

// closeLoop returns the loop that ends at to, with the last demanded property
// on it.
func (f *loopFinder) closeLoop(to *node, ref string) *loop {
	found := &loop{ref: ref}
	for _, s := range slices.Backward(f.way) {
		if s.owner != nil && s.at != to {
			found.owner, found.path, found.name = s.owner, s.ownerPath, s.name
			return found
		}
		if s.at == to {
			return found
		}
	}
	return found
}

func pointerPath(ref string) string {
	return strings.ReplaceAll(strings.Trim(ref, "#/"), "/", ".")
}
