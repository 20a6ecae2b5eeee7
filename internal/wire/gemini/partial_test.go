package gemini_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

const endCall = `{"functionCall":{}}`

func TestPiecesOfArguments(t *testing.T) {
	t.Parallel()
	begin := piece("f", true)
	for _, tt := range []struct {
		name  string
		parts []string
		want  string
	}{
		{"none", []string{begin, endCall}, `f({})`},
		{"a string in three", []string{
			begin, piece("", true, `{"jsonPath":"$.a","stringValue":"x\"","willContinue":true}`),
			piece("", true, `{"jsonPath":"$.a","stringValue":"\n","willContinue":true}`), piece("", true, `{"jsonPath":"$.a","stringValue":"é"}`), endCall,
		}, `f({"a":"x\"\né"})`},
		{"a string whose end isn't said", []string{
			begin, piece("", true, `{"jsonPath":"$.a","stringValue":"x","willContinue":true}`), piece("", true, `{"jsonPath":"$.b","boolValue":true}`), endCall,
		}, `f({"a":"x","b":true})`},
		{"every kind of scalar", []string{begin, piece("", true, `{"jsonPath":"$.n","numberValue":1e3}`, `{"jsonPath":"$.b","boolValue":false}`,
			`{"jsonPath":"$.z","nullValue":"NULL_VALUE"}`, `{"jsonPath":"$.s","stringValue":""}`), endCall}, `f({"n":1e3,"b":false,"z":null,"s":""})`},
		{"objects and lists", []string{begin, piece("", true,
			`{"jsonPath":"$.a.b[0].c","numberValue":1}`, `{"jsonPath":"$.a.b[0].d","numberValue":2}`, `{"jsonPath":"$.a.b[1]","stringValue":"x"}`,
			`{"jsonPath":"$.a.e","numberValue":3}`, `{"jsonPath":"$.g[0][0]","numberValue":4}`, `{"jsonPath":"$.g[1][0]","numberValue":5}`,
		), endCall}, `f({"a":{"b":[{"c":1,"d":2},"x"],"e":3},"g":[[4],[5]]})`},
		{"quoted names", []string{begin, piece("", true, `{"jsonPath":"$['a.b'][\"c[0]\"]['d\\'e']","numberValue":1}`, `{"jsonPath":"$['']","numberValue":2}`), endCall}, `f({"a.b":{"c[0]":{"d'e":1}},"":2})`},
		{"all in one frame", []string{piece("f", false, `{"jsonPath":"$.a","numberValue":1}`)}, `f({"a":1})`},
		{"the last piece ends it", []string{begin, piece("", false, `{"jsonPath":"$.a","stringValue":"x","willContinue":true}`)}, `f({"a":"x"})`},
		{"another call ends it", []string{begin, piece("", true, `{"jsonPath":"$.a","numberValue":1}`), piece("g", true), endCall}, `f({"a":1}) g({})`},
		{"a whole call behind it", []string{begin, endCall, `{"functionCall":{"name":"g","args":{"b":2}}}`}, `f({}) g({"b":2})`},
		{"STOP ends it", []string{begin, piece("", true, `{"jsonPath":"$.a","numberValue":1}`)}, `f({"a":1})`},
		{"pieces that say nothing", []string{begin, piece("", true, `{"jsonPath":"$.a"}`, `{"numberValue":1}`, `null`, `{}`), endCall}, `f({})`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			frames := make([]string, 0, len(tt.parts)+1)
			for _, p := range tt.parts {
				frames = append(frames, saying("", p))
			}
			r, _, err := collect(t, append(frames, saying("STOP"))...)
			if err != nil {
				t.Fatal(err)
			}
			if got := calls(r); got != tt.want || r.Finish != chat.FinishToolCalls {
				t.Errorf("got %s, %s, want %s", got, r.Finish, tt.want)
			}
		})
	}
}

