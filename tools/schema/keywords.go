package schema

import "strings"

// annotations say nothing about which values fit, so leaving them out
// changes no meaning.
var annotations = map[string]bool{
	"$id": true, "$schema": true, "$comment": true, "$anchor": true, "title": true, "description": true,
	"default": true, "examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
	"contentEncoding": true, "contentMediaType": true, "contentSchema": true,
}

// told are the bounds that go into the description when they can't be
// enforced, so that the model still knows them.
var told = map[string]bool{
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "uniqueItems": true,
	"minProperties": true, "maxProperties": true, "pattern": true, "format": true, "default": true,
}

// keywords leaves out what the subset doesn't know.
func (a *adapter) keywords(path string, n *node) error {
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
		if h.add(f); f.name == "enum" && a.open {
			h.tell(f.name, f.val)
		}
		a.leftOut(join(path, step(f.name)), f.name)
	}
	n.fields = kept
	h.into(n)
	return nil
}

// hints are bounds that the model is told about.
type hints []string

func (h *hints) add(f field) {
	if told[f.name] {
		h.tell(f.name, f.val)
	}
}

func (h *hints) tell(word string, val *node) {
	*h = append(*h, word+": "+string(val.append(nil)))
}

func (h *hints) into(n *node) {
	if len(*h) > 0 {
		n.describe("{" + strings.Join(*h, ", ") + "}")
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
			taken = looksAtItself
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
		return every(f.val.items, scalarValue)
	}
	return a.keeps[f.name]
}

func (a *adapter) leftOut(path, word string) {
	a.changed(path, "is not part of "+a.name)
	_, known := keywords[word]
	if (known || word == "const") && !annotations[word] {
		a.note(path, notEnforced)
	}
}

func scalarValue(v *node) bool { return v.kind != '{' && v.kind != '[' }

func looksAtItself(pattern string) bool { return !looksAround(pattern) }

func looksAround(pattern string) bool {
	for _, mark := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, mark) {
			return true
		}
	}
	return false
}

// describe appends a hint to the schema's description.
func (n *node) describe(hint string) {
	if d := n.get("description"); d != nil && d.kind == '"' && d.text != "" {
		hint = d.text + " " + hint
	}
	n.set("description", newText(hint))
}
