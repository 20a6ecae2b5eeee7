package openaichat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/wire/wiretest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// listed writes calls as id=name(arguments); an id of ours as "new".
func listed(r *chat.Reply) string {
	calls := r.ToolCalls()
	out := make([]string, 0, len(calls))
	for _, c := range calls {
		id := c.ID
		if len(id) == len(wire.MakeCallID()) {
			id = "new"
		}
		out = append(out, fmt.Sprintf("%s=%s(%s)", id, c.Name, c.Arguments))
	}
	return strings.Join(out, " ")
}

// TestStreamedCalls is about servers that leave out, repeat or blank what
// tells one call from the other.
func TestStreamedCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		deltas []string // the lists of tool_calls
		want   string
	}{
		{"no index at all, siblings in one list", []string{
			`{"id":"a","type":"function","function":{"name":"add","arguments":"{\"a\":1,"}}`,
			`{"function":{"arguments":"\"b\":2}"}}`,
			`{"id":"b","function":{"name":"mul","arguments":"{\"a\":3}"}},{"id":"c","function":{"name":"add","arguments":"{\"a\":5}"}}`,
		}, `a=add({"a":1,"b":2}) b=mul({"a":3}) c=add({"a":5})`},
		{"every call is index 0, ids differ", []string{
			`{"index":0,"id":"a","function":{"name":"s","arguments":"{\"q\":1}"}}`,
			`{"index":0,"id":"b","function":{"name":"s","arguments":"{\"q\":"}}`,
			`{"index":0,"function":{"arguments":"2}"}}`,
		}, `a=s({"q":1}) b=s({"q":2})`},
		{"id and name repeated, blanked, nulled", []string{
			`{"index":0,"id":"x","function":{"name":"run","arguments":""}}`,
			`{"index":0,"id":"x","function":{"name":"","arguments":"{\"c\":"}}`,
			`{"index":0,"id":"","function":{"name":null,"arguments":"\"l"}}`,
			`{"index":0,"id":"x","function":{"name":"run","arguments":"s\"}"}}`,
		}, `x=run({"c":"ls"})`},
		{"interleaved, told apart by index alone", []string{
			`{"index":0,"id":"a","function":{"name":"w","arguments":""}},{"index":1,"id":"b","function":{"name":"w","arguments":""}}`,
			`{"index":1,"function":{"arguments":"{\"c\""}}`,
			`{"index":0,"function":{"arguments":"{\"c"}}`,
			`{"index":0,"function":{"arguments":"\":1}"}},{"index":1,"function":{"arguments":":2}"}}`,
		}, `a=w({"c":1}) b=w({"c":2})`},
		{"index from 1, and not in order", []string{
			`{"index":3,"id":"a","function":{"name":"f","arguments":"{}"}}`,
			`{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`,
		}, `a=f({}) b=g({})`},
		{"no ids, no index", []string{
			`{"function":{"name":"f","arguments":"{\"a\":\"}\"}"}}`,
			`{"function":{"name":"f","arguments":"{}"}}`,
		}, `new=f({"a":"}"}) new=f({})`},
		{"no ids, every call is index 0", []string{
			`{"index":0,"function":{"name":"f","arguments":"{}"}}`,
			`{"index":0,"function":{"name":"g","arguments":"{}"}}`,
		}, `new=f({}) new=g({})`},
		{"name repeated with the last, empty fragment", []string{
			`{"index":0,"function":{"name":"f","arguments":"{}"}}`,
			`{"index":0,"function":{"name":"f","arguments":""}}`,
		}, `new=f({})`},
		{"the same id for two calls", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`,
			`{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}`,
		}, `a=f({}) new=g({})`},
		{"name after the arguments began", []string{
			`{"index":0,"id":"a","function":{"arguments":"{\"a\""}}`,
			`{"index":0,"function":{"name":"f","arguments":":1}"}}`,
		}, `a=f({"a":1})`},
		{"id after the name: ours was given out", []string{
			`{"index":0,"function":{"name":"f","arguments":"{"}}`,
			`{"index":0,"id":"late","function":{"arguments":"}"}}`,
		}, `new=f({})`},
		{"id as a number, arguments as an object", []string{
			`{"index":0,"id":7,"function":{"name":"f","arguments":{"n":9007199254740993}}}`,
		}, `7=f({"n":9007199254740993})`},
		{"null arguments", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":null}}`}, `a=f({})`},
		{"no arguments", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`}, `a=f({})`},
		{"null as text", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"null"}}`}, `a=f({})`},
		{"an escape cut in two", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"t\":\"\\ud83d"}}`,
			`{"index":0,"function":{"arguments":"\\ude00 \\"}}`,
			`{"index":0,"function":{"arguments":"\"\"}"}}`,
		}, `a=f({"t":"\ud83d\ude00 \""})`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			frames := make([]string, 0, len(tt.deltas)+2)
			for _, d := range tt.deltas {
				frames = append(frames, delta(`"tool_calls":[`+d+`]`))
			}
			r := collected(t, append(frames, finished("tool_calls"), "[DONE]")...)
			if got := listed(r); got != tt.want || r.Finish != chat.FinishToolCalls {
				t.Errorf("got %s (%s), want %s", got, r.Finish, tt.want)
			}
		})
	}
}

// TestReplyCalls: in a whole reply every element is a call, whatever its index
// and id say.
func TestReplyCalls(t *testing.T) {
	t.Parallel()
	r, err := wiretest.Reply(codec, reply(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},`+
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"function":{"name":"f","arguments":"{}"}}]`, "stop"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listed(r), "a=f({}) new=f({}) new=f({})"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
