package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/rawjson"
)

func TestLoose(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		// The whole text.
		{"object", `{"a":1}`, `{"a":1}`},
		{"white space", " \n{\"a\": 1}\t\n", `{"a": 1}`},
		{"byte order mark", "\ufeff{\"a\":1}", `{"a":1}`},
		{"number", " 42\n", `42`},
		{"string", `"yes"`, `"yes"`},
		{"null", `null`, `null`},
		{"array of objects", `[{"a":1},{"b":2}]`, `[{"a":1},{"b":2}]`},
		{"string with braces", `"{} [1]"`, `"{} [1]"`},

		// The text begins with it.
		{"two objects", `{"a":1} {"b":2}`, `{"a":1}`},
		{"two objects in lines", "{\"a\":1}\n{\"b\":2}", `{"a":1}`},
		{"object before a block", "{\"a\":1}\n```json\n{\"b\":2}\n```", `{"a":1}`},
		{"array before a block", "[1] says:\n```json\n{\"b\":2}\n```", `{"b":2}`},

		// Fenced blocks.
		{"block", "```json\n{\"a\":1}\n```", `{"a":1}`},
		{"block without info", "```\n{\"a\":1}\n```\n", `{"a":1}`},
		{"block of tildes", "~~~ json5 `x`\n{\"a\":1}\n~~~", `{"a":1}`},
		{"carriage returns", "```json\r\n{\"a\":1}\r\n```\r\n", `{"a":1}`},
		{"fences inside strings", "```json\n{\"facts\":[\"prefers ```json blocks\",\"and closes them with ```\"]}\n```\n", "{\"facts\":[\"prefers ```json blocks\",\"and closes them with ```\"]}"},
		{"prose around a block", "Sure {here}:\n```json\n{\"a\":1}\n```\nHope it [helps].", `{"a":1}`},
		{"object before a block in prose", "With {\"x\":1} I get:\n```json\n{\"a\":1}\n```", `{"a":1}`},
		{"indented block", "- so:\n  ```json\n  {\"a\":1}\n  ```", `{"a":1}`},
		{"long fence", "````md\n```json\n{\"a\":1}\n```\n````", `{"a":1}`},
		{"second block", "```sh\necho hi\n```\nand\n```json\n{\"a\":1}\n```", `{"a":1}`},
		{"closing fence opens nothing", "```sh\necho hi\n```\n[1] says {\"a\":1}", `{"a":1}`},
		{"block not closed", "```json\n{\"a\":1}\n", `{"a":1}`},
		{"closed on the same line", "```json\n{\"a\":1}```", `{"a":1}`},
		{"all on one line", "```json {\"a\":1} ```", `{"a":1}`},
		{"scalar in a block", "```json\n42\n```", `42`},
		{"scalar in a block in prose", "It is\n```json\n42\n```", ``},
		{"array in a block", "{x}\n```json\n[1,2]\n```", `[1,2]`},
		{"comment in a block", "```json\n// yes\n{\"a\":1}\n```", `{"a":1}`},
		{"cut block", "```json\n{\"a\":{\"b\":1},\n```", ``},

		// Prose.
		{"prose", `The answer is {"a":1}, I think.`, `{"a":1}`},
		{"no ascii", `Die Lösung → {"größe":"早安 🐙"} ✓`, `{"größe":"早安 🐙"}`},
		{"object after a citation", `As [1] says, {"a":[1]}.`, `{"a":[1]}`},
		{"array of objects in prose", `Here: [{"a":1},{"b":2}].`, `[{"a":1},{"b":2}]`},
		{"array alone", `See [1] and [2].`, `[1]`},
		{"stray braces before", `} ] { x [y { {"a":1}`, `{"a":1}`},
		{"stray braces after", `so {"a":1} } ] { [`, `{"a":1}`},
		{"quoted brace before", `The char "{" opens: {"a":1}`, `{"a":1}`},
		{"quoted brackets before", `"[" and "{" open: {"a":"b"}`, `{"a":"b"}`},
		{"words in braces", `Use {name} and {"a": b} or {"a":"b"}`, `{"a":"b"}`},
		{"object in a broken string", `see {"foo {"a":1} bar"`, `{"a":1}`},
		{"object inside a string", `see {"x":"an {} inside"} there`, `{"x":"an {} inside"}`},
		{"object inside a string of an array", `see ["an {} inside"] there`, `["an {} inside"]`},
		{"escapes", `x {"a":"\"}{\u00e9\\","b":[-1.5e+3,0,true,false,null,10.25]} y`, `{"a":"\"}{\u00e9\\","b":[-1.5e+3,0,true,false,null,10.25]}`},
		{"bad escape", `x {"a":"\q"} {"a":"\u00g0"} {"b":2}`, `{"b":2}`},
		{"line break in a string", "x {\"a\":\"\n\"} {\"b\":2}", `{"b":2}`},
		{"bad numbers", `x {"a":01} {"a":1.} {"a":-} {"a":1e} {"a":+1} {"b":0}`, `{"b":0}`},
		{"bad words", `x {"a":nul} {"a":trux} {"b":null}`, `{"b":null}`},
		{"trailing commas", `x {"a":1,} [1,] {"b":1}`, `{"b":1}`},
		{"mixed brackets", `x {"a":[1}} [{"a":1]] {"b":1}`, `{"b":1}`},
		{"no comma", `x {"a":1 "b":2} {"a" 1} {"b":1}`, `{"b":1}`},

		// Nothing, and pieces that are not the answer.
		{"empty", ``, ``},
		{"white space only", " \n ", ``},
		{"words", `I don't know.`, ``},
		{"scalar in prose", `It is 42.`, ``},
		{"cut object", `{"person":{"name":"x"},"items":[{"a":1}`, ``},
		{"cut object in prose", `Sure: {"person":{"name":"x"},"items":[`, ``},
		{"cut in a string", `Sure: {"a":"x {} y`, ``},
		{"cut array", `[{"a":1},{"b":`, ``},
		{"piece of a broken object", `{"a":{"b":1},oops}`, ``},
		{"open braces", `{{{{`, ``},
		{"fence only", "```", ``},
		{"empty block", "```\n```", ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := rawjson.Loose(tc.in)
			if string(got) != tc.want || ok != (tc.want != "") {
				t.Errorf("Loose(%q) = %s, %v; want %s", tc.in, got, ok, tc.want)
			}
		})
	}
}

