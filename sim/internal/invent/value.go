package invent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// Value makes a JSON value that is valid against a schema, with words of
// the prompt where they fit. Where the validator accepts none of several
// attempts the first one has to do (it computes multipleOf 0.1 in binary, for
// one); a schema that can't be followed at all gets an empty object.
func Value(raw json.RawMessage, prompt string) json.RawMessage {
	var made json.RawMessage
	rules := schema.NewValidator(raw)
	for attempt := range 8 {
		m := &maker{
			rules: rules, prompt: prompt, names: findNames(prompt), numbers: findNumbers(prompt), attempt: attempt, work: 4000,
		}
		v, err := m.makeNamed(raw, "", 0)
		if err == nil && rules.Fits(raw, v) {
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
	rules   schema.Validator
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

// makeNamed makes a value for a schema that stands under that name.
func (m *maker) makeNamed(raw json.RawMessage, name string, depth int) (json.RawMessage, error) {
	if len(raw) > maxSchema {
		return nil, errTooDeep
	}
	s, err := schema.Read(raw)
	if err != nil {
		return nil, err
	}
	return m.makeValue(s, name, depth)
}

func (m *maker) makeValue(s *schema.Schema, name string, depth int) (json.RawMessage, error) {
	if m.work--; depth > maxDepth || m.work < 0 {
		return nil, errTooDeep
	}
	s, err := m.flatten(s)
	if err != nil {
		return nil, err
	}
	if branches := slices.Concat(s.AnyOf, s.OneOf); len(branches) > 0 {
		return m.makeBranch(s, name, depth)
	}
	if s.If != nil {
		return m.makeConditional(s, name, depth)
	}
	return m.makePlain(s, name, depth)
}

// flatten resolves references and merges allOf.
func (m *maker) flatten(s *schema.Schema) (*schema.Schema, error) {
	for hops := 0; s.Ref != "" || len(s.AllOf) > 0; hops++ {
		if hops > maxDepth {
			return nil, errTooDeep
		}
		parts := s.AllOf
		if s.Ref != "" {
			target, err := schema.Resolve(m.rules.Root, s.Ref)
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
			part, err := schema.Read(p)
			if err != nil {
				return nil, err
			}
			s = schema.Merge(part, s)
		}
	}
	if s.Never {
		return nil, errNoValue
	}
	return s, nil
}

// makeBranch takes the first branch of anyOf and oneOf that works out: those whose
// words fit the prompt first, null last.
func (m *maker) makeBranch(s *schema.Schema, name string, depth int) (json.RawMessage, error) {
	base := *s
	branches := s.AnyOf
	base.AnyOf = nil
	if len(branches) == 0 {
		branches, base.OneOf = s.OneOf, nil
	}
	err := errNoValue
	for _, b := range m.sortBranches(branches) {
		part, partErr := schema.Read(b)
		if partErr != nil {
			return nil, partErr
		}
		before := *m
		v, made := m.makeValue(schema.Merge(&base, part), name, depth+1)
		if made == nil && m.fitsOnlyOne(s, v) {
			return v, nil
		}
		m.names, m.numbers = before.names, before.numbers
		if made != nil {
			err = made
		}
	}
	return nil, err
}

// fitsOnlyOne checks that a value fits exactly one branch of oneOf.
func (m *maker) fitsOnlyOne(s *schema.Schema, v json.RawMessage) bool {
	n := 0
	for _, b := range s.OneOf {
		if m.rules.Fits(b, v) {
			n++
		}
	}
	return len(s.OneOf) == 0 || n == 1
}

func (m *maker) sortBranches(branches []json.RawMessage) []json.RawMessage {
	words := findKeywords(m.prompt)
	out := slices.Clone(branches)
	rank := func(raw json.RawMessage) int {
		if bytes.Contains(raw, []byte(`"null"`)) && len(raw) < 40 {
			return 1
		}
		return -scoreCandidate(Candidate{Name: joinConstants(raw), Description: string(raw)}, words)
	}
	slices.SortStableFunc(out, func(a, b json.RawMessage) int { return rank(a) - rank(b) })
	if k := m.attempt % len(out); k > 0 {
		out = slices.Concat(out[k:], out[:k])
	}
	return out
}

// joinConstants joins the fixed texts among a schema's properties.
func joinConstants(raw json.RawMessage) string {
	s, err := schema.Read(raw)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range s.Properties {
		if sub, err := schema.Read(p.Raw); err == nil {
			fixed := sub.Const
			if len(sub.Enum) == 1 {
				fixed = sub.Enum[0]
			}
			text, _ := jsondoc.Text(fixed)
			b.WriteString(text + " ")
		}
	}
	return b.String()
}

// makeConditional handles if, then and else: it makes a value and then one that
// fits the consequence, if the first doesn't.
func (m *maker) makeConditional(s *schema.Schema, name string, depth int) (json.RawMessage, error) {
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
			part, partErr := schema.Read(p)
			if partErr != nil {
				return nil, partErr
			}
			want = schema.Merge(want, part)
		}
		var v json.RawMessage
		if v, err = m.makeValue(want, name, depth+1); err == nil {
			return v, nil
		}
	}
	return nil, err
}

// makePlain handles a schema without combinators.
func (m *maker) makePlain(s *schema.Schema, name string, depth int) (json.RawMessage, error) {
	if v := m.pickGiven(s); v != nil {
		return v, nil
	}
	if s.Enum != nil {
		return nil, errNoValue
	}
	switch schema.KindOf(s) {
	case "null":
		return json.RawMessage(`null`), nil
	case "boolean":
		return json.RawMessage(strconv.FormatBool(m.attempt%2 == 0)), nil
	case "integer", "number":
		return m.makeNumber(s)
	case "array":
		return m.makeArray(s, name, depth)
	case "object":
		return m.makeObject(s, depth)
	}
	return m.makeText(s, name)
}

// pickGiven picks a value that the schema names itself: const, a value of enum
// (one that the prompt mentions first), or the default.
func (m *maker) pickGiven(s *schema.Schema) json.RawMessage {
	if s.Const != nil {
		return s.Const
	}
	values := slices.Clone(s.Enum)
	mentioned := func(v json.RawMessage) int {
		if t, ok := jsondoc.Text(v); ok && t != "" && containsWords(m.prompt, t) {
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
		if m.isAllowed(&check, v) {
			return v
		}
	}
	return nil
}

// containsWords reports whether a text holds a word or words, in any case.
func containsWords(text, words string) bool {
	return strings.Contains(" "+strings.Join(splitWords(text), " ")+" ", " "+strings.Join(splitWords(words), " ")+" ")
}

// isAllowed checks a given value against the simple rules of its schema.
func (m *maker) isAllowed(s *schema.Schema, v json.RawMessage) bool {
	if len(s.Types) > 0 && !slices.ContainsFunc(s.Types, func(t string) bool { return hasType(v, t) }) {
		return false
	}
	return s.Not == nil || !m.rules.Fits(s.Not, v)
}

func hasType(v json.RawMessage, t string) bool {
	switch kind := kindOfValue(v); t {
	case "integer":
		x := schema.ParseNumber(json.Number(bytes.TrimSpace(v)))
		return kind == "number" && (x == nil || x.IsInt())
	default:
		return kind == t
	}
}

func kindOfValue(v json.RawMessage) string {
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
