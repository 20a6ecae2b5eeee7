package rawjson_test

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/rawjson"
)

const chunk = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"test-model",` +
	`"system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello \"you\""},` +
	`"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":3}}`

type delta struct {
	ID, Model, Content, Finish string
	Index, Prompt              int64
}

// readChunk reads a Chat Completions chunk the way a codec does.
func readChunk(s *rawjson.Scanner, data []byte) (d delta, err error) {
	s.Reset(data)
	for key := range s.Members() {
		switch string(key) {
		case "id":
			d.ID = s.Text()
		case "model":
			d.Model = s.Text()
		case "choices":
			readChoices(s, &d)
		case "usage":
			readUsage(s, &d)
		}
	}
	return d, s.End()
}

func readChoices(s *rawjson.Scanner, d *delta) {
	for range s.Elems() {
		for key := range s.Members() {
			switch string(key) {
			case "index":
				d.Index = s.Int()
			case "finish_reason":
				d.Finish = s.Text()
			case "delta":
				for key := range s.Members() {
					if string(key) == "content" {
						d.Content = s.Text()
					}
				}
			}
		}
	}
}

func readUsage(s *rawjson.Scanner, d *delta) {
	for key := range s.Members() {
		if string(key) == "prompt_tokens" {
			d.Prompt = s.Int()
		}
	}
}

func TestScannerReadsChunk(t *testing.T) {
	t.Parallel()
	want := delta{ID: "chatcmpl-1", Model: "test-model", Content: `Hello "you"`, Finish: "stop", Prompt: 12}
	for name, data := range map[string]string{
		"compact":  chunk,
		"indented": strings.NewReplacer(`{"`, "{\n\t\"", `,"`, " ,\r\n \"", `":`, `" : `).Replace(chunk) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s rawjson.Scanner
			got, err := readChunk(&s, []byte(data))
			if err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
}

