package invent

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// makeArray makes an array of one element, or of as many as it needs.
func (m *maker) makeArray(s *schema.Schema, name string, depth int) (json.RawMessage, error) {
	prefix, rest := s.PrefixItems, s.Items
	if t := bytes.TrimSpace(s.Items); len(t) > 0 && t[0] == '[' { // draft 7 spells prefixItems so
		if json.Unmarshal(t, &prefix) != nil {
			return nil, schema.ErrNotSchema
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
		v, err := m.makeElement(s, prefix, rest, name, i, matches, depth)
		if err != nil && i >= s.MinItems && matches == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.UniqueItems {
			if v, err = m.findUnlike(elements, v, rest); err != nil {
				return nil, err
			}
		}
		elements = append(elements, v)
	}
	return slices.Concat([]byte("["), bytes.Join(toBytes(elements), []byte(",")), []byte("]")), nil
}

func toBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

func (m *maker) makeElement(
	s *schema.Schema, prefix []json.RawMessage, rest json.RawMessage, name string, i, matches, depth int,
) (json.RawMessage, error) {
	raw := rest
	if i < len(prefix) {
		raw = prefix[i]
	} else if i < len(prefix)+matches {
		raw = schema.All(rest, s.Contains)
	}
	return m.makeNamed(raw, strings.TrimSuffix(name, "s"), depth+1)
}

// findUnlike finds a variation of v that isn't among the elements yet.
func (m *maker) findUnlike(elements []json.RawMessage, v, raw json.RawMessage) (json.RawMessage, error) {
	taken := func(v json.RawMessage) bool {
		return slices.ContainsFunc(elements, func(e json.RawMessage) bool { return bytes.Equal(e, v) })
	}
	if !taken(v) {
		return v, nil
	}
	for _, alt := range listVariations(m.rules.Root, raw, v, len(elements)) {
		if !taken(alt) && m.rules.Fits(raw, alt) {
			return alt, nil
		}
	}
	return nil, errNoValue
}

// listVariations lists values near v: other values of its enum, neighbours,
// longer texts.
func listVariations(root, raw, v json.RawMessage, n int) []json.RawMessage {
	var out []json.RawMessage
	if s, err := schema.Read(raw); err == nil {
		if s.Ref != "" {
			if target, err := schema.Resolve(root, s.Ref); err == nil {
				s, _ = schema.Read(target)
			}
		}
		if s != nil {
			out = append(out, s.Enum...)
		}
	}
	out = append(out, json.RawMessage(`true`), json.RawMessage(`false`), json.RawMessage(`null`))
	x := schema.ParseNumber(json.Number(bytes.TrimSpace(v)))
	for i := 1; i <= n+1; i++ {
		suffix := strconv.Itoa(i + 1)
		if t, ok := jsondoc.Text(v); ok {
			out = append(out, jsondoc.Quote(t+suffix), jsondoc.Quote(t+" "+suffix))
			if r := []rune(t); len(r) > 0 {
				out = append(out, jsondoc.Quote(string(r[:len(r)-1])+suffix))
			}
		}
		if x != nil {
			for _, step := range []int64{1, -1, 2, 5, 10} {
				out = append(out, json.RawMessage(schema.FormatNumber(new(big.Rat).Add(x, big.NewRat(step*int64(i), 1)))))
			}
		}
		if jsondoc.IsObject(v) {
			out = append(out, addMember(v, "variant", suffix))
		}
	}
	return out
}

func addMember(v json.RawMessage, name, value string) json.RawMessage {
	inner := bytes.TrimSuffix(bytes.TrimSpace(v), []byte("}"))
	sep := ","
	if len(jsondoc.Members(v)) == 0 {
		sep = ""
	}
	return json.RawMessage(string(inner) + sep + string(jsondoc.Quote(name)) + ":" + string(jsondoc.Quote(value)) + "}")
}
