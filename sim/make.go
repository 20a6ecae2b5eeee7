package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// makeValue makes a JSON value that is valid against a schema, with words of
// the prompt where they fit. Where the validator accepts none of several
// attempts the first one has to do (it computes multipleOf 0.1 in binary, for
// one); a schema that can't be followed at all gets an empty object.
func makeValue(raw json.RawMessage, prompt string) json.RawMessage {
	var made json.RawMessage
	rules := newValidator(raw)
	for attempt := range 8 {
		m := &maker{rules: rules, prompt: prompt, names: names(prompt), numbers: numbers(prompt), attempt: attempt, work: 4000}
		v, err := m.value(raw, "", 0)
		if err == nil && rules.fits(raw, v) {
			return v
		}
		if made == nil {
			made = v
		}
	}
	if made == nil {
		return json.RawMessage(`{}`)
	}
	return made
}

// maker makes one value.
type maker struct {
	rules   validator
	prompt  string
	names   []string // not yet used
	numbers []string // not yet used
	attempt int      // each one tries other branches
	work    int      // steps left
}

var (
	errNoValue = errors.New("nothing fits the schema")
	errTooDeep = errors.New("schema is too deep")
)

const (
	maxDepth  = 24
	maxSchema = 1 << 18 // bytes; merging can double a schema at each step
)

// value makes a value for a schema that stands under that name.
func (m *maker) value(raw json.RawMessage, name string, depth int) (json.RawMessage, error) {
	if len(raw) > maxSchema {
		return nil, errTooDeep
	}
	s, err := readSchema(raw)
	if err != nil {
		return nil, err
	}
	return m.from(s, name, depth)
}

func (m *maker) from(s *schema, name string, depth int) (json.RawMessage, error) {
	if m.work--; depth > maxDepth || m.work < 0 {
		return nil, errTooDeep
	}
	s, err := m.flat(s)
	if err != nil {
		return nil, err
	}
	if branches := slices.Concat(s.AnyOf, s.OneOf); len(branches) > 0 {
		return m.branch(s, name, depth)
	}
	if s.If != nil {
		return m.conditional(s, name, depth)
	}
	return m.plain(s, name, depth)
}

// flat resolves references and merges allOf.
func (m *maker) flat(s *schema) (*schema, error) {
	for hops := 0; s.Ref != "" || len(s.AllOf) > 0; hops++ {
		if hops > maxDepth {
			return nil, errTooDeep
		}
		parts := s.AllOf
		if s.Ref != "" {
			target, err := lookup(m.rules.root, s.Ref)
			if err != nil {
				return nil, err
			}
			parts = append([]json.RawMessage{target}, parts...)
		}
		rest := *s
		rest.Ref, rest.AllOf = "", nil
		s = &rest
		for _, p := range parts {
			if m.work--; m.work < 0 || len(p) > maxSchema {
				return nil, errTooDeep
			}
			part, err := readSchema(p)
			if err != nil {
				return nil, err
			}
			s = merged(part, s)
		}
	}
	if s.never {
		return nil, errNoValue
	}
	return s, nil
}

// branch takes the first branch of anyOf and oneOf that works out: those whose
// words fit the prompt first, null last.
func (m *maker) branch(s *schema, name string, depth int) (json.RawMessage, error) {
	base := *s
	branches := s.AnyOf
	base.AnyOf = nil
	if len(branches) == 0 {
		branches, base.OneOf = s.OneOf, nil
	}
	err := errNoValue
	for _, b := range m.sorted(branches) {
		part, partErr := readSchema(b)
		if partErr != nil {
			return nil, partErr
		}
		before := *m
		v, made := m.from(merged(&base, part), name, depth+1)
		if made == nil && m.onlyOne(s, v) {
			return v, nil
		}
		m.names, m.numbers = before.names, before.numbers
		if made != nil {
			err = made
		}
	}
	return nil, err
}

// onlyOne checks that a value fits exactly one branch of oneOf.
func (m *maker) onlyOne(s *schema, v json.RawMessage) bool {
	n := 0
	for _, b := range s.OneOf {
		if m.rules.fits(b, v) {
			n++
		}
	}
	return len(s.OneOf) == 0 || n == 1
}

// sorted puts the branches in the order in which to try them.
func (m *maker) sorted(branches []json.RawMessage) []json.RawMessage {
	words := keywords(m.prompt)
	out := slices.Clone(branches)
	rank := func(raw json.RawMessage) int {
		if bytes.Contains(raw, []byte(`"null"`)) && len(raw) < 40 {
			return 1
		}
		return -score(candidate{name: constants(raw), description: string(raw)}, words)
	}
	slices.SortStableFunc(out, func(a, b json.RawMessage) int { return rank(a) - rank(b) })
	if k := m.attempt % len(out); k > 0 {
		out = slices.Concat(out[k:], out[:k])
	}
	return out
}