func calls(r *chat.Reply) string {
	out := make([]string, 0, 2)
	for _, c := range r.ToolCalls() {
		out = append(out, c.Name+"("+string(c.Arguments)+")")
	}
	return strings.Join(out, " ")
}

// Arguments come out as they come in, not when all is there.
func TestPiecesArriveAsTheyCome(t *testing.T) {
	t.Parallel()
	_, events, err := wiretest.Stream(codec, strings.NewReader(wiretest.Read(t, "fixtures", "tool-call-partial-args-vertex", "stream.sse")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range events {
		if d, ok := ev.(chat.ToolCallDelta); ok {
			got = append(got, d.Arguments)
		}
	}
	if want := `{|"station":"Sorrel |Bar"|,"date":"2026-12-04"|}`; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

// Case C020: a call that was cut isn't sound, so it can't be run.
func TestACallThatWasCut(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]string{
		{piece("f", true)},
		{piece("f", true), piece("", true, `{"jsonPath":"$.a","stringValue":"fir","willContinue":true}`)},
		{piece("f", true), piece("", true, `{"jsonPath":"$.a.b[0]","numberValue":1}`)},
	} {
		r := decode(t, saying("MAX_TOKENS", parts...))
		if c := r.ToolCalls(); len(c) != 1 || c[0].Sound() || r.Finish != chat.FinishLength {
			t.Errorf("got %s, %s", calls(r), r.Finish)
		}
	}
}

func TestTokenOfACallInPieces(t *testing.T) {
	t.Parallel()
	first := `{"functionCall":{"id":"x","name":"f","willContinue":true}}`
	r := decode(t, saying("STOP", first, `{"functionCall":{"willContinue":true},"thoughtSignature":"t"}`, `{"functionCall":{},"thoughtSignature":"t"}`))
	if c := r.ToolCalls(); len(c) != 1 || c[0].ID != "x" || c[0].Signature != (chat.Signature{Kind: "thought_signature+id", Data: "t"}) {
		t.Errorf("got %+v", c)
	}
}

func TestPiecesThatMakeNoArguments(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"twice the same place":      {`{"jsonPath":"$.a","numberValue":1}`, `{"jsonPath":"$.a","numberValue":2}`},
		"back into a closed object": {`{"jsonPath":"$.a.b","numberValue":1}`, `{"jsonPath":"$.c","numberValue":2}`, `{"jsonPath":"$.a.d","numberValue":3}`},
		"inside a scalar":           {`{"jsonPath":"$.a","numberValue":1}`, `{"jsonPath":"$.a.b","numberValue":2}`},
		"an element left out":       {`{"jsonPath":"$.a[0]","numberValue":1}`, `{"jsonPath":"$.a[2]","numberValue":2}`},
		"a member of a list":        {`{"jsonPath":"$.a[0]","numberValue":1}`, `{"jsonPath":"$.a.b","numberValue":2}`},
		"the whole":                 {`{"jsonPath":"$","numberValue":1}`},
		"a list":                    {`{"jsonPath":"$[0]","numberValue":1}`},
		"no path":                   {`{"jsonPath":"a","numberValue":1}`},
		"a wildcard":                {`{"jsonPath":"$.a[*]","numberValue":1}`},
		"all below":                 {`{"jsonPath":"$..a","numberValue":1}`},
		"a bracket that is open":    {`{"jsonPath":"$.a[0","numberValue":1}`},
		"a quote that is open":      {`{"jsonPath":"$['a","numberValue":1}`},
		"a quote without a bracket": {`{"jsonPath":"$['a'","numberValue":1}`},
		"a number too large":        {`{"jsonPath":"$.a[99999999999999999999]","numberValue":1}`},
		"nested too deeply":         {`{"jsonPath":"$` + strings.Repeat(".a", 65) + `","numberValue":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, events, err := collect(t, saying("", piece("f", true)), saying("", piece("", true, args...)), saying("STOP", endCall))
			if !errors.Is(err, chat.ErrBadReply) || len(events) != 2 {
				t.Errorf("got %v, %d events", err, len(events))
			}
		})
	}
}
