package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Validator holds values against one schema. It is safe for concurrent use.
type Validator struct {
	root      *node
	patterns  map[string]*regexp.Regexp
	judgeable bool
	resolved  *jsonschema.Resolved // where the schema isn't judgeable
	unchecked []string
}

// Compile prepares a schema for validation. References have to lead to a
// place in the schema itself, such as "#/$defs/place": nothing is ever
// fetched. A schema that refers to itself without end is an error.
func Compile(raw json.RawMessage) (*Validator, error) {
	root, err := parseSchema(raw)
	if err != nil {
		return nil, err
	}
	if err := root.refsLead(root, map[*node]bool{}); err != nil {
		return nil, err
	}
	if ref := root.findEndless(); ref != "" {
		return nil, fmt.Errorf("the schema refers to itself without end through %s", ref)
	}
	v := &Validator{root: root, patterns: map[string]*regexp.Regexp{}}
	if err := v.normalize("", root); err != nil {
		return nil, err
	}
	if v.judgeable = root.isJudgeable(); v.judgeable {
		return v, nil
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(root.append(nil), &s); err != nil {
		return nil, fmt.Errorf("not a schema: %w", err)
	}
	restoreDigits(root, &s)
	if v.resolved, err = s.Resolve(nil); err != nil {
		return nil, fmt.Errorf("not a schema: %w", err)
	}
	return v, nil
}

// Unchecked lists what in the schema can't be checked, one sentence each:
// patterns that Go's regular expressions can't express, such as those that
// look ahead. Values are not held against these.
func (v *Validator) Unchecked() []string { return slices.Clone(v.unchecked) }

// Validate reports whether value fits the schema. The error is written for
// the model that is to mend the value: it names each property at fault and
// what was expected. Integers of any size keep their exact value.
//
// The everyday keywords are judged here, in linear time and with words for
// every fault; jsonschema-go gives the verdict where a schema uses others.
// (It judges a value anew for each branch of a union, which takes exponential
// time on deep values of recursive types.)
func (v *Validator) Validate(value json.RawMessage) error {
	val, err := parse(value)
	if err != nil {
		return err
	}
	j := v.newJudge(false)
	if faults := j.check("", v.root, val); len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	if v.judgeable {
		return nil
	}
	if err := v.resolved.Validate(val.libraryValue()); err != nil {
		return errors.New("does not fit the schema: " + trimTrail(err.Error()))
	}
	return nil
}

// trimTrail cuts the schema paths that the library puts before its text.
func trimTrail(s string) string {
	for {
		rest, ok := strings.CutPrefix(s, "validating ")
		if !ok {
			break
		}
		if _, rest, ok = strings.Cut(rest, ": "); !ok {
			break
		}
		s = rest
	}
	if cut := 300; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return s
}

// normalize spells a schema in the form that the library reads as 2020-12.
func (v *Validator) normalize(path string, n *node) error {
	if n.kind != '{' {
		return nil
	}
	if n.get("$dynamicRef") != nil {
		return within(path, fault("$dynamicRef is not supported"))
	}
	for _, word := range []string{"$schema", "$id", "$anchor", "$dynamicAnchor"} {
		n.drop(word) // all references are pointers from the root
	}
	if items := n.get("items"); items != nil && items.kind == '[' {
		n.rename("items", "prefixItems")
		n.rename("additionalItems", "items")
	}
	n.splitDependencies()
	v.compilePatterns(path, n)
	for _, c := range n.children() {
		if err := v.normalize(join(path, c.path), *c.slot); err != nil {
			return err
		}
	}
	return nil
}

// splitDependencies spells draft-07's dependencies as the two keywords that
// replaced it.
func (n *node) splitDependencies() {
	deps := n.get("dependencies")
	if deps == nil {
		return
	}
	n.drop("dependencies")
	for _, f := range deps.fields {
		word := "dependentSchemas"
		if f.val.kind == '[' {
			word = "dependentRequired"
		}
		if n.get(word) == nil {
			n.set(word, newObject())
		}
		n.get(word).set(f.name, f.val)
	}
}

var unicodeEscape = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// compilePatterns spells patterns as Go does and drops those that it can't.
func (v *Validator) compilePatterns(path string, n *node) {
	if p := n.get("pattern"); p != nil {
		inGo := unicodeEscape.ReplaceAllString(p.text, `\x{$1}`)
		re, err := regexp.Compile(inGo)
		if err != nil {
			n.drop("pattern")
			v.unchecked = append(v.unchecked, join(path, "pattern")+": can't be checked: "+brief(p.raw))
			return
		}
		v.patterns[inGo] = re
		n.set("pattern", newText(inGo))
	}
}

// libraryValue returns what the library validates. Integers stay exact up to 64
// bits; a number beyond float64 becomes the largest one.
func (n *node) libraryValue() any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			m[f.name] = f.val.libraryValue()
		}
		return m
	case '[':
		return n.libraryValues()
	case '"':
		return n.text
	case 't':
		return !n.isFalse()
	case 'n':
		return nil
	}
	return libraryNumber(string(n.raw))
}

func (n *node) libraryValues() []any {
	s := make([]any, len(n.items))
	for i, v := range n.items {
		s[i] = v.libraryValue()
	}
	return s
}

func libraryNumber(s string) any {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		return u
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// restoreDigits gives the library the enum and const values with all their
// digits, which its own reading through float64 loses.
func restoreDigits(n *node, s *jsonschema.Schema) {
	if s == nil || n.kind != '{' {
		return
	}
	if enum := n.get("enum"); enum != nil {
		s.Enum = enum.libraryValues()
	}
	if c := n.get("const"); c != nil {
		val := c.libraryValue()
		s.Const = &val
	}
	for _, f := range n.fields {
		restoreDigitsUnder(f, s)
	}
}

func restoreDigitsUnder(f field, s *jsonschema.Schema) {
	one := map[string]*jsonschema.Schema{
		"additionalProperties": s.AdditionalProperties, "contains": s.Contains, "propertyNames": s.PropertyNames,
		"unevaluatedItems": s.UnevaluatedItems, "unevaluatedProperties": s.UnevaluatedProperties,
		"not": s.Not, "if": s.If, "then": s.Then, "else": s.Else, "items": s.Items,
	}
	many := map[string][]*jsonschema.Schema{
		"anyOf": s.AnyOf, "oneOf": s.OneOf, "allOf": s.AllOf, "prefixItems": s.PrefixItems,
	}
	named := map[string]map[string]*jsonschema.Schema{
		"properties": s.Properties, "patternProperties": s.PatternProperties, "$defs": s.Defs,
		"definitions": s.Definitions, "dependentSchemas": s.DependentSchemas,
	}
	restoreDigits(f.val, one[f.name])
	for i, sub := range many[f.name] {
		restoreDigits(f.val.items[i], sub)
	}
	if subs := named[f.name]; subs != nil {
		for _, g := range f.val.fields {
			restoreDigits(g.val, subs[g.name])
		}
	}
}
