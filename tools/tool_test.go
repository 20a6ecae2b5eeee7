package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/schema"
)

type none struct{}

// returning is a tool that gives back out.
func returning[T any](out T) tools.Tool {
	return tools.New("t", "test tool", func(context.Context, none) (T, error) { return out, nil })
}

func call(name, args string) chat.ToolCall {
	return chat.ToolCall{ID: "c1", Name: name, Arguments: json.RawMessage(args)}
}

func TestResults(t *testing.T) {
	t.Parallel()
	image := chat.Image{MediaType: "image/png", Data: []byte{1}}
	tests := []struct {
		name string
		tool tools.Tool
		want chat.ToolResult
	}{
		{"text", returning("a <b>"), chat.TextResult("c1", "a <b>")},
		{"empty text", returning(""), chat.TextResult("c1", "")},
		{"struct", returning(struct {
			A string `json:"a"`
		}{"<&>"}), chat.TextResult("c1", `{"a":"<&>"}`)},
		{"number", returning(int64(9007199254740993)), chat.TextResult("c1", "9007199254740993")},
		{"raw JSON", returning(json.RawMessage(`{"b": 1}`)), chat.TextResult("c1", `{"b": 1}`)},
		{"nil", returning[any](nil), chat.TextResult("c1", "null")},
		{"nil result", returning[*chat.ToolResult](nil), chat.TextResult("c1", "null")},
		{"part", returning(image), chat.ToolResult{CallID: "c1", Parts: []chat.Part{image}}},
		{"part in an interface", returning[chat.Part](image), chat.ToolResult{CallID: "c1", Parts: []chat.Part{image}}},
		{"parts", returning([]chat.Part{chat.Text{Text: "x"}, image}), chat.ToolResult{CallID: "c1", Parts: []chat.Part{chat.Text{Text: "x"}, image}}},
		{"result", returning(chat.ErrorResult("other", "no")), chat.ErrorResult("c1", "no")},
		{"pointer to a result", returning(&chat.ToolResult{IsError: true}), chat.ToolResult{CallID: "c1", IsError: true}},
		{"part of a model", returning(chat.Thinking{Text: "hm"}), chat.ErrorResult("c1", "result: a tool can't return chat.Thinking as a part")},
		{"part of a model in a result", returning(chat.ToolResult{Parts: []chat.Part{chat.ToolCall{}}}), chat.ErrorResult("c1", "result: a tool can't return chat.ToolCall as a part")},
		{"nil part in a result", returning(&chat.ToolResult{Parts: []chat.Part{nil}}), chat.ErrorResult("c1", "result: a part is <nil>")},
		{"nil part", returning([]chat.Part{nil}), chat.ErrorResult("c1", "result: a part is <nil>")},
		{"no JSON", returning(func() {}), chat.ErrorResult("c1", "result: json: unsupported type: func()")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.Name = "t"
			got := tools.NewSet(tt.tool).Call(t.Context(), call("t", "{}"))
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

type trip struct {
	City string `json:"city" jsonschema:"where to"`
	Days int    `json:"days,omitempty"`
	Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
	Free any    `json:"free,omitempty"`
}

func TestArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args string
		want       trip
		wantErr    string
	}{
		{"all", `{"city":"Gent","days":3,"unit":"celsius"}`, trip{"Gent", 3, "celsius", nil}, ""},
		{"optional left out", `{"city":"Gent"}`, trip{City: "Gent"}, ""},
		{"optional is null", `{"city":"Gent","days":null,"unit":null}`, trip{City: "Gent"}, ""},
		{"large number in an any", `{"city":"Gent","free":{"id":9007199254740993}}`, trip{City: "Gent", Free: map[string]any{"id": json.Number("9007199254740993")}}, ""},
		{"space around", " {\"city\":\"Gent\"}\n", trip{City: "Gent"}, ""},
		{"missing", ``, trip{}, "arguments: city: is required, but missing"},
		{"null", `null`, trip{}, "arguments: city: is required, but missing"},
		{"required is null", `{"city":null}`, trip{}, "arguments: city: must be a string, not null"},
		{"wrong", `{"city":"Gent","unit":"kelvin"}`, trip{}, `arguments: unit: must be one of "celsius", "fahrenheit"`},
		{"other case", `{"City":"Gent"}`, trip{}, "City: there is no such property; there is city, days, unit, free"},
		{"cut", `{"city":"Ge`, trip{}, "arguments: not JSON: unexpected end"},
		{"an array", `["Gent"]`, trip{}, "arguments: the value: must be an object, not an array"},
		{"two objects", `{"city":"Gent"}{"city":"Gent"}`, trip{}, "arguments: not JSON"},
		{"number that does not fit", `{"city":"Gent","days":1e30}`, trip{}, "arguments: days: the number 1e30 can't be used here, int is needed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got *trip
			tool := tools.New("trip", "", func(_ context.Context, in trip) (string, error) {
				got = &in
				return "ok", nil
			}).With(tools.Options{OnError: tools.Stop}) // bad arguments stop nothing
			results, err := tools.NewSet(tool).Run(t.Context(), []chat.ToolCall{call("trip", tt.args)})
			if err != nil {
				t.Fatal(err)
			}
			text := results[0].Parts[0].(chat.Text).Text
			if tt.wantErr != "" {
				if got != nil || !results[0].IsError || !strings.Contains(text, tt.wantErr) {
					t.Errorf("ran with %+v, result %q, want %q", got, text, tt.wantErr)
				}
				return
			}
			if got == nil || !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("ran with %+v, result %q; want %+v", got, text, tt.want)
			}
		})
	}
}

