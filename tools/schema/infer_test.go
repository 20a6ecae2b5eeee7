package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sabir-go/sabir/tools/schema"
)

type unit string

func (unit) Enum() []string { return []string{"celsius", "fahrenheit"} }

type level int

func (l *level) UnmarshalText([]byte) error { return nil }

func (l level) MarshalText() ([]byte, error) { return []byte("high"), nil }

type opaque struct{ hidden int }

func (o *opaque) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &o.hidden) }

type base struct {
	ID   int64  `json:"id"`
	Note string `json:"note,omitempty"`
}

type Shadow struct {
	ID    string `json:"id"`
	Extra bool   `json:"extra"`
}

type left struct{ Clash, Left int }

type tagged struct {
	Other string `json:"Left"`
}

type right struct{ Clash, Right int }

type tree[T any] struct {
	Value T          `json:"value"`
	Kids  []tree[T]  `json:"kids,omitempty" jsonschema:"what hangs below"`
	Up    *tree[T]   `json:"up"`
	By    *tree[int] `json:"by,omitzero"`
}

type list []list

type ping struct{ Pong *pong }

type pong struct{ Ping *ping }

const closed = `"additionalProperties":false}`

func TestFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   func() (json.RawMessage, error)
		want string
	}{
		{"no fields", schema.For[struct{}], `{"type":"object","properties":{},` + closed},
		{"pointer", schema.For[*struct{}], `{"type":"object","properties":{},` + closed},
		{"any", schema.For[any], `{}`},
		{"list", schema.For[[]string], `{"type":"array","items":{"type":"string"}}`},
		{"array", schema.For[[2]bool], `{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}`},
		{"map", schema.For[map[string]float64], `{"type":"object","additionalProperties":{"type":"number"}}`},
		{"map by number", schema.For[map[int]any], `{"type":"object","additionalProperties":true}`},
		{
			"names, order, requiredness",
			schema.For[struct {
				Zip    string `json:"zip" jsonschema:"postal code"`
				Area   *int   `json:"area"`
				Floor  *int   `json:"floor,omitempty"`
				Plain  string
				Hidden string `json:"-"`
				Dash   string `json:"-,"` //nolint:staticcheck // a property called -
				lower  string
				Zero   uint16 `json:"zero,omitzero"`
				Quoted int    `json:"quoted,string"`
			}],
			`{"type":"object","properties":{"zip":{"type":"string","description":"postal code"},` +
				`"area":{"type":["integer","null"]},"floor":{"type":"integer"},"Plain":{"type":"string"},"-":{"type":"string"},` +
				`"zero":{"type":"integer","minimum":0,"maximum":65535},"quoted":{"type":"string"}},` +
				`"required":["zip","area","Plain","-","quoted"],` + closed,
		},
		{
			"special types",
			schema.For[struct {
				T time.Time       `json:"t"`
				B []byte          `json:"b"`
				R json.RawMessage `json:"r" jsonschema:"anything"`
				N json.Number     `json:"n"`
				L level           `json:"l"`
				I *big.Int        `json:"i"`
				O opaque          `json:"o"`
				A any             `json:"a"`
			}],
			`{"type":"object","properties":{"t":{"type":"string","format":"date-time"},` +
				`"b":{"type":"string","contentEncoding":"base64"},"r":{"description":"anything"},"n":{"type":"number"},` +
				`"l":{"type":"string"},"i":{"type":["integer","null"]},"o":{},"a":{}},"required":["t","b","r","n","l","i","o","a"],` + closed,
		},
		{
			"enums",
			schema.For[struct {
				S string   `json:"s" enum:"a, b"`
				N int      `json:"n" enum:"1,9007199254740993"`
				L []string `json:"l" enum:"x"`
				P *string  `json:"p" enum:"y"`
				U unit     `json:"u,omitempty"`
				Q *unit    `json:"q"`
				M []unit   `json:"m"`
			}],
			`{"type":"object","properties":{"s":{"type":"string","enum":["a","b"]},"n":{"type":"integer","enum":[1,9007199254740993]},` +
				`"l":{"type":"array","items":{"type":"string","enum":["x"]}},"p":{"type":["string","null"],"enum":["y",null]},` +
				`"u":{"type":"string","enum":["celsius","fahrenheit"]},"q":{"type":["string","null"],"enum":["celsius","fahrenheit",null]},` +
				`"m":{"type":"array","items":{"type":"string","enum":["celsius","fahrenheit"]}}},` +
				`"required":["s","n","l","p","q","m"],` + closed,
		},
		{
			"embedded",
			schema.For[struct {
				base
				*Shadow
				Named base `json:"named"`
			}],
			`{"type":"object","properties":{"note":{"type":"string"},"extra":{"type":"boolean"},` +
				`"named":{"type":"object","properties":{"id":{"type":"integer"},"note":{"type":"string"}},"required":["id"],` + closed +
				`},"required":["extra","named"],` + closed,
		},
		{
			"ambiguous and shadowed names",
			schema.For[struct {
				left
				right
				Left string
			}],
			`{"type":"object","properties":{"Right":{"type":"integer"},"Left":{"type":"string"}},"required":["Right","Left"],` + closed,
		},
		{
			"a tag settles a tie",
			schema.For[struct {
				left
				tagged
			}],
			`{"type":"object","properties":{"Clash":{"type":"integer"},"Left":{"type":"string"}},"required":["Clash","Left"],` + closed,
		},
		{
			"recursive root",
			schema.For[list],
			`{"type":"array","items":{"$ref":"#/$defs/list"},"$defs":{"list":{"type":"array","items":{"$ref":"#/$defs/list"}}}}`,
		},
		{
			"recursion through two types",
			schema.For[pong],
			`{"type":"object","properties":{"Ping":{"type":["object","null"],"properties":{"Pong":{"anyOf":[{"$ref":"#/$defs/pong"},{"type":"null"}]}},` +
				`"required":["Pong"],` + closed + `},"$defs":{"pong":{"type":"object","properties":{"Ping":{"type":["object","null"],` +
				`"properties":{"Pong":{"anyOf":[{"$ref":"#/$defs/pong"},{"type":"null"}]}},"required":["Pong"],` + closed +
				`},"required":["Ping"],` + closed + `},"required":["Ping"],` + closed,
		},
		{
			"generic and recursive",
			schema.For[struct {
				Root tree[int] `json:"root"`
			}],
			`{"type":"object","properties":{"root":{"$ref":"#/$defs/tree_int"}},` +
				`"$defs":{"tree_int":{"type":"object","properties":{"value":{"type":"integer"},` +
				`"kids":{"type":"array","items":{"$ref":"#/$defs/tree_int"},"description":"what hangs below"},` +
				`"up":{"anyOf":[{"$ref":"#/$defs/tree_int"},{"type":"null"}]},"by":{"$ref":"#/$defs/tree_int"}},` +
				`"required":["value","up"],` + closed + `},"required":["root"],` + closed,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.of()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if _, err := schema.Compile(got); err != nil {
				t.Errorf("does not compile: %v", err)
			}
			if again, _ := tt.of(); !bytes.Equal(again, got) {
				t.Errorf("then %s", again)
			}
		})
	}
}

func TestForRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   func() (json.RawMessage, error)
		want string
	}{
		{"function", schema.For[struct{ F func() }], "field F: type func() has no JSON form"},
		{"nested channel", schema.For[struct{ A []struct{ C chan int } }], "field A: field C: type chan int"},
		{"complex", schema.For[complex64], "complex64"},
		{"interface", schema.For[struct{ S fmt.Stringer }], "an interface can't be decoded"},
		{"map keys", schema.For[map[bool]int], "keys can't be names"},
		{"keywords in the description", schema.For[struct {
			A string `jsonschema:"required,description=x"`
		}], "it is the description alone"},
		{"enum of booleans", schema.For[struct {
			A bool `enum:"true"`
		}], "only strings, numbers and lists of them"},
		{"enum that is no number", schema.For[struct {
			A int `enum:"1,two"`
		}], `"two" is no number`},
		{"inside a recursive type", schema.For[struct{ T tree[func()] }], "field T: field Value: type func()"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.of()
			wantErr(t, err, tt.want)
			if got != nil {
				t.Errorf("a schema beside the error: %s", got)
			}
		})
	}
}

// TestForAgreesWithEncodingJSON: what encoding/json writes fits the schema.
func TestForAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	fits(t, tree[int]{Value: 1, Kids: []tree[int]{{Value: 2}}, Up: &tree[int]{}})
	fits(t, struct {
		base
		*Shadow
	}{base{1, "n"}, &Shadow{"i", true}})
	fits(t, mixed{base: base{ID: 1}, right: right{3, 4}})
	fits(t, struct {
		left
		right
	}{left{1, 2}, right{3, 4}})
	fits(t, struct {
		T time.Time
		B []byte
		M map[int]bool
		P *int
		Q int `json:",string"`
		U unit
		L level
		A [2]int8
	}{time.Unix(0, 0), []byte("x"), map[int]bool{7: true}, nil, 5, "celsius", 1, [2]int8{-128, 127}})
}

func fits[T any](t *testing.T, value T) {
	t.Helper()
	raw, err := schema.For[T]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Validate(text); err != nil {
		t.Errorf("%s against %s: %v", text, raw, err)
	}
}

// TestForAgreesWithTheLibrary compares with jsonschema-go's own inference on
// what both do alike.
func TestForAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	type plain struct {
		base
		Name  string             `json:"name" jsonschema:"what it is called"`
		Size  float32            `json:"size,omitempty"`
		Tiny  int8               `json:"tiny"`
		Free  map[string]float64 `json:"free"`
		Three [3]string          `json:"three"`
		Where struct{ X, Y int } `json:"where"`
		Maybe *bool              `json:"maybe"`
	}
	ours, err := schema.For[plain]()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := jsonschema.For[plain](nil)
	if err != nil {
		t.Fatal(err)
	}
	theirs.Properties["maybe"].Types = []string{"boolean", "null"} // the order is a matter of taste
	want, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, want) {
		t.Errorf("ours   %s\ntheirs %s", ours, want)
	}
}

