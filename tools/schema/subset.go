package schema

import "fmt"

// subset is the part of JSON Schema that a provider enforces.
type subset struct {
	name    string // for texts: "strict mode", …
	keeps   map[string]bool
	formats map[string]bool
	// allRequired: every property is required, an optional one is nullable.
	allRequired bool
	// typed: every schema says its type, and arrays say their items.
	typed bool
	// bareRefs: a $ref has no siblings.
	bareRefs bool
	// noAllOf, noRecursion: these are refused.
	noAllOf     bool
	noRecursion bool
	// open: objects stay as open as they are, and what they say about names
	// that can't be enforced is left out instead of being refused.
	open bool
	// listed reports whether a value may stand in enum; nil: if it is a scalar.
	listed func(*node) bool
	// pattern reports whether a pattern is taken; nil: unless it looks around.
	pattern func(string) bool
	// prepare is what happens before anything else, and rule what happens to
	// each schema first; nil: nothing.
	prepare func(*adapter) error
	rule    func(*adapter, string, *node) error
	// onlySmallMinItems keeps minItems where it is 0 or 1.
	onlySmallMinItems bool
	// maxOptional bounds the optional properties of the whole schema; 0: no
	// bound.
	maxOptional int
}

// adapter rewrites one schema for a subset, in place.
type adapter struct {
	*subset
	root *node
	// notes are changes of meaning.
	notes []string
	// first is the first change of any kind.
	first string
	// targets are the schemas that references lead to.
	targets  map[*node]bool
	optional int
	written  int // how much was written out in place of references
}

// adapt rewrites raw for s. first is the first change that was made, "" if
// the schema fits as it stands.
func (s *subset) adapt(raw []byte) (out []byte, notes []string, first string, err error) {
	root, err := parseSchema(raw)
	if err != nil {
		return nil, nil, "", err
	}
	a := &adapter{subset: s, root: root, targets: map[*node]bool{}}
	if s.open {
		if err := a.open2020(); err != nil {
			return nil, nil, "", err
		}
	}
	if err := root.refsLead(root, a.targets); err != nil {
		return nil, nil, "", err
	}
	if s.prepare != nil {
		if err := s.prepare(a); err != nil {
			return nil, nil, "", err
		}
	}
	if ref := root.recursion(); s.noRecursion && ref != "" {
		return nil, nil, "", fmt.Errorf("the schema is recursive through %s, which %s can't express", ref, s.name)
	}
	if err := a.schema("", root); err != nil {
		return nil, nil, "", err
	}
	if err := root.refsLead(root, map[*node]bool{}); err != nil {
		return nil, nil, "", fmt.Errorf("%w once the schema fits %s", err, s.name)
	}
	if s.maxOptional > 0 && a.optional > s.maxOptional {
		return nil, nil, "", fmt.Errorf("%d optional properties, but %s takes at most %d", a.optional, s.name, s.maxOptional)
	}
	return root.append(make([]byte, 0, len(raw)+len(raw)/4)), a.notes, a.first, nil
}

// refsLead checks that each reference leads to a place in the same schema,
// and collects those places.
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

// changed records a change of form.
func (a *adapter) changed(path, what string) {
	if a.first == "" {
		a.first = describe(path, what)
	}
}

// note records a change of meaning.
func (a *adapter) note(path, what string) {
	a.changed(path, what)
	a.notes = append(a.notes, describe(path, what))
}

func (a *adapter) refuse(path, why string) error {
	return &pathError{path: path, why: why + ", which " + a.name + " can't express"}
}

func describe(path, what string) string {
	if path == "" {
		return what
	}
	return path + ": " + what
}

// schema adapts a schema and then those inside it.
func (a *adapter) schema(path string, n *node) error {
	if n.kind != '{' {
		return a.refuse(path, "a schema that is just "+brief(n.append(nil)))
	}
	for _, rule := range []func(string, *node) error{
		a.ownRule, a.unions, a.keywords, a.references, a.types, a.object,
	} {
		if err := rule(path, n); err != nil {
			return err
		}
	}
	for _, c := range n.children() {
		if c.path == "additionalProperties" && (*c.slot).kind != '{' {
			continue
		}
		if err := a.schema(join(path, c.path), *c.slot); err != nil {
			return err
		}
	}
	return nil
}

