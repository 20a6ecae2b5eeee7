package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// child is a schema inside a schema: the place that holds it and the path
// from its parent.
type child struct {
	path string
	slot **node
}

// children lists the schemas directly inside n, in order. Only places where
// the specification puts schemas count, so a property that is called like a
// keyword is never taken for one.
func (n *node) children() []child {
	var out []child
	if n.kind != '{' {
		return nil
	}
	for i := range n.fields {
		f := &n.fields[i]
		out = append(out, schemasUnder(step(f.name), keywords[f.name], &f.val)...)
	}
	return out
}

func schemasUnder(path string, s shape, slot **node) []child {
	val := *slot
	switch s {
	case oneSchema:
		return []child{{path, slot}}
	case schemaOrList, schemaList:
		if val.kind != '[' {
			return []child{{path, slot}}
		}
		out := make([]child, len(val.items))
		for i := range val.items {
			out[i] = child{path + index(i), &val.items[i]}
		}
		return out
	case schemaMap, schemaOrNames:
		out := make([]child, 0, len(val.fields))
		for i := range val.fields {
			f := &val.fields[i]
			if s == schemaMap || f.val.kind != '[' {
				out = append(out, child{join(path, step(f.name)), &f.val})
			}
		}
		return out
	case anything, text, number, positive, count, flag, names, namesMap, typeWord, values, list:
	}
	return nil
}

// follow finds what a local reference such as "#/$defs/place" points at; nil
// if there is no such place or the reference isn't local.
func (n *node) follow(ref string) *node {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil
	}
	at := n
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if at = at.part(part); at == nil {
			return nil
		}
	}
	return at
}

func (n *node) part(name string) *node {
	if n.kind != '[' {
		return n.get(name)
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(n.items) {
		return nil
	}
	return n.items[i]
}

// recursion returns a reference that leads back to a schema it stands in; ""
// if there is none.
func (n *node) recursion() string {
	r := recursionFinder{root: n, state: map[*node]bool{}}
	return r.visit(n)
}

type recursionFinder struct {
	root *node
	// state is true while a schema is being visited, false once it was found
	// free of recursion.
	state map[*node]bool
	// inPlace follows only what applies to the same value.
	inPlace bool
}

func (r *recursionFinder) visit(n *node) string {
	if _, seen := r.state[n]; seen {
		return ""
	}
	r.state[n] = true
	defer func() { r.state[n] = false }()
	if ref := n.get("$ref"); ref != nil {
		if to := r.root.follow(ref.text); to != nil {
			if r.state[to] {
				return ref.text
			}
			if found := r.visit(to); found != "" {
				return found
			}
		}
	}
	for _, c := range n.children() {
		if r.inPlace && !c.inPlace() {
			continue
		}
		if found := r.visit(*c.slot); found != "" {
			return found
		}
	}
	return ""
}

// visitAll begins a visit at each schema, for finders that stay in place.
func (r *recursionFinder) visitAll(n *node) string {
	if found := r.visit(n); found != "" {
		return found
	}
	for _, c := range n.children() {
		if found := r.visitAll(*c.slot); found != "" {
			return found
		}
	}
	return ""
}

// inPlace reports whether the child applies to the very value that its parent
// applies to.
func (c child) inPlace() bool {
	word, _, _ := strings.Cut(c.path, "[")
	word, _, _ = strings.Cut(word, ".")
	switch word {
	case "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		return true
	}
	return false
}