type pair[A, B any] struct {
	First  A `json:"first"`
	Second B `json:"second,omitempty"`
}

type folder struct {
	Name    string             `json:"name"`
	Folders map[string]*folder `json:"folders,omitempty"`
	Parent  **folder           `json:"parent,omitempty"`
}

type names map[level][]unit

// mixed embeds under a name and without one.
type mixed struct {
	base  `json:"base"`
	count `json:"count"` //nolint:unused // encoding/json leaves it out
	right
}

type count int //nolint:unused // as above

// spoken has the methods of what it embeds, and so its JSON form.
type spoken struct {
	level
	Extra int
}

func TestForNestedTypes(t *testing.T) {
	t.Parallel()
	const (
		folderBody = `{"type":"object","properties":{"name":{"type":"string"},` +
			`"folders":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/$defs/folder"},{"type":"null"}]}},` +
			`"parent":{"anyOf":[{"$ref":"#/$defs/folder"},{"type":"null"}]}}`
		folderRest = `"required":["name"],` + closed
	)
	tests := []struct {
		name string
		of   func() (json.RawMessage, error)
		want string
	}{
		{
			"recursion through a map and pointers", schema.For[folder],
			folderBody + `,"$defs":{"folder":` + folderBody + `,` + folderRest + `},` + folderRest,
		},
		{
			"generic of two types", schema.For[pair[time.Time, *pair[json.RawMessage, []unit]]],
			`{"type":"object","properties":{"first":{"type":"string","format":"date-time"},"second":{"type":"object","properties":{` +
				`"first":{},"second":{"type":"array","items":{"type":"string","enum":["celsius","fahrenheit"]}}},"required":["first"],` + closed + `},` +
				`"required":["first"],` + closed,
		},
		{
			"named map, keys from text", schema.For[names],
			`{"type":"object","additionalProperties":{"type":"array","items":{"type":"string","enum":["celsius","fahrenheit"]}}}`,
		},
		{
			"a generic type of itself", schema.For[tree[tree[int]]],
			`{"type":"object","properties":{"value":{"$ref":"#/$defs/tree_int"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree_tree_int_"},"description":"what hangs below"},` +
				`"up":{"anyOf":[{"$ref":"#/$defs/tree_tree_int_"},{"type":"null"}]},"by":{"$ref":"#/$defs/tree_int"}},` +
				`"$defs":{"tree_int":{"type":"object","properties":{"value":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree_int"},"description":"what hangs below"},` +
				`"up":{"anyOf":[{"$ref":"#/$defs/tree_int"},{"type":"null"}]},"by":{"$ref":"#/$defs/tree_int"}},"required":["value","up"],` + closed + `,` +
				`"tree_tree_int_":{"type":"object","properties":{"value":{"$ref":"#/$defs/tree_int"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree_tree_int_"},"description":"what hangs below"},` +
				`"up":{"anyOf":[{"$ref":"#/$defs/tree_tree_int_"},{"type":"null"}]},"by":{"$ref":"#/$defs/tree_int"}},"required":["value","up"],` + closed + `},"required":["value","up"],` + closed,
		},
		{
			"embedded with and without a name", schema.For[mixed],
			`{"type":"object","properties":{"base":{"type":"object","properties":{"id":{"type":"integer"},"note":{"type":"string"}},"required":["id"],` + closed +
				`,"Clash":{"type":"integer"},"Right":{"type":"integer"}},"required":["base","Clash","Right"],` + closed,
		},
		{"methods of what it embeds", schema.For[spoken], `{"type":"string"}`},
		{"time in a list", schema.For[[]*time.Time], `{"type":"array","items":{"type":["string","null"],"format":"date-time"}}`},
		{"a span of time", schema.For[time.Duration], `{"type":"integer"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.of()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if _, err := schema.Compile(got); err != nil {
				t.Errorf("does not compile: %v", err)
			}
		})
	}
}

// TestGoTypesAdapt: what Go types become is at home on every wire that can
// say it.
func TestGoTypesAdapt(t *testing.T) {
	t.Parallel()
	type address struct {
		Street string  `json:"street"`
		Zip    *string `json:"zip"`
	}
	type person struct {
		base
		Name  string    `json:"name" jsonschema:"full name"`
		Born  time.Time `json:"born"`
		Home  address   `json:"home"`
		Works []address `json:"works,omitempty"`
		Unit  unit      `json:"unit"`
		Rank  int       `json:"rank,omitempty" enum:"1,2,3"`
	}
	raw := must(schema.For[person]())
	for name, target := range targets {
		out, err := schema.Adapt(target, raw)
		if err != nil || !out.Strict {
			t.Errorf("%s: %v, %q", name, err, out.Notes)
		}
		if why := refusal(target, out.Schema); why != "" {
			t.Errorf("%s: %s: %s", name, out.Schema, why)
		}
		if len(out.Notes) > 0 {
			t.Errorf("%s: %q", name, out.Notes)
		}
	}
}