// Every proper prefix of a document is an error, and every error sticks.
func TestScannerCutDocument(t *testing.T) {
	t.Parallel()
	for n := range len(chunk) {
		var s rawjson.Scanner
		if _, err := readChunk(&s, []byte(chunk[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d: %v, want io.ErrUnexpectedEOF", n, err)
		}
		first := s.Err()
		if s.Kind() != rawjson.Invalid || s.Bytes() != nil || s.Text() != "" || s.Int() != 0 || s.Bool() || s.Raw() != nil {
			t.Fatalf("cut at %d: something was read after the error", n)
		}
		for key := range s.Members() {
			t.Fatalf("cut at %d: the key %q was read after the error", n, key)
		}
		for range s.Elems() {
			t.Fatalf("cut at %d: an element was read after the error", n)
		}
		if s.Skip(); !errors.Is(s.End(), first) {
			t.Fatalf("cut at %d: the error changed to %v", n, s.End())
		}
	}
}

func TestScannerValues(t *testing.T) {
	t.Parallel()
	type read struct {
		text   string
		number int64
		isTrue bool
	}
	for _, tc := range []struct {
		in   string
		kind rawjson.Kind
		want read
	}{
		{`"abc"`, rawjson.String, read{text: "abc"}},
		{`""`, rawjson.String, read{}},
		{`"a\u00e9\n\/\"\\\b\f\r\t"`, rawjson.String, read{text: "aé\n/\"\\\b\f\r\t"}},
		{`"\ud83d\ude00\uD83D\uDE00"`, rawjson.String, read{text: "😀😀"}},
		{`"\ud83d"`, rawjson.String, read{text: "\ufffd"}},
		{`"\ud83dx\ude00"`, rawjson.String, read{text: "\ufffdx\ufffd"}},
		{`"\ud83d\u0041"`, rawjson.String, read{text: "\ufffdA"}},
		{"\"a\xffb\xe4\xb8\"", rawjson.String, read{text: "a\ufffdb\ufffd\ufffd"}},
		{"\"\xff\\n\"", rawjson.String, read{text: "\ufffd\n"}},
		{`"12"`, rawjson.String, read{"12", 12, false}},
		{`"1e2"`, rawjson.String, read{"1e2", 100, false}},
		{`"0x10"`, rawjson.String, read{text: "0x10"}},
		{`"NaN"`, rawjson.String, read{text: "NaN"}},
		{`"12 "`, rawjson.String, read{text: "12 "}},
		{`0`, rawjson.Number, read{"0", 0, false}},
		{`-7`, rawjson.Number, read{"-7", -7, false}},
		{`1e3`, rawjson.Number, read{"1e3", 1000, false}},
		{`3.0`, rawjson.Number, read{"3.0", 3, false}},
		{`-3.9`, rawjson.Number, read{"-3.9", -3, false}},
		{`9007199254740993`, rawjson.Number, read{"9007199254740993", 9007199254740993, false}},
		{`9223372036854775807`, rawjson.Number, read{"9223372036854775807", math.MaxInt64, false}},
		{`-9223372036854775808`, rawjson.Number, read{"-9223372036854775808", math.MinInt64, false}},
		{`9223372036854775808`, rawjson.Number, read{"9223372036854775808", math.MaxInt64, false}},
		{`-1e99`, rawjson.Number, read{"-1e99", math.MinInt64, false}},
		{`1e999`, rawjson.Number, read{"1e999", math.MaxInt64, false}},
		{`-1E+999`, rawjson.Number, read{"-1E+999", math.MinInt64, false}},
		{`1e-999`, rawjson.Number, read{"1e-999", 0, false}},
		{`true`, rawjson.Bool, read{text: "true", isTrue: true}},
		{`false`, rawjson.Bool, read{text: "false"}},
		{`null`, rawjson.Null, read{}},
		{`{"a":[1]}`, rawjson.Object, read{text: `{"a":[1]}`}},
		{`[1, 2]`, rawjson.Array, read{text: `[1, 2]`}},
	} {
		t.Run(tc.in, func(t *testing.T) {
			t.Parallel()
			s := func() *rawjson.Scanner { // each reader on a Scanner of its own
				s := new(rawjson.Scanner)
				s.Reset([]byte(" " + tc.in + "\r\n"))
				t.Cleanup(func() {
					if err := s.End(); err != nil {
						t.Errorf("End: %v", err)
					}
				})
				return s
			}
			kinds := s()
			if kinds.Kind() != tc.kind {
				t.Errorf("kind %v, want %v", kinds.Kind(), tc.kind)
			}
			if raw := string(kinds.Raw()); raw != tc.in {
				t.Errorf("Raw: %q", raw)
			}
			if got := (read{s().Text(), s().Int(), s().Bool()}); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestScannerBytesAlias(t *testing.T) {
	t.Parallel()
	data := []byte(`["plain","es\u0063aped",null]`)
	var s rawjson.Scanner
	s.Reset(data)
	for n := range s.Elems() {
		switch b := s.Bytes(); {
		case n == 0 && (&b[0] != &data[2] || cap(b) != len(b)):
			t.Error("a plain string does not alias the input")
		case n == 1 && string(b) != "escaped":
			t.Errorf("got %q", b)
		case n == 2 && b != nil:
			t.Error("null is not nil")
		}
	}
	if s.End() != nil {
		t.Errorf("end: %v", s.End())
	}
}

func TestScannerIsLenientAboutKinds(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`null`, `1`, `"x"`, `true`, `{"a":{"b":[]}}`, `[[],{}]`} {
		var s rawjson.Scanner
		s.Reset([]byte(`{"a":` + value + `,"b":2}`))
		var got []int64
		for key := range s.Members() {
			switch {
			case string(key) == "b":
				got = append(got, s.Int())
			case s.Kind() == rawjson.Object:
				for range s.Elems() {
					t.Errorf("%s has elements", value)
				}
			default:
				for range s.Members() {
					t.Errorf("%s has members", value)
				}
			}
		}
		if len(got) != 1 || got[0] != 2 || s.End() != nil {
			t.Errorf("%s: was not skipped: %v", value, s.Err())
		}
	}
}

func TestScannerDeliversKeysTwice(t *testing.T) {
	t.Parallel()
	var s rawjson.Scanner
	s.Reset([]byte(`{"a":1,"\u0061":2,"a":3}`))
	var got []int64
	for key := range s.Members() {
		if string(key) != "a" {
			t.Errorf("key %q", key)
		}
		got = append(got, s.Int())
	}
	if len(got) != 3 || got[2] != 3 || s.End() != nil {
		t.Errorf("got %v, %v", got, s.End())
	}
}

// documents holds what is easily got wrong, for tests and as seeds for fuzzing.
var documents = []string{
	chunk, ``, ` `, `null`, `nul`, `nulll`, `true `, `TRUE`, `tru`, `0`, `-0`, `-`, `01`, `1.`, `.5`, `+1`, `1.5e`,
	`1e+`, `1e+5`, `1E-05`, `-0.0e-0`, `1 2`, `""`, `"`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\uD800\uDBFF"`, "\"\x00\"",
	"\"a\tb\"", "\"\x7f\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"", `[]`, `[ ]`, `[`, `]`, `[,]`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `[1,2]]`,
	`{}`, `{ }`, `{`, `}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{"a":1]`, `{a:1}`, `{1:2}`, `{"a":1 "b":2}`,
	`{"a":1}{`, `[[[]]]`, `[[],[{}],{"":[]}]`, "\ufeff1", "\u00a01", "1\x00", `{"a":1,"a":"\u0061"}`, `[1e5,-2.5E+3,0.1]`,
	`"12345678\n12345678"`, `"1234567é"`, `"a/b\/c"`, "[1\v]", `//`, `/* */1`, `{"a":[{"b":[{"c":null}]}]}`,
}

func TestValidAgreesWithStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, doc := range documents {
		if got, want := rawjson.Valid([]byte(doc)), json.Valid([]byte(doc)); got != want {
			t.Errorf("%q: valid is %v, want %v", doc, got, want)
		}
	}
}

func TestDepthLimit(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	var s rawjson.Scanner
	s.Reset(nested(1000))
	if s.Skip(); s.End() != nil {
		t.Errorf("1,000 levels: %v", s.End())
	}
	s.Reset(nested(1001))
	if s.Skip(); !errors.Is(s.End(), rawjson.ErrDepth) {
		t.Errorf("1,001 levels skipped: %v", s.End())
	}
	s.Reset(nested(1001))
	entered := 0
	var enter func()
	enter = func() {
		for range s.Elems() {
			entered++
			enter()
		}
	}
	enter()
	if !errors.Is(s.Err(), rawjson.ErrDepth) || entered != 1000 {
		t.Errorf("1,001 levels entered: %d, %v", entered, s.Err())
	}
	s.Reset([]byte(strings.Repeat(`{"a":[`, 1<<20)))
	if s.Skip(); !errors.Is(s.End(), rawjson.ErrDepth) {
		t.Errorf("2 million levels: %v", s.End())
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	var s rawjson.Scanner
	s.Reset([]byte(`{"a": x}`))
	s.Skip()
	if err := s.End(); !errors.Is(err, rawjson.ErrSyntax) || err.Error() != "json: byte 6: invalid JSON" {
		t.Errorf("got %v", err)
	}
}

func TestScannerDoesNotAllocate(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	data, s := []byte(chunk), new(rawjson.Scanner)
	s.Reset([]byte(`"a\nb and some room"`))
	s.Bytes()
	if n := testing.AllocsPerRun(100, func() { skim(t, s, data) }); n != 0 {
		t.Errorf("%v allocations per chunk", n)
	}
}

// skim reads all values of a chunk without keeping any.
func skim(tb testing.TB, s *rawjson.Scanner, data []byte) {
	tb.Helper()
	s.Reset(data)
	skimValue(s)
	if err := s.End(); err != nil {
		tb.Fatal(err)
	}
}

func skimValue(s *rawjson.Scanner) {
	switch s.Kind() {
	case rawjson.Object:
		for range s.Members() {
			skimValue(s)
		}
	case rawjson.Array:
		for range s.Elems() {
			skimValue(s)
		}
	case rawjson.Number:
		s.Int()
	case rawjson.Invalid, rawjson.String, rawjson.Bool, rawjson.Null:
		s.Bytes()
	}
}

// What a loop doesn't read is skipped, and checked like what it reads.
func TestLoopsSkipWhatIsNotRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		json, keys string
		elems      int
	}{
		"empty object":    {json: `{}`},
		"empty array":     {json: ` [ ] `},
		"members":         {json: `{"a":1,"b":{"c":[2]} , "d" : "x"}`, keys: "a b d "},
		"elements":        {json: `[1,[2,3], {"a":4},null]`, elems: 4},
		"a scalar":        {json: `"x"`},
		"cut after colon": {json: `{"a":`, keys: "a "},
		"cut in a value":  {json: `{"a":[1,`, keys: "a "},
		"no value":        {json: `{"a":,"b":1}`, keys: "a "},
		"no element":      {json: `[1,,2]`, elems: 2},
		"broken value":    {json: `{"a":[1,}],"b":1}`, keys: "a "},
		"more behind it":  {json: `{"a":1}}`, keys: "a "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s, skipped rawjson.Scanner
			s.Reset([]byte(tt.json))
			var keys []byte
			elems := 0
			if s.Kind() == rawjson.Array {
				for n := range s.Elems() {
					if n != elems {
						t.Errorf("element %d is numbered %d", elems, n)
					}
					elems++
				}
			} else {
				for key := range s.Members() {
					keys = append(append(keys, key...), ' ')
				}
			}
			if string(keys) != tt.keys || elems != tt.elems {
				t.Errorf("keys %q, %d elements; want %q, %d", keys, elems, tt.keys, tt.elems)
			}
			skipped.Reset([]byte(tt.json))
			skipped.Skip()
			if err, want := s.End(), skipped.End(); (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
				t.Errorf("error %v, skipped at once: %v", err, want)
			}
		})
	}
}
