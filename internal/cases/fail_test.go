package cases_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/sabir-go/sabir/internal/cases"
)

// TestRunnerCanFail holds what came of each case against expectations that
// differ from the case's own in one place. Each has to be found red.
func TestRunnerCanFail(t *testing.T) {
	t.Parallel()
	for _, r := range load(t, "testdata") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			o := r.Do(t.Context())
			if faults := o.Check(); len(faults) > 0 {
				t.Fatalf("red as it is: %q", faults)
			}
			want := narrowed(t, o, object(t, r.RawWant))
			tried := 0
			for name, mutant := range mutants(want) {
				tried++
				raw, err := json.Marshal(mutant)
				if err != nil {
					t.Fatal(err)
				}
				e, err := cases.ParseExpect(raw)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(o.Against(&e)) == 0 {
					t.Errorf("%s: still green", name)
				}
			}
			if tried == 0 {
				t.Error("nothing to change was found")
			}
			t.Logf("%d changes, all red", tried)
		})
	}
}

func object(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// narrowed keeps of each one_of the alternative that holds, so that a change in
// it is felt.
func narrowed(t *testing.T, o *cases.Outcome, want map[string]any) map[string]any {
	t.Helper()
	list, ok := want["one_of"].([]any)
	if !ok {
		return want
	}
	for _, alternative := range list {
		only := maps.Clone(want)
		only["one_of"] = []any{narrowed(t, o, alternative.(map[string]any))}
		raw, err := json.Marshal(only)
		if err != nil {
			t.Fatal(err)
		}
		e, err := cases.ParseExpect(raw)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Against(&e)) == 0 {
			return only
		}
	}
	return want
}

// mutants yields expectations that differ from e in one place, with a name for
// each.
func mutants(e map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	set := func(name, member string, value any) {
		m := maps.Clone(e)
		m[member] = value
		out[name] = m
	}
	for member, value := range e {
		for name, changed := range changes(member, value) {
			set(member+": "+name, member, changed)
		}
	}
	if _, ok := e["error"]; ok && e["one_of"] == nil {
		m := maps.Clone(e)
		delete(m, "error")
		out["error: taken away"] = m
	}
	if list, ok := e["one_of"].([]any); ok && len(list) == 1 {
		for name, m := range mutants(list[0].(map[string]any)) {
			if name != "error: taken away" {
				set("one_of: "+name, "one_of", []any{m})
			}
		}
	}
	return out
}

// changes are other values for a member of an expectation, by what was done.
func changes(member string, value any) map[string]any {
	switch member {
	case "wire":
		return wireChanges(value.([]any))
	case "reply":
		return objectChanges(value.(map[string]any), replyMember)
	case "error":
		return objectChanges(value.(map[string]any), errorMember)
	case "tool_runs":
		return listChanges(value.([]any), map[string]any{"name": other})
	case "leaks", "timing":
		return objectChanges(value.(map[string]any), bound)
	case "events":
		return map[string]any{"a text that is there": map[string]any{"text_never_contains": ""}}
	case "log_absent":
		return map[string]any{"a text that is there": ""}
	case "within_ms":
		return map[string]any{"too short": -1}
	case "request_count", "canary_hits":
		return map[string]any{"one more": plus(value)}
	case "no_network", "warns":
		return map[string]any{"flipped": !value.(bool)}
	}
	return nil
}

// other is a text that no case holds.
const other = "mutant-0x7f3a"

func plus(n any) json.Number {
	i, _ := n.(json.Number).Int64()
	return json.Number(strconv.FormatInt(i+1, 10))
}

// objectChanges changes one member at a time.
func objectChanges(o map[string]any, change func(member string, value any) []any) map[string]any {
	out := map[string]any{}
	for member, value := range o {
		for i, changed := range change(member, value) {
			m := maps.Clone(o)
			m[member] = changed
			out[fmt.Sprintf("%s, change %d", member, i)] = m
		}
	}
	return out
}

// listChanges adds an element, takes one away, and changes each.
func listChanges(list []any, extra any) map[string]any {
	out := map[string]any{"one more": append(slices.Clip(list), extra)}
	for i, el := range list {
		out[fmt.Sprintf("without %d", i)] = slices.Delete(slices.Clone(list), i, i+1)
		for name, changed := range objectChanges(el.(map[string]any), func(string, any) []any { return []any{other} }) {
			l := slices.Clone(list)
			l[i] = changed
			out[fmt.Sprintf("%d: %s", i, name)] = l
		}
	}
	return out
}