// adversarial holds pieces which, repeated, make careless finders quadratic.
var adversarial = []string{
	`{`, `[`, `}`, `]`, `"`, `\`, `{"`, `["`, `{"a":`, `{[`, `[{`, `{"a":[`, `{"a":{"b":"`, `{"{`, `{"a{":"{`, `["{`, `{"[`, `[[],`,
	`{"a":1,`, `{}`, `[]`, `[1]`, `{"a":1} `, `{ `, "{\n", `{"\"`, `["\u007b`, "```", "```\n", "~~~\n[", "```json\n{\"a\":1,\n", "```\n\n~~~~\n",
	"\n```x", "é{", "\xff{", "早[", `{"a":"{\"a\":`, `[0,`, `[-`, `{"a":t`, `["]","[`,
}

// Each byte is looked at a bounded number of times: once by the leading value,
// twice for fenced blocks and three times by the search.
func TestLooseIsLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range adversarial {
		for _, tail := range []string{``, `}`, `"`, `{"a":1}`, "\n```\n"} {
			for n := 1 << 10; n <= 1<<14; n *= 2 {
				text := strings.Repeat(piece, n/len(piece)) + tail
				if steps := rawjson.LooseSteps(text); steps > 6*len(text)+16 {
					t.Errorf("%q: %d steps for %d bytes", piece, steps, len(text))
				}
				if steps := rawjson.SearchSteps(text); steps > 3*len(text) {
					t.Errorf("%q: the search takes %d steps for %d bytes", piece, steps, len(text))
				}
			}
		}
	}
}

func TestLooseOnTenMegabytes(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{`{`, `[`, `{"a":`, `{[`, `{"{`} {
		if got, ok := rawjson.Loose(strings.Repeat(piece, 10<<20/len(piece))); ok {
			t.Errorf("%q: found %.20s", piece, got)
		}
	}
}

// A valid object is found in harmless prose and comes back unchanged.
func TestLooseFindsPlantedObject(t *testing.T) {
	t.Parallel()
	for _, doc := range documents {
		planted := `{"v":` + doc + `}`
		if !json.Valid([]byte(planted)) {
			continue
		}
		for _, around := range [][2]string{{"", ""}, {"so: ", " ok?"}, {"early\n```json\n", "\n```\nend"}, {"[1], ", " [2]"}} {
			if got, ok := rawjson.Loose(around[0] + planted + around[1]); !ok || string(got) != planted {
				t.Errorf("%q in %q: got %s", planted, around, got)
			}
		}
	}
}
