package schema_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sabir-go/sabir/tools/schema"
)

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
