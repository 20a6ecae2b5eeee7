package schema

import "strings"

// typeFits reports whether a value is of the type or types that t names.
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
		return word == "number" || word == "integer" && val.whole()
	}
	return word == typeOf(val)
}

// typeNames spells a type keyword as words, such as "a string or null".
func typeNames(t *node) string {
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

// shown is a value as an error text shows it.
func shown(val *node) string {
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

func oneOf(vals []*node) string {
	out := make([]string, 0, len(vals))
	for i, v := range vals {
		if i == 30 {
			return strings.Join(out, ", ") + ", …"
		}
		out = append(out, brief(v.append(nil)))
	}
	return strings.Join(out, ", ")
}
