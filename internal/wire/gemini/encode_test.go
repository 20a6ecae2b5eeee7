package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

// full uses every member there is.
func full() wire.Call {
	return wire.Call{
		Model: "m", Stream: true, System: "Be brief.", Messages: chat.Prompt("hi"),
		Tools: []chat.ToolDef{{Name: "now"}}, Choice: toolchoice.Any(), ToolFormat: toolchoice.Gemini,
		ParallelTools: new(true),
		Format:        &wire.Format{Name: "n", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Strict: true},
		Thinking:      wire.Thinking{Type: "adaptive", Display: "omitted"},
		MaxTokens:     2048, Temperature: new(0.0), TopP: new(0.5), Stop: []string{"###"}, Seed: new(int64(0)),
		Metadata: map[string]string{"team": "desk", "app": "a"},
		Extra: []wire.Member{
			{Name: "cachedContent", Value: json.RawMessage(`"cachedContents/1"`)},
			{Name: "generationConfig.topK", Value: json.RawMessage("5")},
			{Name: "toolConfig.retrievalConfig", Value: json.RawMessage("{}")},
		},
	}
}

func TestWritesMembersInAFixedOrder(t *testing.T) {
	t.Parallel()
	want := strings.Join([]string{
		`{"systemInstruction":{"role":"user","parts":[{"text":"Be brief."}]}`,
		`"contents":[{"role":"user","parts":[{"text":"hi"}]}]`,
		`"tools":[{"functionDeclarations":[{"name":"now"}]}]`,
		`"toolConfig":{"functionCallingConfig":{"mode":"ANY"},"retrievalConfig":{}}`,
		`"generationConfig":{"maxOutputTokens":2048`, `"temperature":0`, `"topP":0.5`, `"stopSequences":["###"]`, `"seed":0`,
		`"responseMimeType":"application/json"`, `"responseJsonSchema":{"type":"object"}`,
		`"thinkingConfig":{"thinkingBudget":-1,"includeThoughts":false}`, `"topK":5}`,
		`"labels":{"app":"a","team":"desk"}`, `"cachedContent":"cachedContents/1"}`,
	}, ",")
	for range 3 {
		if got := encode(t, full()); got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
	}
}

// Case C041: what isn't set isn't sent; that zeros are, the test above shows.
func TestLeavesOutWhatIsNotSet(t *testing.T) {
	t.Parallel()
	const want = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
	if got := encode(t, call(chat.User("hi"))); got != want {
		t.Errorf("got %s", got)
	}
}

// Case C045 among others: an address holds the model's name and no more.
func TestPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, model string
		stream      bool
		want        string
	}{
		{"plain", "gemini-3.8-flash", false, "/models/gemini-3.8-flash:generateContent"},
		{"streamed", "gemini-3.8-flash", true, "/models/gemini-3.8-flash:streamGenerateContent?alt=sse"},
		{"with its collection", "models/gemini-3.8-flash", false, "/models/gemini-3.8-flash:generateContent"},
		{"tuned", "tunedModels/desk-1", false, "/tunedModels/desk-1:generateContent"},
		{"version after an at sign", "gemini-2.5-flash@001", false, "/models/gemini-2.5-flash@001:generateContent"},
		{"nothing leaves the segment", "a/../b?key=x#:c", true, "/models/a%2F..%2Fb%3Fkey=x%23%3Ac:streamGenerateContent?alt=sse"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := call(chat.User("hi"))
			c.Model, c.Stream = tt.model, tt.stream
			e, err := codec.EncodeRequest(c)
			if err != nil || e.Path != tt.want || e.Header != nil {
				t.Errorf("got %q, %v, %v, want %q", e.Path, e.Header, err, tt.want)
			}
		})
	}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   wire.Thinking
		want string
	}{
		{"off", wire.Thinking{Type: "disabled"}, `{"thinkingBudget":0}`},
		{"adaptive", wire.Thinking{Type: "adaptive"}, `{"thinkingBudget":-1}`},
		{"on without a budget", wire.Thinking{Type: "enabled"}, `{"thinkingBudget":-1}`},
		{"budget", wire.Thinking{Type: "enabled", Budget: 128}, `{"thinkingBudget":128}`},
		{"level", wire.Thinking{Effort: "high"}, `{"thinkingLevel":"HIGH"}`},
		{"level wins over the type", wire.Thinking{Type: "adaptive", Effort: "xhigh"}, `{"thinkingLevel":"XHIGH"}`},
		{"shown by itself", wire.Thinking{Display: "summarized"}, `{"includeThoughts":true}`},
		{"hidden", wire.Thinking{Effort: "low", Display: "omitted"}, `{"thinkingLevel":"LOW","includeThoughts":false}`},
		{"unset", wire.Thinking{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := call(chat.User("hi"))
			c.Thinking = tt.in
			wiretest.WantAt(t, encode(t, c), tt.want, "generationConfig", "thinkingConfig")
		})
	}
}

