package schema

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFaults bounds how many faults one error names.
const maxFaults = 6

// judged are the keywords that a judge decides by itself; annotations aside,
// a schema with others is left to the library for the verdict.
var judged = wordSet("$ref", "$defs", "definitions", "type", "enum", "const", "anyOf", "oneOf", "allOf", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"items", "prefixItems", "minItems", "maxItems", "uniqueItems",
	"properties", "required", "additionalProperties", "minProperties", "maxProperties")

// isJudgeable reports whether a judge's silence means that a value fits.
func (n *node) isJudgeable() bool {
	for _, f := range n.fields {
		if _, known := keywords[f.name]; known && !judged[f.name] && !annotations[f.name] {
			return false
		}
	}
	for _, c := range n.children() {
		if !(*c.slot).isJudgeable() {
			return false
		}
	}
	return true
}

// judge holds a value against a schema and says where and why it doesn't fit,
// in the order of the schema. It looks at each pair of schema and value once,
// so that unions nested in unions take no more than linear time.
type judge struct {
	root     *node
	patterns map[string]*regexp.Regexp
	seen     map[[2]*node][]string
	// lenient takes a null for the absence of what may be absent but not null.
	lenient bool
}

func (v *Validator) newJudge(lenient bool) *judge {
	return &judge{root: v.root, patterns: v.patterns, seen: map[[2]*node][]string{}, lenient: lenient}
}

func blame(path, format string, args ...any) []string {
	return []string{cmp.Or(path, "the value") + ": " + fmt.Sprintf(format, args...)}
}

func (j *judge) check(path string, s, val *node) []string {
	pair := [2]*node{s, val}
	if known, ok := j.seen[pair]; ok {
		return known
	}
	faults := j.evaluate(path, s, val)
	faults = faults[:min(len(faults), maxFaults)]
	j.seen[pair] = faults
	return faults
}

func (j *judge) evaluate(path string, s, val *node) []string {
	if s.kind != '{' {
		if s.isFalse() {
			return blame(path, "is not allowed")
		}
		return nil
	}
	var faults []string
	if ref := s.get("$ref"); ref != nil {
		faults = append(faults, j.check(path, j.root.follow(ref.text), val)...)
	}
	if t := s.get("type"); t != nil && !typeFits(t, val) {
		return append(faults, blame(path, "must be %s, not %s", nameTypes(t), showValue(val))...)
	}
	if enum := s.get("enum"); enum != nil && !containsValue(enum.items, val) {
		faults = append(faults, blame(path, "must be one of %s, not %s", listValues(enum.items), showValue(val))...)
	}
	if c := s.get("const"); c != nil && !containsValue([]*node{c}, val) {
		faults = append(faults, blame(path, "must be %s, not %s", showValue(c), showValue(val))...)
	}
	faults = append(faults, j.checkUnions(path, s, val)...)
	switch val.kind {
	case '0':
		return append(faults, j.checkNumber(path, s, val)...)
	case '"':
		return append(faults, j.checkText(path, s, val)...)
	case '[':
		return append(faults, j.checkItems(path, s, val)...)
	case '{':
		return append(faults, j.checkObject(path, s, val)...)
	}
	return faults
}

func (j *judge) checkUnions(path string, s, val *node) []string {
	var faults []string
	if all := s.get("allOf"); all != nil {
		for _, b := range all.items {
			faults = append(faults, j.check(path, b, val)...)
		}
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if branches := s.get(word); branches != nil {
			faults = append(faults, j.checkUnion(path, branches.items, val, word == "oneOf")...)
		}
	}
	return faults
}

// checkUnion explains the one branch that the value seems to be meant for, if
// there is just one.
func (j *judge) checkUnion(path string, branches []*node, val *node, one bool) []string {
	var meant []*node
	fits := 0
	for _, b := range branches {
		if len(j.check(path, b, val)) == 0 {
			fits++
		}
		if j.meantFor(b, val) {
			meant = append(meant, b)
		}
	}
	switch {
	case fits > 1 && one:
		return blame(path, "fits %d of the alternatives, but must fit just one", fits)
	case fits > 0:
		return nil
	case len(meant) == 1:
		return j.check(path, meant[0], val)
	}
	return blame(path, "fits none of the %d alternatives%s", len(branches), j.nameBranches(branches))
}

