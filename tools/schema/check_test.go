package schema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"empty schema", `{}`, ""},
		{"object", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, ""},
		{"space everywhere", " {\n\t\"type\" : [ \"string\" , \"null\" ] } ", ""},
		{"boolean schemas", `{"items":true,"additionalProperties":false}`, ""},
		{"tuple of draft-07", `{"items":[{"type":"string"},true]}`, ""},
		{"properties named like keywords", `{"properties":{"type":{"type":"string"},"required":{},"enum":{"enum":[1]}}}`, ""},
		{"unknown keywords", `{"x-order":{"type":"nonsense"},"nullable":"maybe"}`, ""},
		{"keywords inside values", `{"default":{"type":7},"const":{"required":1},"enum":[{"type":7}]}`, ""},
		{"dependencies of both kinds", `{"dependencies":{"a":["b"],"c":{"type":"object"}}}`, ""},
		{"escaped keyword", `{"\u0074ype":"string"}`, ""},
		{"whole number written with a point", `{"minLength":2.0}`, ""},

		{"nothing", ``, "not JSON: empty"},
		{"cut", `{"type":`, "not JSON: unexpected end of JSON input at byte 8"},
		{"array", `[]`, "a schema must be an object, not an array"},
		{"boolean at the root", `true`, "a schema must be an object, not a boolean"},
		{"text", `"why"`, `a schema must be an object, not the string "why"`},
		{"unknown type", `{"properties":{"city":{"type":"strin"}}}`, `properties.city.type: unknown type "strin"`},
		{"type list", `{"type":["string","int"]}`, `type[1]: unknown type "int"`},
		{"empty type list", `{"type":[]}`, `type: must not be empty`},
		{"type of a wrong kind", `{"type":{}}`, `type: must be a type word or a list of them, not an object`},
		{"type list of a wrong kind", `{"type":[1]}`, `type[0]: must be a type word, not a number`},
		{"escaped unknown type", `{"\u0074ype":"strin"}`, `type: unknown type "strin"`},
		{"properties is a list", `{"properties":[]}`, "properties: must be an object, not an array"},
		{"property is a string", `{"properties":{"a.b":"string"}}`, `properties["a.b"]: a schema must be an object or a boolean, not a string`},
		{"required is a boolean", `{"properties":{"a":{"required":true}}}`, "properties.a.required: must be a list, not a boolean"},
		{"required holds a number", `{"required":["a",1]}`, "required[1]: must be a string, not 1"},
		{"enum is a string", `{"enum":"a"}`, `enum: must be a list of at least one value, not "a"`},
		{"empty enum", `{"enum":[]}`, "enum: must be a list of at least one value, not []"},
		{"items", `{"items":{"items":7}}`, "items.items: a schema must be an object or a boolean, not a number"},
		{"branch", `{"anyOf":[{},{"type":"x"}]}`, `anyOf[1].type: unknown type "x"`},
		{"no branches", `{"oneOf":[]}`, "oneOf: must not be empty"},
		{"branches in an object", `{"allOf":{}}`, "allOf: must be a list, not an object"},
		{"definition", `{"$defs":{"x":{"minLength":-1}}}`, "$defs.x.minLength: must be an integer of 0 or more, not -1"},
		{"draft-04 bound", `{"exclusiveMinimum":true}`, "exclusiveMinimum: must be a number, not true"},
		{"multipleOf", `{"multipleOf":0}`, "multipleOf: must be a number above 0, not 0"},
		{"flag", `{"uniqueItems":"yes"}`, `uniqueItems: must be true or false, not "yes"`},
		{"description", `{"description":7}`, `description: must be a string, not 7`},
		{"dependent names", `{"dependentRequired":{"a":[1]}}`, "dependentRequired.a[0]: must be a string, not 1"},
		{"long value", `{"title":["` + strings.Repeat("x", 50) + `"]}`, "title: must be a string, not an array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantErr(t, schema.Check(json.RawMessage(tt.raw)), tt.want)
		})
	}
}

func TestCheckArguments(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"object", `{"type":"object"}`, ""},
		{"untyped", `{"properties":{"type":{"type":"string"}}}`, ""},
		{"string", `{"type":"string"}`, `type: arguments are an object, so this must be "object", not "string"`},
		{"list", `{"type":["object","null"]}`, `so this must be "object", not ["object","null"]`},
		{"unsound", `{"type":"x"}`, "unknown type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantErr(t, schema.CheckArguments(json.RawMessage(tt.raw)), tt.want)
		})
	}
}

func TestCheckBoundsDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"items":`, n) + `{}` + strings.Repeat(`}`, n))
	}
	wantErr(t, schema.Check(nested(128)), "")
	wantErr(t, schema.Check(nested(129)), "nested deeper than 128 schemas")
	wantErr(t, schema.Check(nested(9_000)), "nested deeper than 128 schemas")
	wantErr(t, schema.Check(nested(2_000_000)), "not JSON")
}

// wantErr wants no error for "", else one with that text.
func wantErr(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Errorf("error %q, want none", err)
	case text != "" && err == nil:
		t.Errorf("no error, want %q", text)
	case text != "" && !strings.Contains(err.Error(), text):
		t.Errorf("error %q, want %q", err, text)
	}
}

// FuzzCheck: no input makes the package panic, and what Check accepts the
// converters take or refuse in good order.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"integer","minimum":1}}}`,
		`{"items":[{"type":"string"},true]}`, `{"anyOf":[{"$ref":"#"}]}`, `{"enum":[1,{"a":[null]}],"const":"\u00e9"}`,
		`{"type":"object","properties":{"a":{"enum":["x"]},"b":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`,
		`{"dependencies":{"a":["b"],"c":{}}}`, `{"pattern":"(?=x)","format":"date"}`, `{"allOf":[{"properties":{"a":false}}]}`,
	} {
		f.Add([]byte(s), []byte(`{"a":1,"b":null}`))
	}
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		if schema.Check(raw) != nil {
			return
		}
		if out, _, err := adapt(schema.OpenAI, raw); err == nil {
			if _, ok, why := schema.ForOpenAI(out); !ok {
				t.Errorf("OpenAI got %s, which does not qualify: %s", out, why)
			}
		}
		if out, _, err := adapt(schema.Anthropic, raw); err == nil {
			if again, notes, err := adapt(schema.Anthropic, out); err != nil || len(notes) > 0 || string(again) != string(out) {
				t.Errorf("Anthropic got %s, then %s, %v, %v", out, again, notes, err)
			}
		}
		if v, err := schema.Compile(raw); err == nil && json.Valid(value) {
			err := v.Validate(value)
			if err != nil && err.Error() == "" {
				t.Error("an error without words")
			}
			if back, _ := schema.DropNulls(raw, value); err == nil && !bytes.Equal(back, value) {
				t.Errorf("%s: %s fits, but became %s", raw, value, back)
			}
		}
		_, _ = schema.DropNulls(raw, value)
	})
}

// BenchmarkCheck shows that four times the schema costs about four times the
// time.
func BenchmarkCheck(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"props=8", 8}, {"props=400", 400}, {"props=1600", 1600}} {
		raw := wide(size.n)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := schema.Check(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func wide(n int) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"p`)
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)))
		b.WriteString(`":{"type":"string","description":"one of many properties","enum":["a","b"]}`)
	}
	b.WriteString(`},"additionalProperties":false}`)
	return json.RawMessage(b.String())
}