func TestToolConfig(t *testing.T) {
	t.Parallel()
	const both, tide = `"allowedFunctionNames":["get_tide","book_berth"]`, `"allowedFunctionNames":["get_tide"]`
	subset := func(c *wire.Call) { c.Allowed = []string{"get_tide"} }
	strict := func(c *wire.Call) { c.Tools[1].Strict = true }
	extra := func(c *wire.Call) {
		c.Extra = []wire.Member{{Name: "toolConfig.x", Value: json.RawMessage("1")}}
	}
	for _, tt := range []struct {
		name   string
		choice toolchoice.Choice
		change func(*wire.Call)
		want   string // in functionCallingConfig's place; "" for none at all
	}{
		{"unset", toolchoice.Choice{}, asItIs, ""},
		{"a subset, the model decides", toolchoice.Auto(), subset, `{"mode":"VALIDATED",` + tide + `}`},
		{"a subset, nothing stated", toolchoice.Choice{}, subset, `{"mode":"VALIDATED",` + tide + `}`},
		{"a subset, one of it", toolchoice.Any(), subset, `{"mode":"ANY",` + tide + `}`},
		{"a subset, none", toolchoice.None(), subset, `{"mode":"NONE"}`},
		{"one of all", toolchoice.Any(), func(c *wire.Call) { c.Allowed = []string{"get_tide", "book_berth"} }, `{"mode":"ANY",` + both + `}`},
		{"a name, and a subset around it", toolchoice.Tool("get_tide"), func(c *wire.Call) { c.Allowed = []string{"get_tide", "book_berth"} }, `{"mode":"ANY",` + tide + `}`},
		{"strict, nothing stated", toolchoice.Choice{}, strict, `{"mode":"VALIDATED"}`},
		{"strict and a subset", toolchoice.Auto(), func(c *wire.Call) { strict(c); subset(c) }, `{"mode":"VALIDATED",` + tide + `}`},
		{"strict and forced", toolchoice.Any(), strict, `{"mode":"ANY"}`},
		{"an extra beside it", toolchoice.None(), extra, `{"mode":"NONE"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, choosing(t, tt.choice, tt.change))
			wiretest.WantAt(t, body, tt.want, "toolConfig", "functionCallingConfig")
			if tt.want == "" {
				wiretest.WantAt(t, body, "", "toolConfig")
			}
		})
	}
}

func TestExtraReachesIntoObjectsThatAreNotThere(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"))
	c.Extra = []wire.Member{
		{Name: "generationConfig.topK", Value: json.RawMessage("1")},
		{Name: "safetySettings", Value: json.RawMessage("[]")},
		{Name: "toolConfig.x", Value: json.RawMessage("2")},
	}
	const want = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"toolConfig":{"x":2},"generationConfig":{"topK":1},"safetySettings":[]}`
	if got := encode(t, c); got != want {
		t.Errorf("got %s", got)
	}
}

func TestJSONWithoutASchema(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"))
	c.Format = &wire.Format{}
	wiretest.WantAt(t, encode(t, c), `{"responseMimeType":"application/json"}`, "generationConfig")
}

func TestRefusesWhatHasNoForm(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*wire.Call){
		"one call at a time":      func(c *wire.Call) { c.ParallelTools = new(false) },
		"a subset of no tools":    func(c *wire.Call) { c.Allowed = []string{} },
		"a place for thoughts":    func(c *wire.Call) { c.Thinking.Format = "parsed" },
		"budget and effort":       func(c *wire.Call) { c.Thinking = wire.Thinking{Budget: 1, Effort: "low"} },
		"a choice without a form": func(c *wire.Call) { c.Choice, c.ToolFormat = toolchoice.Any(), toolchoice.Ollama },
		"a choice without a name": func(c *wire.Call) { c.Choice, c.ToolFormat = toolchoice.Tool(""), toolchoice.Gemini },
		"an unknown role": func(c *wire.Call) {
			c.Messages = []chat.Message{{Role: "critic", Parts: []chat.Part{chat.Text{Text: "x"}}}}
		},
		"a picture from nowhere": func(c *wire.Call) { c.Messages = []chat.Message{wiretest.Asked(chat.Image{})} },
		"a file from nowhere":    func(c *wire.Call) { c.Messages = []chat.Message{wiretest.Asked(chat.File{Name: "x"})} },
		"a sound from nowhere":   func(c *wire.Call) { c.Messages = []chat.Message{wiretest.Asked(chat.Audio{})} },
		"the model's picture":    func(c *wire.Call) { c.Messages = []chat.Message{wiretest.Said(chat.Image{URL: "gs://x"})} },
		"the user's thought":     func(c *wire.Call) { c.Messages = []chat.Message{wiretest.Asked(chat.Thinking{Text: "x"})} },
		"a picture in the system": func(c *wire.Call) {
			c.Messages = []chat.Message{{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{URL: "gs://x"}}}}
		},
		"a picture in a later one": func(c *wire.Call) {
			c.Messages = append(c.Messages, chat.Message{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{URL: "gs://x"}}})
		},
		"a result of nothing": func(c *wire.Call) { c.Messages = []chat.Message{chat.Results(chat.TextResult("x", "y"))} },
		"a call in a result": func(c *wire.Call) {
			c.Messages = []chat.Message{chat.Results(chat.ToolResult{Name: "f", Parts: []chat.Part{wiretest.ToolCall("a", "f", "{}")}})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(chat.User("hi"))
			change(&c)
			if e, err := codec.EncodeRequest(c); err == nil || !strings.HasPrefix(err.Error(), "gemini: ") {
				t.Errorf("got %s, %v", e.Body, err)
			}
		})
	}
}