// meantFor reports whether a value has the type of a branch, the values of the
// branch's constant properties, such as {"kind": "circle"}, and, if the branch
// takes no others, any of its properties.
func (j *judge) meantFor(branch, val *node) bool {
	s := j.followRefs(branch)
	if t := s.get("type"); t != nil && !typeFits(t, val) {
		return false
	}
	for _, f := range fieldsOf(s, "properties") {
		got := val.get(f.name)
		c, enum := f.val.get("const"), f.val.get("enum")
		if enum != nil && len(enum.items) == 1 {
			c = enum.items[0]
		}
		if got != nil && c != nil && !containsValue([]*node{c}, got) {
			return false
		}
	}
	if !s.get("additionalProperties").isFalse() || s.get("patternProperties") != nil {
		return true
	}
	known := s.get("properties").members()
	return len(val.fields) == 0 || slices.ContainsFunc(val.fields, func(f field) bool { return known[f.name] != nil })
}

// nameBranches names the types of a union's branches if all have one, and the
// alternatives of a [OneOf] by what tells them apart.
func (j *judge) nameBranches(branches []*node) string {
	words := make([]string, 0, len(branches))
	for _, b := range branches {
		s := j.followRefs(b)
		t := s.get("type")
		props := fieldsOf(s, "properties")
		switch {
		case t == nil:
			return ""
		case len(props) == 1 && s.get("required").listsName(props[0].name) && s.get("additionalProperties").isFalse():
			words = append(words, "{"+string(props[0].raw)+": …}")
		default:
			words = append(words, nameTypes(t))
		}
	}
	return " (" + strings.Join(words, ", ") + ")"
}

func (j *judge) followRefs(s *node) *node {
	for range maxDepth {
		ref := s.get("$ref")
		if ref == nil {
			break
		}
		s = j.root.follow(ref.text)
	}
	return s
}

var comparisons = []struct {
	keyword, words string
	holds          func(order int) bool
}{
	{"minimum", "at least", func(order int) bool { return order >= 0 }},
	{"exclusiveMinimum", "more than", func(order int) bool { return order > 0 }},
	{"maximum", "at most", func(order int) bool { return order <= 0 }},
	{"exclusiveMaximum", "less than", func(order int) bool { return order < 0 }},
}

func (j *judge) checkNumber(path string, s, val *node) []string {
	var faults []string
	for _, c := range comparisons {
		if b := s.get(c.keyword); b != nil && !c.holds(val.compare(b)) {
			faults = append(faults, blame(path, "must be %s %s, not %s", c.words, b.raw, brief(val.raw))...)
		}
	}
	if m := s.get("multipleOf"); m != nil && !val.multipleOf(m) {
		faults = append(faults, blame(path, "must be a multiple of %s, not %s", m.raw, brief(val.raw))...)
	}
	return faults
}

func (j *judge) checkText(path string, s, val *node) []string {
	faults := checkSize(path, s, utf8.RuneCountInString(val.text), "minLength", "maxLength", "characters")
	if p := s.get("pattern"); p != nil {
		if re := j.patterns[p.text]; re != nil && !re.MatchString(val.text) {
			faults = append(faults, blame(path, "must match the pattern %s", p.text)...)
		}
	}
	return faults
}

func checkSize(path string, s *node, n int, least, most, of string) []string {
	var faults []string
	if b := s.get(least); b != nil && float64(n) < b.float() {
		faults = append(faults, blame(path, "must have at least %s %s, not %d", b.raw, of, n)...)
	}
	if b := s.get(most); b != nil && float64(n) > b.float() {
		faults = append(faults, blame(path, "must have at most %s %s, not %d", b.raw, of, n)...)
	}
	return faults
}

