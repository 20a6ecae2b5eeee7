package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Assertion is about one request.
type Assertion struct {
	Request int             `json:"request"`
	At      *string         `json:"at"`
	Op      string          `json:"op"`
	Value   json.RawMessage `json:"value"`
}

func (a *Assertion) check() error {
	if a.At == nil {
		return fmt.Errorf("assertion %s: at is missing", a.Op)
	}
	op, ok := ops[a.Op]
	if !ok {
		return fmt.Errorf("op %q is not defined", a.Op)
	}
	if at := *a.At; at != "" && at[0] != '/' && at != "url" && at != "url-path" && !strings.HasPrefix(at, "header:") {
		return fmt.Errorf("at %q is not defined", at)
	}
	if op.value != nil {
		if err := op.value(a.Value); err != nil {
			return fmt.Errorf("op %s: value: %w", a.Op, err)
		}
	}
	return nil
}

// String is the assertion as a fault says it.
func (a Assertion) String() string {
	return fmt.Sprintf("request %d: %s %s %s", a.Request, *a.At, a.Op, shorten(compactJSON(a.Value)))
}

// checkAgainst says what is wrong; "" if nothing is.
func (a *Assertion) checkAgainst(o *Outcome) string {
	if a.Request < 0 || a.Request >= len(o.Requests) {
		return fmt.Sprintf("%v: there were %d requests", a, len(o.Requests))
	}
	seen := &o.Requests[a.Request]
	op := ops[a.Op]
	values, doc := a.findValues(seen, op, o.Dialect)
	switch {
	case op.all != nil:
		if !op.all(values, a.Value) {
			return fmt.Sprintf("%v: got %s", a, shorten(bytes.Join(asBytes(values), []byte(", "))))
		}
		return ""
	case len(values) == 0 && op.absence:
		return ""
	case len(values) == 0:
		return fmt.Sprintf("%v: nothing is there", a)
	}
	for _, v := range values {
		if !op.each(v, a.Value, doc) {
			return fmt.Sprintf("%v: got %s", a, shorten(compactJSON(v)))
		}
	}
	return ""
}

// findValues returns what At points at, and the body it looked in.
func (a *Assertion) findValues(seen *Seen, op op, dialect string) (found []json.RawMessage, doc json.RawMessage) {
	switch at := *a.At; {
	case at == "url":
		return []json.RawMessage{quoteText(seen.URL)}, nil
	case at == "url-path":
		return []json.RawMessage{quoteText(seen.Path)}, nil
	case strings.HasPrefix(at, "header:"):
		values := seen.Header.Values(strings.TrimPrefix(at, "header:"))
		if len(values) == 0 {
			return nil, nil
		}
		return []json.RawMessage{quoteText(strings.Join(values, ", "))}, nil
	case at == "" && op.onText:
		return []json.RawMessage{quoteText(string(seen.Body))}, nil
	}
	doc = seen.Body
	if dialect == "gemini" {
		doc = camelCase(doc)
	}
	return find(doc, *a.At), doc
}

// op is one operator: a rule for each value found, or for all of them.
type op struct {
	// value checks the assertion's own value when the case is read.
	value   func(json.RawMessage) error
	absence bool // holds when nothing is there
	onText  bool // at "" it looks at the raw body
	each    func(v, want, doc json.RawMessage) bool
	all     func(vs []json.RawMessage, want json.RawMessage) bool
}

var ops = map[string]op{
	"equal":        {value: isJSON, each: func(v, want, _ json.RawMessage) bool { return equalJSON(v, want) }},
	"contains":     {value: isJSON, each: holdsPattern},
	"not_contains": {value: isJSON, absence: true, each: noElement},
	"absent":       {all: func(vs []json.RawMessage, _ json.RawMessage) bool { return len(vs) == 0 }},
	"present":      {all: func(vs []json.RawMessage, _ json.RawMessage) bool { return len(vs) > 0 }},
	"unique":       {all: areUnique},
	"matches":      {value: isPattern, onText: true, each: matchesPattern},
	"not_matches":  {value: isPattern, onText: true, absence: true, each: negate(matchesPattern)},
	"length":       {value: isInt, each: hasLength},
	"type":         {value: isType, each: func(v, want, _ json.RawMessage) bool { return kindOf(v) == textOf(want) }},
	"json_equal":   {value: isJSON, onText: true, each: parsesTo},
	"set_equal":    {value: isList, each: setEqual},
	"same_as":      {value: isText, each: sameAs},
	"in_order":     {value: isList, each: inOrder},
	"text_present": {value: isText, onText: true, each: hasText},
	"text_absent":  {value: isText, onText: true, absence: true, each: negate(hasText)},
	"accepts_null": {each: func(v, _, _ json.RawMessage) bool { return acceptsNull(v) }},
	"absent_or_nonempty": {absence: true, each: func(v, _, _ json.RawMessage) bool {
		return len(elementsOf(v)) > 0 || len(membersOf(v)) > 0
	}},
	"one_of_or_absent": {value: isList, absence: true, each: func(v, want, _ json.RawMessage) bool {
		return slices.ContainsFunc(elementsOf(want), func(w json.RawMessage) bool { return equalJSON(v, w) })
	}},
	"no_schema_keyword": {value: isList, each: func(v, want, _ json.RawMessage) bool {
		return !usesKeyword(v, wordsOf(want))
	}},
}

