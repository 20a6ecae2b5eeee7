package schema

import (
	"slices"
	"strings"
)

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
		a.note(join(loop.path, "required"), step(loop.name)+" is recursive, so it can't be demanded")
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

// visitAll begins at each schema, as optional properties are no way into one.
func (f *loopFinder) visitAll(n *node) *loop { return f.all("", n) }

func (f *loopFinder) all(path string, n *node) *loop {
	if found := f.visit(loopStep{at: n, path: path}); found != nil {
		return found
	}
	for _, c := range n.children() {
		if found := f.all(join(path, c.path), *c.slot); found != nil {
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
			return f.back(to, ref.text)
		}
		if found := f.visit(loopStep{at: to, path: pointerPath(ref.text)}); found != nil {
			return found
		}
	}
	for _, next := range s.demanded() {
		if f.state[next.at] {
			continue // can't be: only references lead back
		}
		if found := f.visit(next); found != nil {
			return found
		}
	}
	return nil
}

// demanded are the schemas inside that apply whenever this one does.
func (s loopStep) demanded() []loopStep {
	var out []loopStep
	required := s.at.get("required")
	for _, f := range s.at.fields {
		switch f.name {
		case "properties":
			for _, p := range f.val.fields {
				if required.lists(p.name) {
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

// back is the loop that ends at to, with the last demanded property on it.
func (f *loopFinder) back(to *node, ref string) *loop {
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

// pointerPath spells a reference as a path.
func pointerPath(ref string) string {
	return strings.ReplaceAll(strings.Trim(ref, "#/"), "/", ".")
}
