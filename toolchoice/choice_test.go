package toolchoice_test

import (
	"encoding/json"
	"errors"
	"flag"
	"testing"

	"github.com/sabir-go/sabir/toolchoice"
)

func TestChoice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		choice toolchoice.Choice
		mode   toolchoice.Mode
		name   string
		forced bool
		str    string
		json   string
	}{
		{toolchoice.Choice{}, toolchoice.Unset, "", false, "unset", `null`},
		{toolchoice.Auto(), toolchoice.ModeAuto, "", false, "auto", `{"type":"auto"}`},
		{toolchoice.Any(), toolchoice.ModeAny, "", true, "any", `{"type":"any"}`},
		{toolchoice.None(), toolchoice.ModeNone, "", false, "none", `{"type":"none"}`},
		{toolchoice.Tool("x"), toolchoice.ModeTool, "x", true, "tool(x)", `{"type":"tool","name":"x"}`},
		{toolchoice.Tool("auto"), toolchoice.ModeTool, "auto", true, "tool(auto)", `{"type":"tool","name":"auto"}`},
	}
	for _, tt := range tests {
		t.Run(tt.str, func(t *testing.T) {
			t.Parallel()
			c := tt.choice
			if c.Mode() != tt.mode || c.Name() != tt.name || c.Forced() != tt.forced || c.String() != tt.str {
				t.Errorf("%v: mode %v, name %q, forced %v", c, c.Mode(), c.Name(), c.Forced())
			}
			if c.IsZero() != (tt.mode == toolchoice.Unset) || c.Err() != nil {
				t.Errorf("zero %v, err %v", c.IsZero(), c.Err())
			}
			if data, err := json.Marshal(c); err != nil || string(data) != tt.json {
				t.Errorf("JSON %s, %v; want %s", data, err, tt.json)
			}
		})
	}
}

func TestModeString(t *testing.T) {
	t.Parallel()
	if got := toolchoice.ModeTool.String(); got != "tool" {
		t.Errorf("ModeTool = %q", got)
	}
	if got := toolchoice.Mode(9).String(); got != "Mode(9)" {
		t.Errorf("beyond the last = %q", got)
	}
}

func TestNoName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]toolchoice.Choice{
		"empty": toolchoice.Tool(""), "not UTF-8": toolchoice.Tool("a\xffb"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.IsZero() || !c.Forced() {
				t.Errorf("zero %v, forced %v; it is still a forced choice", c.IsZero(), c.Forced())
			}
			_, errJSON := json.Marshal(c)
			_, errText := c.MarshalText()
			_, errParse := toolchoice.Parse(c)
			_, errPointer := toolchoice.Parse(&c)
			for use, err := range map[string]error{
				"Err": c.Err(), "MarshalJSON": errJSON, "MarshalText": errText, "Parse": errParse, "Parse pointer": errPointer,
			} {
				if !errors.Is(err, toolchoice.ErrNoName) {
					t.Errorf("%s: %v, want ErrNoName", use, err)
				}
			}
		})
	}
}

func TestJSONInStruct(t *testing.T) {
	t.Parallel()
	type request struct {
		Choice toolchoice.Choice `json:"choice,omitzero"`
	}
	tests := []struct {
		name, in string
		want     toolchoice.Choice
		out      string
	}{
		{"absent", `{}`, toolchoice.Choice{}, `{}`},
		{"null", `{"choice":null}`, toolchoice.Choice{}, `{}`},
		{"neutral", `{"choice":{"type":"tool","name":"x"}}`, toolchoice.Tool("x"), `{"choice":{"type":"tool","name":"x"}}`},
		{"text form", `{"choice":"tool(x)"}`, toolchoice.Tool("x"), `{"choice":{"type":"tool","name":"x"}}`},
		{"provider's form", `{"choice":{"mode":"NONE"}}`, toolchoice.None(), `{"choice":{"type":"none"}}`},
		{"word", `{"choice": "required" }`, toolchoice.Any(), `{"choice":{"type":"any"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r request
			if err := json.Unmarshal([]byte(tt.in), &r); err != nil || r.Choice != tt.want {
				t.Fatalf("%v, %v; want %v", r.Choice, err, tt.want)
			}
			if out, err := json.Marshal(r); err != nil || string(out) != tt.out {
				t.Errorf("%s, %v; want %s", out, err, tt.out)
			}
		})
	}
}

func TestUnmarshalFailsAndKeeps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, json, text string
		want             error
	}{
		{"unknown word", `"sometimes"`, "sometimes", toolchoice.ErrUnknown},
		{"no name", `{"type":"tool"}`, "tool()", toolchoice.ErrNoName},
		{"case", `{"type":"AUTO"}`, "AUTO", toolchoice.ErrUnknown},
		{"not closed", `{"type":[]}`, "tool(x", toolchoice.ErrUnknown},
		{"after the end", `{"Type":"auto"}`, "tool(x) ", toolchoice.ErrUnknown},
		{"name alone", `{"name":"x"}`, "x", toolchoice.ErrUnknown},
		{"not UTF-8", `{"type":"tool","name":"\ud800"}`, "tool(\xff)", nil},
		{"string that isn't UTF-8", `"tool(\ud800)"`, "\xff", toolchoice.ErrUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := toolchoice.Tool("kept")
			if err := json.Unmarshal([]byte(tt.json), &c); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("JSON %s: %v, want %v", tt.json, err, tt.want)
			}
			if err := c.UnmarshalText([]byte(tt.text)); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("text %s: %v, want %v", tt.text, err, tt.want)
			}
			if c != toolchoice.Tool("kept") {
				t.Errorf("changed to %v", c)
			}
		})
	}
}

func TestFlag(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]toolchoice.Choice{
		"": {}, "auto": toolchoice.Auto(), "required": toolchoice.Any(), "tool(none)": toolchoice.Tool("none"),
	} {
		t.Run("flag "+arg, func(t *testing.T) {
			t.Parallel()
			var c toolchoice.Choice
			fs := flag.NewFlagSet("test", flag.ContinueOnError)
			fs.TextVar(&c, "choice", toolchoice.None(), "tool choice")
			if err := fs.Parse([]string{"-choice", arg}); err != nil || c != want {
				t.Errorf("%v, %v; want %v", c, err, want)
			}
		})
	}
}

func TestMapKey(t *testing.T) {
	t.Parallel()
	counts := map[toolchoice.Choice]int{{}: 1, toolchoice.Any(): 2, toolchoice.Tool("any"): 3}
	data, err := json.Marshal(counts)
	if want := `{"":1,"any":2,"tool(any)":3}`; err != nil || string(data) != want {
		t.Fatalf("%s, %v; want %s", data, err, want)
	}
	var back map[toolchoice.Choice]int
	if err := json.Unmarshal(data, &back); err != nil || len(back) != 3 || back[toolchoice.Tool("any")] != 3 {
		t.Errorf("back as %v, %v", back, err)
	}
}