func (j *judge) checkItems(path string, s, val *node) []string {
	faults := checkSize(path, s, len(val.items), "minItems", "maxItems", "items")
	var fixed []*node
	if p := s.get("prefixItems"); p != nil {
		fixed = p.items
	}
	rest := s.get("items")
	for i, v := range val.items {
		switch {
		case i < len(fixed):
			faults = append(faults, j.check(path+index(i), fixed[i], v)...)
		case rest != nil:
			faults = append(faults, j.check(path+index(i), rest, v)...)
		}
	}
	if u := s.get("uniqueItems"); u != nil && !u.isFalse() {
		if i := findRepeated(val.items); i >= 0 {
			faults = append(faults, blame(path+index(i), "repeats an earlier item; items must differ")...)
		}
	}
	return faults
}

func (j *judge) checkObject(path string, s, val *node) []string {
	present := j.presentMembers(s, val)
	faults := checkSize(path, s, len(present), "minProperties", "maxProperties", "properties")
	if required := s.get("required"); required != nil {
		for _, name := range required.items {
			if present[name.text] == nil {
				faults = append(faults, blame(join(path, step(name.text)), "is required, but missing")...)
			}
		}
	}
	props, open := s.get("properties"), s.get("additionalProperties")
	if s.get("patternProperties") != nil {
		open = nil // the library's matter
	}
	described := 0
	for _, f := range fieldsOf(s, "properties") {
		if v := present[f.name]; v != nil {
			described++
			faults = append(faults, j.check(join(path, step(f.name)), f.val, v)...)
		}
	}
	if open == nil || described == len(val.fields) {
		return faults
	}
	return append(faults, j.checkRest(path, props, open, val)...)
}

// presentMembers are a value's members, without the nulls that stand for
// absence if the judge is lenient.
func (j *judge) presentMembers(s, val *node) map[string]*node {
	present := val.members()
	if !j.lenient {
		return present
	}
	for _, p := range fieldsOf(s, "properties") {
		if v := present[p.name]; v != nil && j.isAbsent(s, p.val, field{p.name, nil, v}) {
			delete(present, p.name)
		}
	}
	return present
}

func (j *judge) checkRest(path string, props, open, val *node) []string {
	var faults []string
	described := props.members()
	for _, f := range val.fields {
		switch at := join(path, step(f.name)); {
		case described[f.name] != nil:
		case open.isFalse():
			faults = append(faults, blame(at, "there is no such property%s", listKnown(props))...)
		default:
			faults = append(faults, j.check(at, open, f.val)...)
		}
	}
	return faults
}

func listKnown(props *node) string {
	if props == nil || len(props.fields) == 0 || len(props.fields) > 20 {
		return ""
	}
	list := make([]string, len(props.fields))
	for i, f := range props.fields {
		list[i] = f.name
	}
	return "; there is " + strings.Join(list, ", ")
}

func typeFits(t, val *node) bool {
	if t.kind == '"' {
		return isOf(t.text, val)
	}
	for _, w := range t.items {
		if isOf(w.text, val) {
			return true
		}
	}
	return false
}

func isOf(word string, val *node) bool {
	switch val.kind {
	case '{':
		return word == "object"
	case '[':
		return word == "array"
	case '0':
		return word == "number" || word == "integer" && val.isWhole()
	}
	return word == typeOf(val)
}

// nameTypes spells a type keyword as words: "a string or null".
func nameTypes(t *node) string {
	words := []*node{t}
	if t.kind == '[' {
		words = t.items
	}
	out := make([]string, len(words))
	for i, w := range words {
		switch w.text {
		case "null":
			out[i] = "null"
		case "object", "array", "integer":
			out[i] = "an " + w.text
		default:
			out[i] = "a " + w.text
		}
	}
	return strings.Join(out, " or ")
}

func showValue(val *node) string {
	switch val.kind {
	case '{', '[':
		return kindOf(val.kind)
	case '"', '0':
		if len(val.raw) <= 40 {
			return "the " + strings.TrimPrefix(kindOf(val.kind), "a ") + " " + string(val.raw)
		}
		return kindOf(val.kind)
	}
	return string(val.raw)
}

func listValues(vals []*node) string {
	out := make([]string, 0, len(vals))
	for i, v := range vals {
		if i == 30 {
			return strings.Join(out, ", ") + ", …"
		}
		out = append(out, brief(v.append(nil)))
	}
	return strings.Join(out, ", ")
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