func negate(each func(v, want, doc json.RawMessage) bool) func(v, want, doc json.RawMessage) bool {
	return func(v, want, doc json.RawMessage) bool { return !each(v, want, doc) }
}

func isJSON(v json.RawMessage) error {
	if !json.Valid(v) {
		return errors.New("is missing")
	}
	return nil
}

func isInt(v json.RawMessage) error  { return json.Unmarshal(orMissing(v), new(int)) }
func isText(v json.RawMessage) error { return json.Unmarshal(orMissing(v), new(string)) }
func isList(v json.RawMessage) error { return json.Unmarshal(orMissing(v), new([]json.RawMessage)) }

func isType(v json.RawMessage) error {
	return checkWord("type", textOf(v), []string{"object", "array", "string", "number", "boolean", "null"})
}

func isPattern(v json.RawMessage) error {
	if err := isText(v); err != nil {
		return err
	}
	_, err := regexp.Compile(textOf(v))
	return err
}

// orMissing makes json.Unmarshal complain about a value that isn't there.
func orMissing(v json.RawMessage) json.RawMessage {
	if kindOf(v) == "null" {
		return json.RawMessage("{}[]")
	}
	return v
}

func matchesPattern(v, want, _ json.RawMessage) bool {
	return regexp.MustCompile(textOf(want)).MatchString(textOf(v))
}

func hasText(v, want, _ json.RawMessage) bool { return strings.Contains(textOf(v), textOf(want)) }

func holdsPattern(v, want, _ json.RawMessage) bool {
	value, ok := decodeJSON(v)
	pattern, too := decodeJSON(want)
	return ok && too && containsPattern(value, pattern)
}

func noElement(v, want, doc json.RawMessage) bool {
	return kindOf(v) != "array" || !holdsPattern(v, want, doc)
}

func areUnique(vs []json.RawMessage, _ json.RawMessage) bool {
	for i, v := range vs {
		if slices.ContainsFunc(vs[:i], func(w json.RawMessage) bool { return equalJSON(v, w) }) {
			return false
		}
	}
	return len(vs) > 0
}

func hasLength(v, want, _ json.RawMessage) bool {
	var n int
	if json.Unmarshal(want, &n) != nil {
		return false
	}
	switch kindOf(v) {
	case "array":
		return len(elementsOf(v)) == n
	case "object":
		return len(membersOf(v)) == n
	}
	return false
}

func parsesTo(v, want, _ json.RawMessage) bool {
	return kindOf(v) == "string" && equalJSON(json.RawMessage(textOf(v)), want)
}

func setEqual(v, want, _ json.RawMessage) bool {
	got, wanted := elementsOf(v), elementsOf(want)
	if kindOf(v) != "array" || len(got) != len(wanted) {
		return false
	}
	for _, w := range wanted {
		i := slices.IndexFunc(got, func(g json.RawMessage) bool { return equalJSON(g, w) })
		if i < 0 {
			return false
		}
		got = slices.Delete(got, i, i+1)
	}
	return true
}

func sameAs(v, want, doc json.RawMessage) bool {
	other := find(doc, textOf(want))
	return len(other) == 1 && equalJSON(v, other[0])
}

func inOrder(v, want, _ json.RawMessage) bool {
	patterns := elementsOf(want)
	for _, el := range elementsOf(v) {
		if len(patterns) > 0 && holdsPattern(el, patterns[0], nil) {
			patterns = patterns[1:]
		}
	}
	return len(patterns) == 0
}

func wordsOf(list json.RawMessage) []string {
	words := elementsOf(list)
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = textOf(w)
	}
	return out
}

func asBytes(vs []json.RawMessage) [][]byte {
	out := make([][]byte, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

func shorten(b []byte) string {
	if limit := 300; len(b) > limit {
		return strings.ToValidUTF8(string(b[:limit]), "") + "…"
	}
	return string(b)
}

// camelCase renames snake_case members. Below the members that hold the
// caller's own names nothing is renamed.
func camelCase(doc json.RawMessage) json.RawMessage {
	switch kindOf(doc) {
	case "array":
		out, _ := json.Marshal(mapList(elementsOf(doc), camelCase)) // raw values always marshal
		return out
	case "object":
		object := membersOf(doc)
		if !slices.ContainsFunc(slices.Collect(maps.Keys(object)), mayNest(object)) {
			return doc
		}
		renamed := make(map[string]json.RawMessage, len(object))
		for key, v := range object {
			renamed[camelWord(key)] = v
			if !slices.Contains([]string{"args", "response", "properties", "$defs", "defs"}, key) {
				renamed[camelWord(key)] = camelCase(v)
			}
		}
		out, _ := json.Marshal(renamed) // raw values always marshal
		return out
	}
	return doc
}

// mayNest reports whether a member may need another name, or holds some that
// do.
func mayNest(object map[string]json.RawMessage) func(string) bool {
	return func(key string) bool {
		return strings.Contains(key, "_") || kindOf(object[key]) == "object" || kindOf(object[key]) == "array"
	}
}

func camelWord(key string) string {
	words := strings.Split(key, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

func mapList[T any](list []T, f func(T) T) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