// TestArgumentsThatDontDecode: a name that is no number has no place in the
// arguments, and the model is told all the same.
func TestArgumentsThatDontDecode(t *testing.T) {
	t.Parallel()
	tool := tools.New("count", "", func(context.Context, map[int]string) (string, error) { return "ok", nil })
	got := tools.NewSet(tool).Call(t.Context(), call("count", `{"x":"a"}`))
	if text := got.Parts[0].(chat.Text).Text; !got.IsError || !strings.HasPrefix(text, "arguments: the value: ") {
		t.Errorf("got %q", text)
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, args json.RawMessage) (string, error) { return string(args), nil }
	const load = `{"type":"object","properties":{"id":{"type":"integer"},"ratio":{"type":"number"}},"required":["id","ratio"]}`
	tests := []struct{ name, schema, args, want string }{
		{"digits survive", load, `{"id":9007199254740993,"ratio":0.1}`, `{"id":9007199254740993,"ratio":0.1}`},
		{"checked", load, `{"id":1}`, "arguments: ratio: is required, but missing"},
		{"no schema, no arguments", "", "", "{}"},
		{"no schema takes nothing", "", `{"a":1}`, "arguments: a: there is no such property"},
		{"open schema", `{"type":"object"}`, `{"a":[1,{}]}`, `{"a":[1,{}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := tools.Raw("load", "", json.RawMessage(tt.schema), echo)
			if string(tool.Def.Schema) != tt.schema {
				t.Errorf("schema %s", tool.Def.Schema)
			}
			got := tools.NewSet(tool).Call(t.Context(), call("load", tt.args))
			if text := got.Parts[0].(chat.Text).Text; text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

func TestDefinitionErrors(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, none) (string, error) { return "", nil }
	raw := func(context.Context, json.RawMessage) (string, error) { return "", nil }
	tests := []struct {
		name, want string
		tool       tools.Tool
	}{
		{"empty name", "a name is 1 to 64 letters", tools.New("", "", ok)},
		{"dotted name", `tool "a.b": a name is`, tools.New("a.b", "", ok)},
		{"long name", "a name is 1 to 64", tools.New(strings.Repeat("x", 65), "", ok)},
		{"no function", `tool "t": no function`, tools.New[none, string]("t", "", nil)},
		{"no raw function", `tool "t": no function`, tools.Raw[string]("t", "", nil, nil)},
		{"zero tool", `tool "": no function`, tools.Tool{}},
		{"no schema for the type", "field F: type func() has no JSON form", tools.New("t", "", func(context.Context, struct{ F func() }) (string, error) { return "", nil })},
		{"arguments that are no object", "arguments are an object", tools.New("t", "", func(context.Context, []string) (string, error) { return "", nil })},
		{"no schema", "schema: properties.a.type: unknown type", tools.Raw("t", "", json.RawMessage(`{"properties":{"a":{"type":"x"}}}`), raw)},
		{"remote schema", "schema: $ref: leads nowhere", tools.Raw("t", "", json.RawMessage(`{"$ref":"https://example.org"}`), raw)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.tool.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			set := tools.NewSet(tt.tool)
			if _, err := set.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("run: %v, want %q", err, tt.want)
			}
			if got := set.Call(t.Context(), call("t", "{}")); !got.IsError || !strings.Contains(got.Parts[0].(chat.Text).Text, tt.want) {
				t.Errorf("call: %+v, want %q", got, tt.want)
			}
		})
	}
}

// TestBrokenDefinitionIsNoSchema: a request that offers a tool whose schema
// could not be made is refused, with the reason.
func TestBrokenDefinitionIsNoSchema(t *testing.T) {
	t.Parallel()
	tool := tools.New("t", "", func(context.Context, struct{ F func() }) (string, error) { return "", nil })
	err := schema.CheckArguments(tool.Def.Schema)
	if err == nil || !strings.Contains(err.Error(), "field F: type func() has no JSON form") {
		t.Errorf("error %v", err)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	tool := tools.New("trip", "Plans a trip.", func(context.Context, trip) (string, error) { return "", errors.New("x") })
	want := chat.ToolDef{Name: "trip", Description: "Plans a trip.", Schema: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string","description":"where to"},"days":{"type":"integer"},` +
			`"unit":{"type":"string","enum":["celsius","fahrenheit"]},"free":{}},"required":["city"],"additionalProperties":false}`,
	)}
	if err := tool.Err(); err != nil || !reflect.DeepEqual(tool.Def, want) {
		t.Errorf("got %+v with schema %s, %v", tool.Def, tool.Def.Schema, err)
	}
	if tool.With(tools.Options{MaxCalls: 1}).Options.MaxCalls != 1 || tool.Options.MaxCalls != 0 {
		t.Error("With changes another tool than the one it returns")
	}
}

