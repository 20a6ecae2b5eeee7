package schema

import (
	"net/url"
	"strconv"
	"strings"
)

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
		if at = at.memberOrItem(part); at == nil {
			return nil
		}
	}
	return at
}

func (n *node) memberOrItem(name string) *node {
	if n.kind != '[' {
		return n.get(name)
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(n.items) {
		return nil
	}
	return n.items[i]
}

// findRecursion returns a reference that leads back to a schema it stands in;
// "" if there is none.
func (n *node) findRecursion() string {
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

// visitAll visits each schema, for finders that stay in place.
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

// refsLead checks that each reference leads to a place in the same schema, and
// collects those places in targets.
func (n *node) refsLead(root *node, targets map[*node]bool) error {
	if ref := n.get("$ref"); ref != nil {
		to := root.follow(ref.text)
		if to == nil {
			return within("$ref", fault("leads nowhere inside this schema: "+brief(ref.raw)))
		}
		targets[to] = true
	}
	for _, c := range n.children() {
		if err := (*c.slot).refsLead(root, targets); err != nil {
			return within(c.path, err)
		}
	}
	return nil
}

func (n *node) eachRef(do func(*node) error) error {
	if ref := n.get("$ref"); ref != nil {
		if err := do(ref); err != nil {
			return err
		}
	}
	for _, c := range n.children() {
		if err := (*c.slot).eachRef(do); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) rebase(place, prefix string) {
	if ref := n.get("$ref"); ref != nil {
		if pointer, local := strings.CutPrefix(ref.text, "#"); local {
			n.set("$ref", newText(rebasePointer(pointer, place, prefix)))
		}
	}
	for _, c := range n.children() {
		(*c.slot).rebase(place, prefix)
	}
}

func rebasePointer(pointer, place, prefix string) string {
	for _, keyword := range []string{"/$defs/", "/definitions/"} {
		if name, ok := strings.CutPrefix(pointer, keyword); ok {
			return "#/$defs/" + escapePointer(prefix) + name
		}
	}
	return place + pointer
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// findEndless returns a reference that leads back to its own schema without
// stepping into the value, so that no value could ever be decided; "" if there
// is none.
func (n *node) findEndless() string {
	r := recursionFinder{root: n, state: map[*node]bool{}, inPlace: true}
	return r.visitAll(n)
}
