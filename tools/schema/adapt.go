package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Target is a wire whose subset of JSON Schema [Adapt] writes for.
type Target uint8

const (
	// OpenAI is strict mode, of Chat Completions and Responses alike. Objects
	// are closed, every property becomes required, and one that was optional
	// takes null, which stands for its absence: [DropNulls] turns an answer
	// back.
	OpenAI Target = iota
	// Anthropic is output_config.format and strict tools, which Bedrock hands
	// on to Claude models. Objects are closed; optional properties stay
	// optional, up to 24 of them.
	Anthropic
	// GeminiJSON is the JSON Schema of the fields parametersJsonSchema and
	// responseJsonSchema.
	GeminiJSON
	// Ollama is what the grammar behind its member format can say.
	Ollama
	// Cohere is response_format and, with Adapted.Strict, strict_tools.
	Cohere
)

// TakesAnySchema reports whether the wire takes schemas outside of its subset,
// too, and enforces those inside of it when it is asked to be strict.
func (t Target) TakesAnySchema() bool { return t == OpenAI }

// RefusesTools reports whether the wire refuses tools whose schemas are outside
// of its subset.
func (t Target) RefusesTools() bool { return t == GeminiJSON }

// Adapted is a schema in the subset of a [Target].
type Adapted struct {
	// Schema is what to send, in compact form. Equal input gives equal bytes,
	// and adapting it again changes nothing.
	Schema json.RawMessage
	// Notes are the changes of meaning, one sentence each, beginning with the
	// path. Without notes, what fits Schema fits the original too; on OpenAI
	// after [DropNulls].
	Notes []string
	// Strict reports whether the wire's enforcing mode takes Schema. It is
	// false only for Cohere, which wants a required property in every object
	// and at most 200 properties; a note then says why.
	Strict bool
}