// constants are the fixed texts among a schema's properties.
func constants(raw json.RawMessage) string {
	s, err := readSchema(raw)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range s.Properties {
		if sub, err := readSchema(p.raw); err == nil {
			fixed := sub.Const
			if len(sub.Enum) == 1 {
				fixed = sub.Enum[0]
			}
			text, _ := textOf(fixed)
			b.WriteString(text + " ")
		}
	}
	return b.String()
}

// conditional handles if, then and else: it makes a value and then one that
// fits the consequence, if the first doesn't.
func (m *maker) conditional(s *schema, name string, depth int) (json.RawMessage, error) {
	base := *s
	base.If, base.Then, base.Else = nil, nil, nil
	choices := [][]json.RawMessage{{s.If, s.Then}, {s.Else}}
	if m.attempt%2 == 1 {
		slices.Reverse(choices)
	}
	err := errNoValue
	for _, parts := range choices {
		want := &base
		for _, p := range parts {
			part, partErr := readSchema(p)
			if partErr != nil {
				return nil, partErr
			}
			want = merged(want, part)
		}
		var v json.RawMessage
		if v, err = m.from(want, name, depth+1); err == nil {
			return v, nil
		}
	}
	return nil, err
}

// plain handles a schema without combinators.
func (m *maker) plain(s *schema, name string, depth int) (json.RawMessage, error) {
	if v := m.given(s); v != nil {
		return v, nil
	}
	if s.Enum != nil {
		return nil, errNoValue
	}
	switch kindOf(s) {
	case "null":
		return json.RawMessage(`null`), nil
	case "boolean":
		return json.RawMessage(strconv.FormatBool(m.attempt%2 == 0)), nil
	case "integer", "number":
		return m.number(s)
	case "array":
		return m.array(s, name, depth)
	case "object":
		return m.object(s, depth)
	}
	return m.text(s, name)
}

// given is a value that the schema names itself: const, a value of enum (one
// that the prompt mentions first), an example or the default.
func (m *maker) given(s *schema) json.RawMessage {
	if s.Const != nil {
		return s.Const
	}
	values := slices.Clone(s.Enum)
	mentioned := func(v json.RawMessage) int {
		if t, ok := textOf(v); ok && t != "" && mentions(m.prompt, t) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(values, func(a, b json.RawMessage) int { return mentioned(a) - mentioned(b) })
	if s.Enum == nil && s.Default != nil {
		values = append(values, s.Default)
	}
	if k := len(values); k > 0 && m.attempt > 0 {
		values = slices.Concat(values[m.attempt%k:], values[:m.attempt%k])
	}
	check := *s
	check.Default = nil
	for _, v := range values {
		if m.valid(&check, v) {
			return v
		}
	}
	return nil
}

// mentions reports whether a text holds a word or words, in any case.
func mentions(text, words string) bool {
	return strings.Contains(" "+strings.Join(splitWords(text), " ")+" ", " "+strings.Join(splitWords(words), " ")+" ")
}

// valid checks a given value against the simple rules of its schema.
func (m *maker) valid(s *schema, v json.RawMessage) bool {
	if len(s.Types) > 0 && !slices.ContainsFunc(s.Types, func(t string) bool { return hasType(v, t) }) {
		return false
	}
	return s.Not == nil || !m.rules.fits(s.Not, v)
}

func hasType(v json.RawMessage, t string) bool {
	switch kind := valueKind(v); t {
	case "integer":
		x := rat(json.Number(bytes.TrimSpace(v)))
		return kind == "number" && (x == nil || x.IsInt())
	default:
		return kind == t
	}
}

func valueKind(v json.RawMessage) string {
	switch t := bytes.TrimSpace(v); {
	case len(t) == 0, t[0] == 'n':
		return "null"
	case t[0] == '"':
		return "string"
	case t[0] == '{':
		return "object"
	case t[0] == '[':
		return "array"
	case t[0] == 't', t[0] == 'f':
		return "boolean"
	}
	return "number"
}

// kindOf is the type of value to make.
func kindOf(s *schema) string {
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	switch {
	case len(s.Types) > 0:
		return "null"
	case s.Properties != nil || s.Required != nil || s.AdditionalProperties != nil || s.MinProperties > 0 || s.PatternProperties != nil:
		return "object"
	case s.Items != nil || s.PrefixItems != nil || s.MinItems > 0 || s.Contains != nil:
		return "array"
	case s.Minimum+s.Maximum+s.ExclusiveMinimum+s.ExclusiveMaximum+s.MultipleOf != "":
		return "number"
	}
	return "string"
}
