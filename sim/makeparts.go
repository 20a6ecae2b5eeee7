package sim

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// object makes an object: what is required, and optional members that the
// prompt speaks of.
func (m *maker) object(s *schema, depth int) (json.RawMessage, error) {
	b := objectBuilder{}
	want := slices.Clone(s.Required)
	for i := 0; i < len(want); i++ {
		s = m.withDependent(s, want[i])
		for _, name := range slices.Concat(s.DependentRequired[want[i]], s.Required) {
			if !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
	}
	for _, p := range s.Properties {
		required := slices.Contains(want, p.name)
		if !required && !m.obvious(p) {
			continue
		}
		v, err := m.value(p.raw, p.name, depth+1)
		if err != nil && required {
			return nil, err
		}
		if err == nil {
			b.add(p.name, v)
		}
	}
	for _, name := range want {
		if !b.has(name) {
			v, err := m.value(s.schemaFor(name), name, depth+1)
			if err != nil {
				return nil, err
			}
			b.add(name, v)
		}
	}
	return m.fill(s, &b, depth)
}

// withDependent adds what the presence of a member asks for.
func (m *maker) withDependent(s *schema, name string) *schema {
	if raw, ok := s.DependentSchemas[name]; ok {
		if part, err := readSchema(raw); err == nil {
			return merged(s, part)
		}
	}
	return s
}

// maxMembers is the most members that are invented for one object.
const maxMembers = 1000

// fill adds optional and then invented members until there are enough.
func (m *maker) fill(s *schema, b *objectBuilder, depth int) (json.RawMessage, error) {
	for _, p := range s.Properties {
		if len(b.names) >= s.MinProperties {
			break
		}
		if !b.has(p.name) {
			if v, err := m.value(p.raw, p.name, depth+1); err == nil {
				b.add(p.name, v)
			}
		}
	}
	if s.MinProperties > maxMembers {
		return nil, errTooDeep
	}
	for i := 1; len(b.names) < s.MinProperties && i <= s.MinProperties; i++ {
		name := m.invented(s, i)
		v, err := m.value(s.schemaFor(name), name, depth+1)
		if err != nil {
			return nil, err
		}
		if !b.has(name) {
			b.add(name, v)
		}
	}
	return b.bytes(), nil
}

// invented is a name for a member that no property describes.
func (m *maker) invented(s *schema, i int) string {
	if len(s.PatternProperties) > 0 {
		if name, ok := matching(s.PatternProperties[0].name, i); ok {
			return name
		}
	}
	if s.PropertyNames != nil {
		names, err := readSchema(s.PropertyNames)
		if err == nil && len(names.Enum) > 0 {
			name, _ := textOf(names.Enum[(i-1)%len(names.Enum)])
			return name
		}
		if err == nil && names.Pattern != "" {
			if name, ok := matching(names.Pattern, i); ok {
				return name
			}
		}
	}
	return "extra" + strconv.Itoa(i)
}

// schemaFor is the schema of a member that stands in no property list.
func (s *schema) schemaFor(name string) json.RawMessage {
	if raw, ok := s.Properties.get(name); ok {
		return raw
	}
	for _, p := range s.PatternProperties {
		if re, err := regexp.Compile(p.name); err == nil && re.MatchString(name) {
			return p.raw
		}
	}
	return s.AdditionalProperties
}

// obvious says whether to fill an optional member: the prompt names it, or one
// of its values.
func (m *maker) obvious(p property) bool {
	s, err := readSchema(p.raw)
	if err != nil || s.Ref != "" {
		return false
	}
	for _, v := range s.Enum {
		if t, ok := textOf(v); ok && t != "" && mentions(m.prompt, t) {
			return true
		}
	}
	kind := kindOf(s)
	words := keywords(p.name)
	if len(words) == 0 || kind == "object" || kind == "array" {
		return false
	}
	prompt := keywords(m.prompt)
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(prompt, w) })
}

// objectBuilder writes members in order.
type objectBuilder struct {
	names []string
	buf   bytes.Buffer
}

func (b *objectBuilder) has(name string) bool { return slices.Contains(b.names, name) }

func (b *objectBuilder) add(name string, v json.RawMessage) {
	if len(b.names) > 0 {
		b.buf.WriteByte(',')
	}
	b.names = append(b.names, name)
	b.buf.Write(quoted(name))
	b.buf.WriteByte(':')
	b.buf.Write(v)
}