type stop struct {
	schema.OneOf
	City    *string `json:"city,omitempty"`
	Station *struct {
		Code string `json:"code"`
	} `json:"station,omitempty"`
}

// TestUnionAsInput: a tool that takes a union is called with one alternative.
func TestUnionAsInput(t *testing.T) {
	t.Parallel()
	visit := tools.New("visit", "Goes there.", func(_ context.Context, in stop) (string, error) {
		switch {
		case in.City != nil:
			return "city " + *in.City, nil
		case in.Station != nil:
			return "station " + in.Station.Code, nil
		}
		return "nowhere", nil
	})
	for _, tc := range []struct {
		name, args, want string
		bad              bool
	}{
		{"one", `{"input":{"city":"Ghent"}}`, "city Ghent", false},
		{"another", `{"input":{"station":{"code":"FGSP"}}}`, "station FGSP", false},
		{"none", `{"input":{}}`, `fits none of the 2 alternatives ({"city": …}, {"station": …})`, true},
		{"two", `{"input":{"city":"Ghent","station":{"code":"FGSP"}}}`, "fits none of the 2 alternatives", true},
		{"not whole", `{"input":{"station":{}}}`, "input.station.code: is required", true},
		{"without its member", `{"city":"Ghent"}`, "there is input", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tools.NewSet(visit).Call(t.Context(), call("visit", tc.args))
			if text := got.Parts[0].(chat.Text).Text; !strings.Contains(text, tc.want) || got.IsError != tc.bad {
				t.Errorf("%+v, want %q", got, tc.want)
			}
		})
	}
}
