package rawjson_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/internal/rawjson"
)

var texts = []string{
	"", "plain", `quote " and \ slash`, "tab\tnew\nline\rbell\aback\bfeed\fzero\x00del\x7f\x1f", "<b>&amp;</b>",
	"早安 🐙 naïve", "\xff", "a\xe4\xb8b\xc0", "\ufffd", "\xef\xbf", "\xef\xbf\xbd\xef", "12345678\"12345678", strings.Repeat("long ", 100) + "\n",
	"\xed\xa0\x80", "1234567\x80", "1234567 8\x1f",
}

// standard is encoding/json without HTML escaping and with U+2028 and U+2029
// left alone, as ours are.
func standard(tb testing.TB, v any) string {
	tb.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		want := "x" + standard(t, text)
		if got := string(rawjson.AppendString([]byte("x"), text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if got := string(rawjson.AppendStringBytes([]byte("x"), []byte(text))); got != want {
			t.Errorf("%q as bytes: got %s, want %s", text, got, want)
		}
	}
	if got := string(rawjson.AppendString(nil, "a\u2028b\u2029")); got != "\"a\u2028b\u2029\"" {
		t.Errorf("line separators: %s", got)
	}
}

func TestAppendNumbers(t *testing.T) {
	t.Parallel()
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, -1.5, 0.1, 0.7, 1e-6, 9.9e-7, 1e-9, 1.5e-10, 1e-300, 1e20, 1e21, 123456789012345680000,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi, 1 << 53,
	} {
		if got, want := string(rawjson.AppendFloat(nil, f)), standard(t, f); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := string(rawjson.AppendFloat(nil, f)); got != "null" {
			t.Errorf("%v: got %s", f, got)
		}
	}
	if got := string(rawjson.AppendInt(nil, math.MinInt64)); got != "-9223372036854775808" {
		t.Errorf("got %s", got)
	}
	if got := string(rawjson.AppendBool(rawjson.AppendBool(nil, true), false)); got != "truefalse" {
		t.Errorf("got %s", got)
	}
}

func TestAppendCompact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"{}", "{}"},
		{" { } ", "{}"},
		{"{\n\t\"a b\" : [ 1 ,\r\n 2 ] }", `{"a b":[1,2]}`},
		{`{"a":" \" x \\" , "b":"\\"}`, `{"a":" \" x \\","b":"\\"}`},
		{`"12345678 12345678 "  `, `"12345678 12345678 "`},
		{"true", "true"},
		{"", ""},
		{"not\x00 \x01JSON \"", `notJSON"`},
		{`"cut\`, `"cut\`},
	} {
		if got := string(rawjson.AppendCompact([]byte("x"), []byte(tc.in))); got != "x"+tc.want {
			t.Errorf("%q: got %s, want x%s", tc.in, got, tc.want)
		}
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	w := rawjson.Writer{Buf: []byte("POST ")}
	w.Object()
	w.Key("a")
	w.Array()
	w.Int(1)
	w.Int64(-2)
	w.Float(0.5)
	w.Array()
	w.EndArray()
	w.Object()
	w.EndObject()
	w.EndArray()
	w.KeyString("b\"\n")
	w.String("x\ty")
	w.Key("c")
	w.Bool(true)
	w.Key("d")
	w.Null()
	w.Key("e")
	w.Raw([]byte(`{"k": 1}`))
	w.Key("f")
	w.Raw(nil)
	w.Key("g")
	w.Float(math.Inf(1))
	w.EndObject()
	const want = `POST {"a":[1,-2,0.5,[],{}],"b\"\n":"x\ty","c":true,"d":null,"e":{"k": 1},"f":null,"g":null}`
	if got := string(w.Buf); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWriterMembers(t *testing.T) {
	t.Parallel()
	var w rawjson.Writer
	w.Object()
	w.Str("a", "")
	w.StrIf("b", "")
	w.StrIf("c", "x\ny")
	w.Num("d", 0)
	w.NumIf("e", -1)
	w.NumIf("f", 2)
	w.Flag("g", false)
	w.JSON("h", []byte(`[1]`))
	w.JSON("i", nil)
	w.Obj("j")
	w.EndObject()
	w.List("k")
	w.String("x")
	w.EndArray()
	w.EndObject()
	if want := `{"a":"","c":"x\ny","d":0,"f":2,"g":false,"h":[1],"i":null,"j":{},"k":["x"]}`; string(w.Buf) != want {
		t.Errorf("got %s", w.Buf)
	}
}

func TestWriterFragments(t *testing.T) {
	t.Parallel()
	var w rawjson.Writer
	w.Key("a")
	w.Int(1)
	w.Key("b")
	w.Object()
	w.EndObject()
	if got := string(w.Buf); got != `"a":1,"b":{}` {
		t.Errorf("got %s", got)
	}
}

// All sequences that begin with a byte that starts or breaks a character, and
// go on with bytes at the edges, at every distance from a block of eight.
func TestValidUTF8(t *testing.T) {
	t.Parallel()
	edges := []byte{0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xED, 0xF4, 0xFF}
	check := func(s string) {
		if text, b := rawjson.ValidUTF8(s); text != utf8.ValidString(s) || b != text {
			t.Errorf("%q: valid is %v as text, %v as bytes", s, text, b)
		}
	}
	for first := 0x80; first <= 0xFF; first++ {
		for _, second := range edges {
			for _, third := range edges {
				for _, fourth := range edges {
					check(string([]byte{byte(first), second, third, fourth}))
				}
				check(string([]byte{byte(first), second, third}))
			}
			check(string([]byte{byte(first), second}))
		}
		for pad := range 18 {
			check(strings.Repeat("x", pad) + string([]byte{byte(first)}))
			check(strings.Repeat("x", pad) + string([]byte{byte(first), 0xBF}) + strings.Repeat("é", pad))
		}
	}
}
