package cases_test

import (
	"net/http"
	"testing"

	"github.com/sabir-go/sabir/internal/cases"
)

// TestOps: each operator where it holds and where it doesn't.
func TestOps(t *testing.T) {
	t.Parallel()
	body := `{"n":9007199254740993,"one":1.0,"t":"abc","nil":null,"e":[],"o":{"a":{"b":1,"c":2},"l":[1,2]},
		"l":[{"id":"x","v":1},{"id":"y"},"s",3],"j":"{\"a\": 1}","same":"abc","a/b":1,"m~n":2,
		"s":{"type":"object","properties":{"const":{"type":["string","null"]},"u":{"anyOf":[{"type":"null"},{"type":"string","const":"x"}]},"p":{"type":"string","nullable":true}}}}`
	for _, c := range []struct{ at, op, green, red string }{
		{"/one", "equal", `1`, `1.1`},
		{"/n", "equal", `9007199254740993`, `9007199254740992`},
		{"/o", "equal", `{"l":[1,2],"a":{"c":2,"b":1e0}}`, `{"l":[2,1],"a":{"c":2,"b":1}}`},
		{"/a~1b", "equal", `1`, `2`},
		{"/m~0n", "equal", `2`, `1`},
		{"/l/0/id", "equal", `"x"`, `"y"`},
		{"/l/*/id", "matches", `"^[xy]$"`, `"^x$"`},
		{"/o", "contains", `{"a":{"b":1}}`, `{"a":{"b":2}}`},
		{"/o", "contains", `{"l":[2]}`, `{"l":[]}`},
		{"/l", "contains", `{"id":"y"}`, `{"id":"z"}`},
		{"/l", "contains", `3`, `4`},
		{"/l", "not_contains", `{"id":"z"}`, `{"v":1}`},
		{"/nix", "one_of_or_absent", `[1]`, ``},
		{"/t", "one_of_or_absent", `["x","abc"]`, `["x"]`},
		{"/t", "not_matches", `"^b"`, `"^a"`},
		{"/o", "matches", `"^\\{\"a\":\\{\"b\":1,"`, `"z"`},
		{"/l", "length", `4`, `3`},
		{"/o", "length", `2`, `1`},
		{"/o", "type", `"object"`, `"array"`},
		{"/j", "json_equal", `{"a":1.0}`, `{"a":2}`},
		{"/o/l", "set_equal", `[2,1.0]`, `[2,2]`},
		{"/t", "same_as", `"/same"`, `"/j"`},
		{"/l", "in_order", `[{"id":"x"},"s"]`, `["s",{"id":"x"}]`},
		{"", "text_present", `"9007199254740993"`, `"9007199254740992"`},
		{"", "text_absent", `"e+15"`, `"abc"`},
		{"/s", "no_schema_keyword", `["examples","properties2"]`, `["const"]`},
	} {
		check(t, body, c.at, c.op, c.green, true)
		if c.red != "" {
			check(t, body, c.at, c.op, c.red, false)
		}
	}
	for _, c := range []struct{ op, green, red string }{
		{"absent", "/x", "/nil"},
		{"present", "/nil", "/x"},
		{"unique", "/l/*/id", "/s/properties/*/type"},
		{"accepts_null", "/s/properties/const", "/s"},
		{"accepts_null", "/s/properties/u", "/x"},
		{"accepts_null", "/s/properties/p", "/o"},
		{"absent_or_nonempty", "/o", "/e"},
		{"absent_or_nonempty", "/x", "/t"},
	} {
		check(t, `{"s":{"type":"object","properties":{"const":{"type":["string","null"]},"u":{"anyOf":[{"type":"null"}]},`+
			`"p":{"type":["string","null"],"nullable":true}}},"nil":null,"l":[{"id":"x"},{"id":"y"},1],"o":{"a":1},"e":[],"t":"abc"}`,
			c.green, c.op, `null`, true)
		check(t, `{"s":{"type":"object","properties":{"const":{"type":["string","null"]},"p":{"type":["string","null"]}}},`+
			`"nil":null,"o":{"a":1},"e":[],"t":"abc"}`, c.red, c.op, `null`, false)
	}
}

// TestOpsReadGeminiBothWays: snake_case members are found by their other name,
// the caller's own names stay as they are.
func TestOpsReadGeminiBothWays(t *testing.T) {
	t.Parallel()
	o := outcome(`{"generation_config":{"stop_sequences":["a"]},"contents":[{"function_call":{"args":{"user_id":1}}}]}`)
	o.Dialect = "gemini"
	for _, c := range []struct {
		at, value string
	}{
		{"/generationConfig/stopSequences", `["a"]`},
		{"/contents/0/functionCall/args", `{"user_id":1}`},
	} {
		if faults := against(t, o, c.at, "equal", c.value); len(faults) > 0 {
			t.Error(faults)
		}
	}
}

func outcome(body string) *cases.Outcome {
	return &cases.Outcome{
		Run:      &cases.Run{Case: &cases.Case{}},
		Requests: []cases.Seen{{Body: []byte(body), Header: http.Header{}}},
	}
}

func against(t *testing.T, o *cases.Outcome, at, op, value string) []string {
	t.Helper()
	e, err := cases.ParseExpect([]byte(`{"wire":[{"at":"` + at + `","op":"` + op + `","value":` + value + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return o.Against(&e)
}

func check(t *testing.T, body, at, op, value string, green bool) {
	t.Helper()
	if faults := against(t, outcome(body), at, op, value); (len(faults) == 0) != green {
		t.Errorf("%s %s %s: %q, want green: %v", at, op, value, faults, green)
	}
}