func (a *adapter) ownRule(path string, n *node) error {
	if a.rule == nil {
		return nil
	}
	return a.rule(a, path, n)
}

// unions turns oneOf into anyOf, and refuses branches that can't be closed.
func (a *adapter) unions(path string, n *node) error {
	if n.get("oneOf") != nil {
		if n.get("anyOf") != nil {
			return a.refuse(path, "both oneOf and anyOf")
		}
		n.rename("oneOf", "anyOf")
		a.changed(join(path, "oneOf"), "is not part of "+a.name)
		a.note(join(path, "oneOf"), "sent as anyOf, so more than one branch may fit")
	}
	if all := n.get("allOf"); all != nil && a.noAllOf {
		if len(all.items) != 1 || n.get("anyOf") != nil {
			return a.refuse(join(path, "allOf"), "a schema made of several")
		}
		n.rename("allOf", "anyOf")
		a.changed(join(path, "allOf"), "sent as anyOf of one branch")
	}
	for _, word := range []string{"anyOf", "allOf"} {
		if err := a.closable(join(path, word), n, n.get(word), word == "allOf"); err != nil {
			return err
		}
	}
	return nil
}

// closable refuses branches that describe an object together with n or with
// each other: once each is closed, none accepts the properties of the rest.
func (a *adapter) closable(path string, n, branches *node, together bool) error {
	if branches == nil || a.open {
		return nil
	}
	shared := len(fieldsOf(n, "properties")) > 0 || together && len(branches.items) > 1
	for _, b := range branches.items {
		if shared && (b.get("$ref") != nil || len(fieldsOf(b, "properties")) > 0) {
			return a.refuse(path, "an object described in several places at once")
		}
	}
	return nil
}

func fieldsOf(n *node, name string) []field {
	if v := n.get(name); v != nil {
		return v.fields
	}
	return nil
}

// references moves the siblings of a $ref beside an anyOf that holds it.
func (a *adapter) references(path string, n *node) error {
	if !a.bareRefs || n.get("$ref") == nil || len(n.fields) == 1 {
		return nil
	}
	if n.get("anyOf") != nil || len(fieldsOf(n, "properties")) > 0 {
		return a.refuse(path, "a $ref beside anyOf or properties")
	}
	i := n.find("$ref")
	n.fields[i] = newField("anyOf", newArray(newObject(n.fields[i])))
	a.changed(join(path, "$ref"), "moved into anyOf, since it may have no siblings")
	return nil
}

// types sees that a schema says what it is about.
func (a *adapter) types(path string, n *node) error {
	if !a.typed {
		return nil
	}
	if n.get("type") == nil && n.get("anyOf") == nil && n.get("$ref") == nil {
		implied := n.impliedType()
		if implied == nil {
			return a.refuse(path, "a schema without a type")
		}
		n.fields = append([]field{newField("type", implied)}, n.fields...)
		a.changed(path, "it has no type")
	}
	if n.hasType("array") && n.get("items") == nil {
		return a.refuse(path, "an array whose items are not described")
	}
	return nil
}

// impliedType is the type that a schema without one can only be about; nil if
// that is left open.
func (n *node) impliedType() *node {
	if n.get("properties") != nil {
		return newText("object")
	}
	vals := []*node{n.get("const")}
	if enum := n.get("enum"); enum != nil {
		vals = enum.items
	}
	var words []*node
	for _, v := range vals {
		w := typeOf(v)
		if w == "" {
			return nil
		}
		if !newArray(words...).lists(w) {
			words = append(words, newText(w))
		}
	}
	if len(words) == 1 {
		return words[0]
	}
	return newArray(words...)
}

func typeOf(v *node) string {
	if v == nil {
		return ""
	}
	switch v.kind {
	case '"':
		return "string"
	case '0':
		return "number"
	case 't':
		return "boolean"
	case 'n':
		return "null"
	}
	return ""
}

// hasType reports whether the schema's type is, or may be, word.
func (n *node) hasType(word string) bool {
	t := n.get("type")
	if t == nil {
		return false
	}
	if t.kind == '"' {
		return t.text == word
	}
	return t.lists(word)
}