func replyMember(member string, value any) []any {
	switch member {
	case "text", "text_trimmed", "thinking", "raw_finish":
		return []any{value.(string) + "x", "x" + value.(string)}
	case "text_length":
		return []any{plus(value)}
	case "json":
		return []any{other, map[string]any{}}
	case "tool_calls":
		return slices.Collect(maps.Values(listChanges(value.([]any), map[string]any{"name": other})))
	case "finish":
		return without([]string{"stop", "tool_calls", "length", "content_filter", "error", "other"}, value.(string))
	case "partial":
		return []any{!value.(bool)}
	case "usage":
		return slices.Collect(maps.Values(objectChanges(value.(map[string]any), func(_ string, n any) []any { return []any{plus(n)} })))
	}
	return nil
}

// alike are classes that one error can be of at once.
var alike = [][]string{
	{"server", "overloaded"},
	{"truncated_stream", "transport"},
	{"tool_choice_unmet", "truncated_output", "content_filtered", "tool_args"},
}

var classes = []string{
	"bad_request", "auth", "permission", "not_found", "rate_limit", "overloaded", "server", "timeout", "canceled",
	"transport", "truncated_stream", "truncated_output", "decode", "content_filtered", "malformed_tool_call",
	"tool_args", "tool_choice_unmet", "max_steps", "unsupported", "invalid_request_local",
}

func errorMember(member string, value any) []any {
	switch member {
	case "class":
		candidates := slices.Clone(classes)
		for _, group := range alike {
			if slices.Contains(group, value.(string)) {
				candidates = slices.DeleteFunc(candidates, func(c string) bool { return slices.Contains(group, c) })
			}
		}
		return without(candidates, value.(string))
	case "status":
		return []any{plus(value)}
	case "retryable":
		return []any{!value.(bool)}
	case "retry_after_ms":
		return []any{json.Number("86400000")}
	case "message_contains":
		return []any{other}
	case "message_absent":
		return []any{""}
	case "is":
		return []any{"io.EOF"}
	case "within_ms":
		return []any{-1}
	}
	return nil
}

func bound(member string, value any) []any {
	switch member {
	case "min_ms":
		return []any{json.Number("86400000")}
	case "between":
		return []any{[]any{0, 99}}
	}
	return []any{-1}
}

func without(words []string, word string) []any {
	var out []any
	for _, w := range words {
		if w != word {
			out = append(out, w)
		}
	}
	return out
}

func wireChanges(list []any) map[string]any {
	out := map[string]any{}
	for i, a := range list {
		for j, instead := range assertionChanges(a.(map[string]any)) {
			out[fmt.Sprintf("%d (%s), change %d", i, a.(map[string]any)["op"], j)] = slices.Concat(list[:i], instead, list[i+1:])
		}
	}
	return out
}

// assertionChanges are lists to put in an assertion's place, each of which is
// false where the assertion is true.
func assertionChanges(a map[string]any) [][]any {
	with := func(members ...any) map[string]any {
		m := maps.Clone(a)
		for i := 0; i < len(members); i += 2 {
			m[members[i].(string)] = members[i+1]
		}
		return m
	}
	later := [][]any{{with("request", 99)}}
	add := func(lists ...[]any) [][]any { return append(later, lists...) }
	switch op := a["op"]; op {
	case "absent":
		return add([]any{with("op", "present")})
	case "present":
		return add([]any{with("op", "absent")})
	case "not_contains":
		return add([]any{with("op", "contains")})
	case "not_matches":
		return add([]any{with("op", "matches")})
	case "text_absent":
		return add([]any{with("op", "text_present")})
	case "one_of_or_absent":
		return add([]any{with("op", "present"), with("value", []any{other})})
	case "absent_or_nonempty":
		return add([]any{with("op", "present"), with("op", "length", "value", 0)})
	case "length":
		return add([]any{with("value", plus(a["value"]))})
	case "type":
		return add([]any{with("value", "boolean")})
	case "set_equal", "in_order":
		return add([]any{with("value", append(slices.Clip(a["value"].([]any)), other))}, []any{with("at", "/"+other)})
	case "same_as":
		return add([]any{with("value", "/"+other)})
	case "unique", "accepts_null":
		return add([]any{with("at", "/"+other)}, []any{with("op", "equal", "value", other)})
	case "no_schema_keyword":
		return add([]any{with("value", []any{"type"})}, []any{with("at", "/"+other)})
	default: // equal, contains, matches, json_equal, text_present
		return add([]any{with("value", other)})
	}
}
