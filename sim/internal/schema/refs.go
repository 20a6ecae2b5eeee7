package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// isEndless reports whether the references of a schema lead back to themselves
// without going down into the value, or can't be followed: validating against
// such a schema would never end.
func isEndless(root json.RawMessage, part json.RawMessage) bool {
	edges := map[string][]string{}
	queue := append(findRefs(root), findRefs(part)...)
	for len(queue) > 0 {
		ref := queue[0]
		queue = queue[1:]
		if _, seen := edges[ref]; seen {
			continue
		}
		target, err := Resolve(root, ref)
		if err != nil {
			return true
		}
		edges[ref] = findRefsInPlace(target)
		queue = append(queue, edges[ref]...)
	}
	done := map[string]bool{}
	for ref := range edges {
		if isCyclic(ref, edges, done, nil) {
			return true
		}
	}
	return false
}

func isCyclic(ref string, edges map[string][]string, done map[string]bool, path []string) bool {
	switch {
	case slices.Contains(path, ref):
		return true
	case done[ref]:
		return false
	}
	path = append(path, ref)
	if slices.ContainsFunc(edges[ref], func(next string) bool { return isCyclic(next, edges, done, path) }) {
		return true
	}
	done[ref] = true
	return false
}

// findRefs finds all references below a value. A dynamic one counts as one
// that can't be followed.
func findRefs(raw json.RawMessage) []string {
	var v any
	if len(bytes.TrimSpace(raw)) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return findRefsBelow(v)
}

func findRefsBelow(v any) []string {
	var out []string
	switch v := v.(type) {
	case []any:
		for _, sub := range v {
			out = append(out, findRefsBelow(sub)...)
		}
	case map[string]any:
		for k, sub := range v {
			ref, isText := sub.(string)
			switch {
			case isText && strings.EqualFold(k, "$ref"):
				out = append(out, ref)
			case isText && (strings.EqualFold(k, "$dynamicRef") || strings.EqualFold(k, "$recursiveRef")):
				out = append(out, "dynamicRef")
			default:
				out = append(out, findRefsBelow(sub)...)
			}
		}
	}
	return out
}

// findRefsInPlace finds the references that apply to the same value as the
// schema itself. Keywords are compared without case, as the validator's
// decoder does.
func findRefsInPlace(raw json.RawMessage) []string {
	var out []string
	for k, v := range jsondoc.Members(raw) {
		is := func(words ...string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, k) })
		}
		switch {
		case is("$ref"):
			if ref, ok := jsondoc.Text(v); ok {
				out = append(out, ref)
			}
		case is("allOf", "anyOf", "oneOf"):
			var list []json.RawMessage
			if json.Unmarshal(v, &list) == nil {
				for _, sub := range list {
					out = append(out, findRefsInPlace(sub)...)
				}
			}
		case is("not", "if", "then", "else"):
			out = append(out, findRefsInPlace(v)...)
		case is("dependentSchemas", "dependencies"):
			for _, sub := range jsondoc.Members(v) {
				out = append(out, findRefsInPlace(sub)...)
			}
		}
	}
	return out
}
