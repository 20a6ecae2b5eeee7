package schema

import (
	"encoding/json"
	"slices"
)

// DropNulls turns an answer to a schema adapted for [OpenAI] back into one to
// the original schema: a member that is null, though the original neither
// requires it nor lets it be null, is taken out. All else stays as written.
//
// Of the branches of a union, one counts: the first that the value fits, else
// the first that it fits without its nulls, else the only one that it seems to
// be meant for.
func DropNulls(original, answer json.RawMessage) (json.RawMessage, error) {
	v, err := Compile(original)
	if err != nil {
		return nil, err
	}
	val, err := parse(answer)
	if err != nil {
		return nil, err
	}
	d := dropper{
		judge:   v.newJudge(false),
		lenient: v.newJudge(true),
		seen:    map[[2]*node]bool{},
		gone:    map[*node]map[string]bool{},
	}
	d.visit(v.root, val)
	if len(d.gone) == 0 {
		return answer, nil
	}
	d.dropMembers(val)
	return val.append(make([]byte, 0, len(answer))), nil
}

// dropper finds the members to drop before it drops any, so that its judges
// see the value as it was written.
type dropper struct {
	*judge
	lenient *judge
	seen    map[[2]*node]bool         // pairs of schema and value
	gone    map[*node]map[string]bool // by object
}

func (d *dropper) visit(s, val *node) {
	if d.seen[[2]*node{s, val}] {
		return
	}
	d.seen[[2]*node{s, val}] = true
	if ref := s.get("$ref"); ref != nil {
		d.visit(d.root.follow(ref.text), val)
	}
	if all := s.get("allOf"); all != nil {
		for _, b := range all.items {
			d.visit(b, val)
		}
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if branches := s.get(word); branches != nil {
			if b := d.findBranch(branches.items, val); b != nil {
				d.visit(b, val)
			}
		}
	}
	d.visitItems(s, val)
	d.visitMembers(s, val)
}

// findBranch returns the branch that a value was written for; nil if that can't
// be told.
func (d *dropper) findBranch(branches []*node, val *node) *node {
	for _, j := range []*judge{d.judge, d.lenient} {
		for _, b := range branches {
			if len(j.check("", b, val)) == 0 {
				return b
			}
		}
	}
	var meant []*node
	for _, b := range branches {
		if d.meantFor(b, val) {
			meant = append(meant, b)
		}
	}
	if len(meant) == 1 {
		return meant[0]
	}
	return nil
}

func (d *dropper) visitItems(s, val *node) {
	var places []*node
	if p := s.get("prefixItems"); p != nil {
		places = p.items
	}
	rest := s.get("items")
	for i, v := range val.items {
		switch {
		case i < len(places):
			d.visit(places[i], v)
		case rest != nil:
			d.visit(rest, v)
		}
	}
}

func (d *dropper) visitMembers(s, val *node) {
	if val.kind != '{' {
		return
	}
	props, rest := s.get("properties").members(), s.get("additionalProperties")
	for _, f := range val.fields {
		switch prop := props[f.name]; {
		case prop == nil && rest != nil && s.get("patternProperties") == nil:
			d.visit(rest, f.val)
		case prop == nil:
		case d.isAbsent(s, prop, f):
			if d.gone[val] == nil {
				d.gone[val] = map[string]bool{}
			}
			d.gone[val][f.name] = true
		default:
			d.visit(prop, f.val)
		}
	}
}

// isAbsent reports whether a member is a null that stands for its absence.
func (j *judge) isAbsent(s, prop *node, f field) bool {
	return f.val.kind == 'n' && !s.get("required").listsName(f.name) && !prop.takesNull(j.root)
}

func (d *dropper) dropMembers(val *node) {
	if gone := d.gone[val]; gone != nil {
		val.fields = slices.DeleteFunc(val.fields, func(f field) bool { return gone[f.name] })
	}
	for _, f := range val.fields {
		d.dropMembers(f.val)
	}
	for _, v := range val.items {
		d.dropMembers(v)
	}
}