// Adapt writes a schema for a wire. What the wire can't enforce is left out,
// told to the model in a description where that helps, and listed in Notes:
// hold the answer against the original afterwards. What can't be expressed at
// all is an error that begins with its path. Properties that are called like
// keywords are properties.
func Adapt(target Target, raw json.RawMessage) (Adapted, error) {
	var out Adapted
	var err error
	switch target {
	case OpenAI:
		out.Schema, out.Notes, _, err = adaptStrict(raw)
	case Anthropic:
		out.Schema, out.Notes, _, err = claude.adapt(raw)
	case GeminiJSON:
		out.Schema, out.Notes, _, err = geminiJSON.adapt(raw)
	case Ollama:
		out.Schema, out.Notes, _, err = ollama.adapt(raw)
	case Cohere:
		return adaptCohere(raw)
	default:
		return out, fmt.Errorf("no such target: %d", target)
	}
	out.Strict = err == nil
	return out, err
}

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
		if err := a.spellAs2020(); err != nil {
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
	if ref := root.findRecursion(); s.noRecursion && ref != "" {
		return nil, nil, "", fmt.Errorf("the schema is recursive through %s, which %s can't express", ref, s.name)
	}
	if err := a.adaptSchema("", root); err != nil {
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

// recordChange records a change of form or meaning; only the first is kept.
func (a *adapter) recordChange(path, what string) {
	if a.first == "" {
		a.first = prefixPath(path, what)
	}
}

// addNote records a change of meaning.
func (a *adapter) addNote(path, what string) {
	a.recordChange(path, what)
	a.notes = append(a.notes, prefixPath(path, what))
}

func (a *adapter) refuse(path, why string) error {
	return &pathError{path: path, why: why + ", which " + a.name + " can't express"}
}

func prefixPath(path, what string) string {
	if path == "" {
		return what
	}
	return path + ": " + what
}

func (a *adapter) adaptSchema(path string, n *node) error {
	if n.kind != '{' {
		return a.refuse(path, "a schema that is just "+brief(n.append(nil)))
	}
	for _, rule := range []func(string, *node) error{
		a.applyRule, a.adaptUnions, a.adaptKeywords, a.adaptReferences, a.adaptTypes, a.adaptObject,
	} {
		if err := rule(path, n); err != nil {
			return err
		}
	}
	for _, c := range n.children() {
		if c.path == "additionalProperties" && (*c.slot).kind != '{' {
			continue
		}
		if err := a.adaptSchema(join(path, c.path), *c.slot); err != nil {
			return err
		}
	}
	return nil
}

func (a *adapter) applyRule(path string, n *node) error {
	if a.rule == nil {
		return nil
	}
	return a.rule(a, path, n)
}

func (a *adapter) adaptUnions(path string, n *node) error {
	if n.get("oneOf") != nil {
		if n.get("anyOf") != nil {
			return a.refuse(path, "both oneOf and anyOf")
		}
		n.rename("oneOf", "anyOf")
		a.recordChange(join(path, "oneOf"), "is not part of "+a.name)
		a.addNote(join(path, "oneOf"), "sent as anyOf, so more than one branch may fit")
	}
	if all := n.get("allOf"); all != nil && a.noAllOf {
		if len(all.items) != 1 || n.get("anyOf") != nil {
			return a.refuse(join(path, "allOf"), "a schema made of several")
		}
		n.rename("allOf", "anyOf")
		a.recordChange(join(path, "allOf"), "sent as anyOf of one branch")
	}
	for _, word := range []string{"anyOf", "allOf"} {
		if err := a.checkClosable(join(path, word), n, n.get(word), word == "allOf"); err != nil {
			return err
		}
	}
	return nil
}

// checkClosable refuses branches that describe an object together with n or
// with each other: once each is closed, none accepts the properties of the
// others.
func (a *adapter) checkClosable(path string, n, branches *node, together bool) error {
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

// adaptReferences puts a $ref that has siblings into an anyOf beside them.
func (a *adapter) adaptReferences(path string, n *node) error {
	if !a.bareRefs || n.get("$ref") == nil || len(n.fields) == 1 {
		return nil
	}
	if n.get("anyOf") != nil || len(fieldsOf(n, "properties")) > 0 {
		return a.refuse(path, "a $ref beside anyOf or properties")
	}
	i := n.find("$ref")
	n.fields[i] = newField("anyOf", newArray(newObject(n.fields[i])))
	a.recordChange(join(path, "$ref"), "moved into anyOf, since it may have no siblings")
	return nil
}

func (a *adapter) adaptTypes(path string, n *node) error {
	if !a.typed {
		return nil
	}
	if n.get("type") == nil && n.get("anyOf") == nil && n.get("$ref") == nil {
		implied := n.impliedType()
		if implied == nil {
			return a.refuse(path, "a schema without a type")
		}
		n.fields = append([]field{newField("type", implied)}, n.fields...)
		a.recordChange(path, "it has no type")
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
		if !newArray(words...).listsName(w) {
			words = append(words, newText(w))
		}
	}
	if len(words) == 1 {
		return words[0]
	}
	return newArray(words...)
}

// describedBounds go into the description when they can't be enforced, so that
// the model still knows them.
var describedBounds = map[string]bool{
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "uniqueItems": true,
	"minProperties": true, "maxProperties": true, "pattern": true, "format": true, "default": true,
}

func (a *adapter) adaptKeywords(path string, n *node) error {
	var h hints
	kept := n.fields[:0:0]
	for _, f := range n.fields {
		if a.keepsField(f) {
			kept = append(kept, f)
			continue
		}
		if f.name == "patternProperties" && !a.open || f.name == "$dynamicRef" {
			return a.refuse(path, f.name)
		}
		if h.addBound(f); f.name == "enum" && a.open {
			h.add(f.name, f.val)
		}
		a.noteLeftOut(join(path, step(f.name)), f.name)
	}
	n.fields = kept
	h.appendTo(n)
	return nil
}

// hints are bounds that the model is told about.
type hints []string

func (h *hints) addBound(f field) {
	if describedBounds[f.name] {
		h.add(f.name, f.val)
	}
}

func (h *hints) add(word string, val *node) {
	*h = append(*h, word+": "+string(val.append(nil)))
}

func (h *hints) appendTo(n *node) {
	if len(*h) > 0 {
		n.appendDescription("{" + strings.Join(*h, ", ") + "}")
	}
}

// notEnforced is the note on a keyword that was left out.
const notEnforced = "not enforced by the provider; checked afterwards"

func (a *adapter) keepsField(f field) bool {
	switch f.name {
	case "format":
		return a.formats[f.val.text]
	case "pattern":
		taken := a.pattern
		if taken == nil {
			taken = hasNoLookaround
		}
		return a.keeps[f.name] && taken(f.val.text)
	case "minItems":
		return a.keeps[f.name] && (!a.onlySmallMinItems || string(f.val.raw) == "0" || string(f.val.raw) == "1")
	case "items":
		return f.val.kind == '{'
	case "enum":
		if a.listed != nil {
			return every(f.val.items, a.listed)
		}
		return every(f.val.items, isScalar)
	}
	return a.keeps[f.name]
}

func (a *adapter) noteLeftOut(path, word string) {
	a.recordChange(path, "is not part of "+a.name)
	_, known := keywords[word]
	if (known || word == "const") && !annotations[word] {
		a.addNote(path, notEnforced)
	}
}

func isScalar(v *node) bool { return v.kind != '{' && v.kind != '[' }

func hasNoLookaround(pattern string) bool { return !hasLookaround(pattern) }

func hasLookaround(pattern string) bool {
	for _, mark := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, mark) {
			return true
		}
	}
	return false
}
