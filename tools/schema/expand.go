package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

const (
	// maxUnrolled is how many levels of a recursive schema are written out, if
	// they fit.
	maxUnrolled = 3
	// maxWritten bounds how many schemas one schema may become.
	maxWritten = 4000
)

var (
	// errCut says that a schema lies below the levels of a recursive one that
	// are written out.
	errCut = errors.New("a schema that holds itself without a choice")
	// errLarge says that a schema is too large once all is written out.
	errLarge = errors.New("a schema of more than 4000 parts once its references are written out")
)

// gone reports whether a schema has to be left out by what holds it.
func gone(err error) bool { return errors.Is(err, errCut) || errors.Is(err, errNever) }

// writeOut writes a schema in Gemini's OpenAPI dialect, with as many levels of
// recursion as fit.
func writeOut(raw json.RawMessage) (json.RawMessage, []string, error) {
	root, err := parseSchema(raw)
	if err != nil {
		return nil, nil, err
	}
	if err := root.refsLead(root, map[*node]bool{}); err != nil {
		return nil, nil, err
	}
	if ref := root.endless(); ref != "" {
		return nil, nil, fmt.Errorf("the schema refers to itself without end through %s", ref)
	}
	for levels := maxUnrolled; ; levels-- {
		e := expander{root: root, levels: levels, open: map[*node]int{}, left: maxWritten}
		out, err := e.schema("", root)
		switch {
		case errors.Is(err, errLarge) && levels > 1:
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("%w, which %s can't express", err, geminiName)
		}
		return out.append(make([]byte, 0, len(raw))), e.allNotes(), nil
	}
}

// expander writes out one schema without references. What it returns is new;
// what it reads stays as it is.
type expander struct {
	root   *node
	levels int
	open   map[*node]int // how often a target of references is being written
	left   int           // how many schemas may still be written
	quiet  int           // above 0 in levels that repeat others, notes included
	notes  []string
	cut    []string // references whose deeper levels were left out
}

func (e *expander) allNotes() []string {
	for _, ref := range e.cut {
		e.notes = append(e.notes, fmt.Sprintf("recursive through %s: only %d levels can come back", ref, e.levels))
	}
	return e.notes
}

func (e *expander) note(path, what string) {
	if text := describe(path, what); e.quiet == 0 && !slices.Contains(e.notes, text) {
		e.notes = append(e.notes, text)
	}
}

func (e *expander) schema(path string, n *node) (*node, error) {
	if e.left--; e.left < 0 {
		return nil, errLarge
	}
	var opened []*node
	defer func() { e.close(opened) }()
	flat, err := e.flat(n, &opened)
	if err != nil {
		return nil, at(path, err)
	}
	nullable := isTrue(flat.get("nullable"))
	flat = flat.without("nullable")
	out, err := e.flattened(path, flat)
	if nullable && gone(err) {
		return newObject(newField("type", newText("null"))), nil
	}
	if nullable && err == nil {
		out.openapiNullable()
	}
	return out, err
}

// at puts a path before a fault that has none yet, and leaves the signals of
// this file as they are.
func at(path string, err error) error {
	if pe, ok := errors.AsType[*pathError](err); ok && !pe.placed {
		return &pathError{path: join(path, pe.path), why: pe.why, placed: true}
	}
	return err
}

func (e *expander) flattened(path string, n *node) (*node, error) {
	if n.get("anyOf") != nil || n.get("oneOf") != nil {
		return e.union(path, n)
	}
	return e.typed(path, n)
}

func (e *expander) close(opened []*node) {
	for _, to := range opened {
		if e.open[to] > 1 {
			e.quiet--
		}
		e.open[to]--
	}
}

// flat merges what a schema's reference and allOf say into it. The references
// that it follows stay open until what lies below them is written.
func (e *expander) flat(n *node, opened *[]*node) (*node, error) {
	if n.kind != '{' {
		if n.isFalse() {
			return nil, errNever
		}
		return newObject(), nil
	}
	parts := []*node{}
	if ref := n.get("$ref"); ref != nil {
		to := e.root.follow(ref.text)
		if err := e.enter(to, ref.text, opened); err != nil {
			return nil, err
		}
		parts = append(parts, to)
	}
	if all := n.get("allOf"); all != nil {
		parts = append(parts, all.items...)
	}
	out := n.without("$ref", "allOf", "$defs", "definitions")
	for _, p := range parts {
		part, err := e.flat(p, opened)
		if err != nil {
			return nil, err
		}
		if out, err = out.merged(part); err != nil {
			return nil, err
		}
	}
	if out.get("allOf") != nil {
		return e.flat(out, opened)
	}
	return out, nil
}

