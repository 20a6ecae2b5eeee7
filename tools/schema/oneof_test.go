package schema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

type circle struct {
	Radius float64 `json:"radius"`
	Note   string  `json:"note,omitempty"`
}

type group struct {
	Shapes []shape `json:"shapes"`
}

// shape contains itself.
type shape struct {
	schema.OneOf
	Circle *circle `json:"circle,omitempty" jsonschema:"a round one"`
	Color  *string `json:"color,omitempty" enum:"red,blue"`
	Group  *group  `json:"group,omitempty"`
}

type choice struct {
	schema.OneOf
	Yes *bool     `json:"yes,omitzero"`
	No  *[]string `json:"no,omitempty" jsonschema:"why not"`
}

func TestForUnion(t *testing.T) {
	t.Parallel()
	const (
		yes    = `"yes":{"type":"boolean"}`
		no     = `"no":{"type":"array","items":{"type":"string"},"description":"why not"}`
		either = `{"type":"object","properties":{` + yes + `},"required":["yes"],` + closed + `,` +
			`{"type":"object","properties":{` + no + `},"required":["no"],` + closed
		round  = `"circle":{"type":"object","properties":{"radius":{"type":"number"},"note":{"type":"string"}},"required":["radius"],"additionalProperties":false,"description":"a round one"}`
		color  = `"color":{"type":"string","enum":["red","blue"]}`
		shapes = `"group":{"type":"object","properties":{"shapes":{"type":"array","items":{"$ref":"#/$defs/shape"}}},"required":["shapes"],` + closed
		anyOf  = `{"anyOf":[{"type":"object","properties":{` + round + `},"required":["circle"],` + closed +
			`,{"type":"object","properties":{` + color + `},"required":["color"],` + closed +
			`,{"type":"object","properties":{` + shapes + `},"required":["group"],` + closed + `]`
	)
	for _, tc := range []struct {
		name string
		of   func() (json.RawMessage, error)
		want string
	}{
		{"root", schema.For[choice], `{"anyOf":[` + either + `]}`},
		{"pointer to it", schema.For[*choice], `{"anyOf":[` + either + `]}`},
		{"list", schema.For[[]choice], `{"type":"array","items":{"anyOf":[` + either + `]}}`},
		{
			"or null", schema.For[struct {
				C *choice `json:"c" jsonschema:"d"`
			}],
			`{"type":"object","properties":{"c":{"description":"d","anyOf":[` + either + `,{"type":"null"}]}},"required":["c"],` + closed,
		},
		{
			"by a pointer", schema.For[struct {
				*schema.OneOf
				Yes *bool     `json:"yes,omitempty"`
				No  *[]string `json:"no,omitempty" jsonschema:"why not"`
			}],
			`{"anyOf":[` + either + `]}`,
		},
		{"recursive", schema.For[shape], anyOf + `,"$defs":{"shape":` + anyOf + `}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.of()
			if err != nil {
				t.Fatal(err)
			}
			if !equalJSON(t, got, tc.want) {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if union := !strings.HasPrefix(string(got), `{"type"`); schema.IsUnion(got) != union || schema.IsObject(got) && union {
				t.Errorf("is a union: %v", !union)
			}
			if _, err := schema.Compile(got); err != nil {
				t.Errorf("does not compile: %v", err)
			}
		})
	}
}

func equalJSON(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}

func TestForUnionRefuses(t *testing.T) {
	t.Parallel()
	type lent struct {
		choice
		Note string `json:"note"`
	}
	for _, tc := range []struct {
		name string
		of   func() (json.RawMessage, error)
		want string
	}{
		{"no pointer", schema.For[struct {
			schema.OneOf
			A int `json:"a,omitempty"`
		}], "field A: an alternative must be a pointer with omitempty"},
		{"always written", schema.For[struct {
			schema.OneOf
			A *int `json:"a"`
		}], "field A: an alternative must be a pointer with omitempty"},
		{"empty", schema.For[struct{ schema.OneOf }], "a union without alternatives"},
		{"a field inside", schema.For[struct {
			schema.OneOf
			A *func() `json:"a,omitempty"`
		}], "field A: type func()"},
		{"embedded", schema.For[struct {
			choice
			Note string `json:"note"`
		}], "the union schema_test.choice can't be embedded"},
		{"embedded twice over", schema.For[struct {
			lent
			More string `json:"more"`
		}], "can't be embedded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := tc.of()
			wantErr(t, err, tc.want)
		})
	}
	if _, err := schema.For[struct {
		choice `json:"choice"`
		Note   string `json:"note"`
	}](); err != nil {
		t.Errorf("embedded under a name: %v", err)
	}
}

// TestUnionIsChecked: exactly one alternative is there, and what is wrong is
// told about the one that was meant.
func TestUnionIsChecked(t *testing.T) {
	t.Parallel()
	raw, err := schema.For[shape]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	const none = `fits none of the 3 alternatives ({"circle": …}, {"color": …}, {"group": …})`
	for _, tc := range []struct{ name, value, want string }{
		{"one", `{"circle":{"radius":1}}`, ""},
		{"a scalar", `{"color":"red"}`, ""},
		{"nested", `{"group":{"shapes":[{"color":"red"},{"group":{"shapes":[]}}]}}`, ""},
		{"none", `{}`, none},
		{"two", `{"circle":{"radius":1},"color":"red"}`, none},
		{"unknown", `{"square":1}`, none},
		{"inside the one", `{"circle":{"radius":"x"}}`, "circle.radius: must be a number"},
		{"inside a scalar", `{"color":"green"}`, `color: must be one of`},
		{"deep inside", `{"group":{"shapes":[{"circle":{}}]}}`, "group.shapes[0].circle.radius: is required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			switch err := v.Validate(json.RawMessage(tc.value)); {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

// TestUnionOnEveryWire: each wire has a form for a union, which takes what the
// union takes.
func TestUnionOnEveryWire(t *testing.T) {
	t.Parallel()
	union, err := schema.For[choice]()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := schema.Wrap("answer", union)
	if err != nil {
		t.Fatal(err)
	}
	for target := schema.OpenAI; target <= schema.Cohere; target++ {
		out, err := schema.Adapt(target, whole)
		if err != nil || refusal(target, out.Schema) != "" {
			t.Errorf("target %d: %s, %v", target, out.Schema, err)
		}
		if len(out.Notes) > 0 {
			t.Errorf("target %d: not all of a union is enforced: %q", target, out.Notes)
		}
	}
}

// TestDropNullsInUnion: the alternative that was meant decides what may be null.
func TestDropNullsInUnion(t *testing.T) {
	t.Parallel()
	raw, err := schema.For[[]shape]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.DropNulls(raw, json.RawMessage(`[{"group":{"shapes":[{"circle":{"radius":1,"note":null}}]}},{"circle":{"note":null}}]`))
	if want := `[{"group":{"shapes":[{"circle":{"radius":1}}]}},{"circle":{}}]`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func ExampleOneOf() {
	type castle struct {
		Year int `json:"year"`
	}
	type finding struct {
		schema.OneOf
		Castle  *castle `json:"castle,omitempty"`
		Nothing *string `json:"nothing,omitempty" jsonschema:"why there is none"`
	}
	var f finding
	if err := json.Unmarshal([]byte(`{"castle":{"year":1180}}`), &f); err != nil {
		fmt.Println(err)
		return
	}
	switch {
	case f.Castle != nil:
		fmt.Println("built in", f.Castle.Year)
	case f.Nothing != nil:
		fmt.Println("nothing:", *f.Nothing)
	}
	// Output: built in 1180
}