func (b *objectBuilder) bytes() json.RawMessage {
	return json.RawMessage("{" + b.buf.String() + "}")
}

// array makes an array of one element, or of as many as it needs.
func (m *maker) array(s *schema, name string, depth int) (json.RawMessage, error) {
	prefix, rest := s.PrefixItems, s.Items
	if t := bytes.TrimSpace(s.Items); len(t) > 0 && t[0] == '[' { // draft 7 spells prefixItems so
		if json.Unmarshal(t, &prefix) != nil {
			return nil, errNotSchema
		}
		rest = nil
	}
	n := max(s.MinItems, len(prefix), 1)
	if s.MaxItems != nil {
		n = max(min(n, *s.MaxItems), s.MinItems)
	}
	matches := 0
	if s.Contains != nil {
		matches = 1
		if s.MinContains != nil {
			matches = *s.MinContains
		}
		n = max(n, len(prefix)+matches)
	}
	var elements []json.RawMessage
	for i := range n {
		v, err := m.element(s, prefix, rest, name, i, matches, depth)
		if err != nil && i >= s.MinItems && matches == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.UniqueItems {
			if v, err = m.unlike(elements, v, rest); err != nil {
				return nil, err
			}
		}
		elements = append(elements, v)
	}
	return slices.Concat([]byte("["), bytes.Join(rawBytes(elements), []byte(",")), []byte("]")), nil
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// element makes element i of an array.
func (m *maker) element(s *schema, prefix []json.RawMessage, rest json.RawMessage, name string, i, matches, depth int) (json.RawMessage, error) {
	raw := rest
	if i < len(prefix) {
		raw = prefix[i]
	} else if i < len(prefix)+matches {
		raw = both(rest, s.Contains)
	}
	return m.value(raw, strings.TrimSuffix(name, "s"), depth+1)
}

// unlike finds a variation of v that isn't among the elements yet.
func (m *maker) unlike(elements []json.RawMessage, v, raw json.RawMessage) (json.RawMessage, error) {
	taken := func(v json.RawMessage) bool {
		return slices.ContainsFunc(elements, func(e json.RawMessage) bool { return bytes.Equal(e, v) })
	}
	if !taken(v) {
		return v, nil
	}
	for _, alt := range variations(m.rules.root, raw, v, len(elements)) {
		if !taken(alt) && m.rules.fits(raw, alt) {
			return alt, nil
		}
	}
	return nil, errNoValue
}

// variations are values near v: other values of its enum, neighbours, longer
// texts.
func variations(root, raw, v json.RawMessage, n int) []json.RawMessage {
	var out []json.RawMessage
	if s, err := readSchema(raw); err == nil {
		if s.Ref != "" {
			if target, err := lookup(root, s.Ref); err == nil {
				s, _ = readSchema(target)
			}
		}
		if s != nil {
			out = append(out, s.Enum...)
		}
	}
	out = append(out, json.RawMessage(`true`), json.RawMessage(`false`), json.RawMessage(`null`))
	x := rat(json.Number(bytes.TrimSpace(v)))
	for i := 1; i <= n+1; i++ {
		suffix := strconv.Itoa(i + 1)
		if t, ok := textOf(v); ok {
			out = append(out, quoted(t+suffix), quoted(t+" "+suffix))
			if r := []rune(t); len(r) > 0 {
				out = append(out, quoted(string(r[:len(r)-1])+suffix))
			}
		}
		if x != nil {
			for _, step := range []int64{1, -1, 2, 5, 10} {
				out = append(out, json.RawMessage(decimal(new(big.Rat).Add(x, big.NewRat(step*int64(i), 1)))))
			}
		}
		if isObject(v) {
			out = append(out, withMember(v, "variant", suffix))
		}
	}
	return out
}

// withMember adds a member to an object.
func withMember(v json.RawMessage, name, value string) json.RawMessage {
	inner := bytes.TrimSuffix(bytes.TrimSpace(v), []byte("}"))
	sep := ","
	if len(members(v)) == 0 {
		sep = ""
	}
	return json.RawMessage(string(inner) + sep + string(quoted(name)) + ":" + string(quoted(value)) + "}")
}
