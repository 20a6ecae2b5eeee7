package invent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// makeObject makes an object: what is required, and optional members that the
// prompt speaks of.
func (m *maker) makeObject(s *schema.Schema, depth int) (json.RawMessage, error) {
	b := objectBuilder{}
	want := slices.Clone(s.Required)
	for i := 0; i < len(want); i++ {
		s = m.addDependent(s, want[i])
		for _, name := range slices.Concat(s.DependentRequired[want[i]], s.Required) {
			if !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
	}
	for _, p := range s.Properties {
		required := slices.Contains(want, p.Name)
		if !required && !m.isMentioned(p) {
			continue
		}
		v, err := m.makeNamed(p.Raw, p.Name, depth+1)
		if err != nil && required {
			return nil, err
		}
		if err == nil {
			b.add(p.Name, v)
		}
	}
	for _, name := range want {
		if !b.has(name) {
			v, err := m.makeNamed(s.FindMember(name), name, depth+1)
			if err != nil {
				return nil, err
			}
			b.add(name, v)
		}
	}
	return m.fillObject(s, &b, depth)
}

// addDependent adds what the presence of a member asks for.
func (m *maker) addDependent(s *schema.Schema, name string) *schema.Schema {
	if raw, ok := s.DependentSchemas[name]; ok {
		if part, err := schema.Read(raw); err == nil {
			return schema.Merge(s, part)
		}
	}
	return s
}

// maxMembers is the most members that are invented for one object.
const maxMembers = 1000

// fillObject adds optional and then invented members until there are enough.
func (m *maker) fillObject(s *schema.Schema, b *objectBuilder, depth int) (json.RawMessage, error) {
	for _, p := range s.Properties {
		if len(b.names) >= s.MinProperties {
			break
		}
		if !b.has(p.Name) {
			if v, err := m.makeNamed(p.Raw, p.Name, depth+1); err == nil {
				b.add(p.Name, v)
			}
		}
	}
	if s.MinProperties > maxMembers {
		return nil, errTooDeep
	}
	for i := 1; len(b.names) < s.MinProperties && i <= s.MinProperties; i++ {
		name := m.inventName(s, i)
		v, err := m.makeNamed(s.FindMember(name), name, depth+1)
		if err != nil {
			return nil, err
		}
		if !b.has(name) {
			b.add(name, v)
		}
	}
	return b.bytes(), nil
}

// inventName makes a name for a member that no property describes.
func (m *maker) inventName(s *schema.Schema, i int) string {
	if len(s.PatternProperties) > 0 {
		if name, ok := makeMatching(s.PatternProperties[0].Name, i); ok {
			return name
		}
	}
	if s.PropertyNames != nil {
		names, err := schema.Read(s.PropertyNames)
		if err == nil && len(names.Enum) > 0 {
			name, _ := jsondoc.Text(names.Enum[(i-1)%len(names.Enum)])
			return name
		}
		if err == nil && names.Pattern != "" {
			if name, ok := makeMatching(names.Pattern, i); ok {
				return name
			}
		}
	}
	return "extra" + strconv.Itoa(i)
}

// isMentioned says whether to fill an optional member: the prompt names it, or one
// of its values.
func (m *maker) isMentioned(p schema.Property) bool {
	s, err := schema.Read(p.Raw)
	if err != nil || s.Ref != "" {
		return false
	}
	for _, v := range s.Enum {
		if t, ok := jsondoc.Text(v); ok && t != "" && containsWords(m.prompt, t) {
			return true
		}
	}
	kind := schema.KindOf(s)
	words := findKeywords(p.Name)
	if len(words) == 0 || kind == "object" || kind == "array" {
		return false
	}
	prompt := findKeywords(m.prompt)
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
	b.buf.Write(jsondoc.Quote(name))
	b.buf.WriteByte(':')
	b.buf.Write(v)
}

func (b *objectBuilder) bytes() json.RawMessage {
	return json.RawMessage("{" + b.buf.String() + "}")
}