func (e *expander) enter(to *node, ref string, opened *[]*node) error {
	if e.open[to] >= e.levels {
		if !slices.Contains(e.cut, ref) {
			e.cut = append(e.cut, ref)
		}
		return errCut
	}
	e.open[to]++
	if e.open[to] > 1 {
		e.quiet++
	}
	*opened = append(*opened, to)
	return nil
}

// union writes a union as nothing but its branches, since some models take no
// sibling of anyOf: what stands beside it goes into each.
func (e *expander) union(path string, n *node) (*node, error) {
	word := "anyOf"
	if n.get("oneOf") != nil {
		if n.get("anyOf") != nil {
			return nil, at(path, fault("both oneOf and anyOf"))
		}
		word = "oneOf"
	}
	rest := n.without(word, "default")
	var u unionBuilder
	for i, b := range n.get(word).items {
		place := join(path, word+index(i))
		if b.kind != '{' && !b.isFalse() {
			b = newObject()
		}
		both, err := rest.merged(b)
		if err == nil {
			u.open = u.open || !e.stated(both)
			both, err = e.schema(place, both)
		}
		if gone(err) {
			u.lost = err
			continue
		}
		if err != nil {
			return nil, at(place, err)
		}
		u.add(both)
	}
	if word == "oneOf" && !u.apart() {
		e.note(join(path, "oneOf"), "sent as anyOf, so more than one branch may fit")
	}
	return u.done()
}

// stated reports whether a schema states its type, so that it wasn't implied.
func (e *expander) stated(n *node) bool {
	if n.get("type") != nil || n.get("enum") != nil || n.get("const") != nil {
		return true
	}
	if ref := n.get("$ref"); ref != nil {
		return e.stated(e.root.follow(ref.text))
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if branches := n.get(word); branches != nil && every(branches.items, e.stated) {
			return true
		}
	}
	return false
}

// unionBuilder collects the branches of a union.
type unionBuilder struct {
	branches []*node
	null     bool
	twice    bool  // null came from two branches
	open     bool  // a branch doesn't state its type
	lost     error // why the last missing branch is missing
}

func (u *unionBuilder) add(b *node) {
	switch t := b.get("type"); {
	case b.get("anyOf") != nil:
		u.branches = append(u.branches, b.get("anyOf").items...)
	case t != nil && t.text == "null":
		u.twice = u.twice || u.null
		u.null = true
	default:
		u.branches = append(u.branches, b)
	}
}

// apart reports whether no value can fit two branches, by their types alone.
func (u *unionBuilder) apart() bool {
	if u.twice || u.open {
		return false
	}
	seen := map[string]bool{"null": u.null}
	for _, b := range u.branches {
		word := b.get("type").text
		if word == "integer" {
			word = "number"
		}
		nullable := isTrue(b.get("nullable"))
		if seen[word] || nullable && seen["null"] {
			return false
		}
		seen[word], seen["null"] = true, seen["null"] || nullable
	}
	return true
}

func (u *unionBuilder) done() (*node, error) {
	var out *node
	switch {
	case len(u.branches) == 0 && u.null:
		return newObject(newField("type", newText("null"))), nil
	case len(u.branches) == 0 && u.lost != nil:
		return nil, u.lost
	case len(u.branches) == 0:
		return nil, errNever
	case len(u.branches) == 1:
		out = u.branches[0]
	default:
		out = newObject(newField("anyOf", newArray(u.branches...)))
	}
	if u.null {
		out.openapiNullable()
	}
	return out, nil
}

// openapiNullable lets a written schema take null, in OpenAPI's way.
func (n *node) openapiNullable() {
	if union := n.get("anyOf"); union != nil {
		for _, b := range union.items {
			b.openapiNullable()
		}
		return
	}
	if t := n.get("type"); t == nil || t.text != "null" {
		n.set("nullable", newTrue())
	}
}

func isTrue(n *node) bool { return n != nil && n.kind == 't' && !n.isFalse() }
