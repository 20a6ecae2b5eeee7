package openaichat_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

const (
	desk     = "You answer for the harbour desk at Port Sorrel. Be brief."
	question = "High water at Sorrel Bar on Friday, and a berth for Kittiwake?"

	tideSchema = `{"type":"object","properties":{"station":{"type":"string","description":"Tide station name"},` +
		`"date":{"type":"string","description":"ISO date"}},"required":["station","date"],"additionalProperties":false}`
	berthSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"},` +
		`"shore_power":{"type":"boolean"}},"required":["vessel","nights","shore_power"],"additionalProperties":false}`
	planSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"length_m":{"type":"number"},` +
		`"berths":{"type":"array","items":{"type":"string"}},"note":{"type":["string","null"]}},` +
		`"required":["vessel","length_m","berths","note"],"additionalProperties":false}`
	tideArgs  = `{"station":"Sorrel Bar","date":"2026-12-04"}`
	berthArgs = `{"vessel":"Kittiwake","nights":2,"shore_power":true}`
)

var openAI = wire.Quirks{SystemRole: "developer"}

func harbour() []chat.ToolDef {
	return []chat.ToolDef{
		{Name: "get_tide", Description: "High and low water for one station and day.", Schema: json.RawMessage(tideSchema), Strict: true},
		{Name: "book_berth", Description: "Reserve a visitor berth.", Schema: json.RawMessage(berthSchema), Strict: true},
	}
}

func spell(t *testing.T, c toolchoice.Choice, w toolchoice.WireFormat) json.RawMessage {
	t.Helper()
	raw, err := c.To(w)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func asked(tools []chat.ToolDef, choice json.RawMessage) wire.Call {
	return wire.Call{
		Model: "gpt-5.4-mini", System: desk, Messages: chat.Prompt(question),
		Tools: tools, Choice: choice, Quirks: openAI,
	}
}

// TestRequestFixtures builds each documented request from a call. Of those at
// hand, tool-choice-tool-custom can't be expressed on purpose: custom tools
// take free text, and sabir's tools have a schema. In basic and stream, the
// members without a field (user, service_tier, store, verbosity, obfuscation)
// come from Extra.
func TestRequestFixtures(t *testing.T) {
	t.Parallel()
	fixtures := requestFixtures(t)
	files, err := filepath.Glob("testdata/requests/*.json")
	if err != nil || len(files) != len(fixtures)+1 {
		t.Errorf("%d requests at hand, %d built (%v)", len(files), len(fixtures), err)
	}
	for name, call := range fixtures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(filepath.Join("testdata", "requests", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, encode(t, call), want)
		})
	}
}

func requestFixtures(t *testing.T) map[string]wire.Call {
	t.Helper()
	openai := func(c toolchoice.Choice) json.RawMessage { return spell(t, c, toolchoice.OpenAI) }
	basic := asked(nil, nil)
	basic.MaxTokens, basic.Temperature, basic.TopP, basic.Seed = 512, new(0.2), new(0.9), new(int64(7))
	basic.Stop, basic.Metadata, basic.ParallelTools = []string{"\n\n###"}, map[string]string{"desk": "4"}, new(true)
	basic.Thinking.Effort, basic.Cache.Key = "none", "desk-4"
	basic.Extra = extra("service_tier", `"auto"`, "store", "false", "user", `"desk-4"`, "verbosity", `"low"`)

	object, structured := asked(nil, nil), asked(nil, nil)
	object.Format = &wire.Format{}
	structured.Format = &wire.Format{Name: "berth_plan", Description: "A plan for one vessel.", Schema: json.RawMessage(planSchema), Strict: true}

	stream := asked(nil, nil)
	stream.Stream, stream.Quirks.NoStreamOptions = true, true
	stream.Extra = extra("stream_options", `{"include_usage":true,"include_obfuscation":false}`)

	named := asked(harbour(), openai(toolchoice.Tool("get_tide")))
	named.ParallelTools = new(false)
	allowed := asked(harbour(), openai(toolchoice.Any()))
	allowed.Allowed = []string{"get_tide"}

	results := asked(harbour(), openai(toolchoice.Auto()))
	results.Messages = append(results.Messages, calls(), chat.Results(
		chat.TextResult("call_Q56S2xz2KK2fBpba3xG7rUnK", `{"high_water":["05:52","18:14"]}`),
		chat.ErrorResult("call_uvEf4kUTnE1qo9c2hs4znwpb", "C-dock is full on that night")))

	mistral := wire.Call{Model: "mistral-large-latest", Messages: chat.Prompt(question), Tools: harbour()[:1]}
	mistral.Choice = spell(t, toolchoice.Any(), toolchoice.Mistral)
	mistral.Tools[0].Strict, mistral.Tools[0].Description = false, "High and low water."

	return map[string]wire.Call{
		"basic": basic, "json-object": object, "structured": structured, "stream": stream, "multimodal": multimodal(),
		"tool-choice-any": asked(harbour(), openai(toolchoice.Any())), "tool-choice-auto": asked(harbour(), openai(toolchoice.Auto())),
		"tool-choice-none": asked(harbour(), openai(toolchoice.None())), "tool-choice-tool": named, "tool-choice-allowed": allowed,
		"tool-results": results, "mistral-any": mistral, "deepseek-replay": deepSeek(),
	}
}

func calls() chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
		chat.ToolCall{ID: "call_Q56S2xz2KK2fBpba3xG7rUnK", Name: "get_tide", Arguments: json.RawMessage(tideArgs)},
		chat.ToolCall{ID: "call_uvEf4kUTnE1qo9c2hs4znwpb", Name: "book_berth", Arguments: json.RawMessage(berthArgs)},
	}}
}

func multimodal() wire.Call {
	return wire.Call{Model: "gpt-5.4", Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{
		chat.Text{Text: "Which berth is marked?"},
		chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), Detail: "low"},
		chat.File{Name: "chart.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
		chat.Audio{MediaType: "audio/wav", Data: []byte("RIFF")},
	}}}}
}

func deepSeek() wire.Call {
	const id = "call_00_ANMnQQizcoA82PSTUEcd2a5G"
	turn := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
		chat.Thinking{
			Text:      "The visitor gave a date and a station. I need the tide table before offering a berth.",
			Signature: chat.Signature{Kind: "reasoning_content"},
		},
		chat.ToolCall{ID: id, Name: "get_tide", Arguments: json.RawMessage(tideArgs)},
	}}
	return wire.Call{
		Model: "deepseek-v4-flash", System: desk,
		Messages: []chat.Message{chat.User(question), turn, chat.Results(chat.TextResult(id, "05:52 and 18:14"))},
		Quirks:   wire.Quirks{ReplayThinking: "reasoning_content", ReplayOnToolTurns: true},
	}
}

func extra(pairs ...string) []wire.Member {
	var out []wire.Member
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, wire.Member{Name: pairs[i], Value: json.RawMessage(pairs[i+1])})
	}
	return out
}

func encode(t *testing.T, c wire.Call) []byte {
	t.Helper()
	enc, err := codec.EncodeRequest(c)
	if err != nil {
		t.Fatal(err)
	}
	if enc.Path != "/chat/completions" {
		t.Errorf("path %q", enc.Path)
	}
	again, err := codec.EncodeRequest(c)
	if err != nil || !bytes.Equal(again.Body, enc.Body) {
		t.Errorf("second encoding differs: %s, %v", again.Body, err)
	}
	return enc.Body
}

func sameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
