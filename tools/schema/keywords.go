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
	var hints []string
	kept := n.fields[:0:0]
	for _, f := range n.fields {
		if a.keepsField(f) {
			kept = append(kept, f)
			continue
		}
		if f.name == "patternProperties" || f.name == "$dynamicRef" {
			return a.refuse(path, f.name)
		}
		if told[f.name] {
			hints = append(hints, f.name+": "+string(f.val.append(nil)))
		}
		a.leftOut(join(path, step(f.name)), f.name)
	}
	n.fields = kept
	if len(hints) > 0 {
		n.describe("{" + strings.Join(hints, ", ") + "}")
	}
	return nil
}

func (a *adapter) keepsField(f field) bool {
	switch f.name {
	case "format":
		return a.formats[f.val.text]
	case "pattern":
		return a.keeps[f.name] && !looksAround(f.val.text)
	case "minItems":
		return a.keeps[f.name] && (!a.onlySmallMinItems || string(f.val.raw) == "0" || string(f.val.raw) == "1")
	case "items":
		return f.val.kind == '{'
	case "enum":
		return plain(f.val.items)
	}
	return a.keeps[f.name]
}

func (a *adapter) leftOut(path, word string) {
	a.changed(path, "is not part of "+a.name)
	_, known := keywords[word]
	if (known || word == "const") && !annotations[word] {
		a.note(path, "not enforced by the provider; checked afterwards")
	}
}

// plain reports whether all values are scalars.
func plain(vals []*node) bool {
	for _, v := range vals {
		if v.kind == '{' || v.kind == '[' {
			return false
		}
	}
	return true
}

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
