package conformance

import (
	"fmt"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// models are those asked beside each profile's example: models whose rules
// differ.
var models = map[string][]string{
	"anthropic": {
		"claude-sonnet-4-6", "claude-opus-4-8", "claude-opus-5", "claude-haiku-5-5", "claude-opus-5-5", "claude-fable-5-2",
	},
	"bedrock":          {"amazon.nova-pro-v1:0", "anthropic.claude-opus-4-8", "mistral.mistral-large-2407-v1:0"},
	"deepseek":         {"deepseek-v4-flash"},
	"gemini":           {"gemini-2.5-flash", "gemini-2.5-pro", "gemini-3.1-pro-preview"},
	"groq":             {"openai/gpt-oss-120b", "qwen/qwen3-32b", "groq/compound"},
	"mistral":          {"mistral-small-latest", "magistral-medium-latest"},
	"openai":           {"o3", "gpt-5", "gpt-5.2", "gpt-5.5", "gpt-5.6", "gpt-6", "gpt-6.1-sol"},
	"openai-responses": {"gpt-4.1", "o3", "gpt-5.2", "gpt-6"},
	"perplexity":       {"sonar-reasoning-pro"},
	"vertex":           {"gemini-2.5-flash", "gemini-3.1-pro-preview"},
}

type asked struct {
	label string
	req   *chat.Request
}

var (
	weather = chat.ToolDef{Name: toolName, Description: toolWords, Schema: []byte(toolJSON)}
	berth   = chat.ToolDef{
		Name: "book_berth", Description: "Books a berth.", Strict: true,
		Schema: []byte(`{"type":"object","properties":{"berth":{"type":"object","properties":{"row":{"type":"string","enum":["A","B"]},` +
			`"no":{"type":"integer"}},"required":["row","no"],"additionalProperties":false},"nights":{"type":["integer","null"]},` +
			`"extras":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}},"required":["berth","nights","extras"],"additionalProperties":false}`),
	}
	answerForm = &chat.Output{Name: "answer", Description: "The answer.", Schema: []byte(toolJSON), Strict: true}
	pixel      = []byte("\x89PNG\r\n\x1a\n")
)

// matrix is every choice with every thinking and output.
func matrix() []asked {
	choices := []toolchoice.Choice{{}, toolchoice.Auto(), toolchoice.None(), toolchoice.Any(), toolchoice.Tool(toolName)}
	thinks := []chat.ThinkingConfig{
		{},
		{Mode: chat.ThinkingOff},
		{Mode: chat.ThinkingOn},
		{Mode: chat.ThinkingOn, Effort: chat.EffortHigh, Show: true},
		{Mode: chat.ThinkingOn, Budget: 2048},
		{Mode: chat.ThinkingAdaptive, Effort: chat.EffortLow},
	}
	rows := make([]asked, 0, 2*len(choices)*len(thinks))
	for _, choice := range choices {
		for _, think := range thinks {
			for _, out := range []*chat.Output{nil, answerForm} {
				rows = append(rows, asked{fmt.Sprintf("%v, %+v, output %v", choice, think, out != nil), &chat.Request{
					Messages: chat.Prompt(question), Tools: []chat.ToolDef{weather, berth},
					ToolChoice: choice, Thinking: think, Output: out, MaxTokens: 8000,
				}})
			}
		}
	}
	return rows
}

// settings are requests with one more wish each.
func settings() []asked {
	base := func(label string, change func(*chat.Request)) asked {
		r := &chat.Request{
			System: "You are a harbour desk.", Messages: chat.Prompt(question), Tools: []chat.ToolDef{weather, berth},
		}
		change(r)
		return asked{label, r}
	}
	return []asked{
		base("system", func(*chat.Request) {}),
		base("no tools", func(r *chat.Request) { r.Tools = nil }),
		base("schema", func(r *chat.Request) { r.Tools, r.Output = nil, answerForm }),
		base("any JSON", func(r *chat.Request) { r.Tools, r.Output = nil, &chat.Output{} }),
		base("system in the middle", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Assistant("Rain."), chat.System("Be brief."), chat.User("And tomorrow?"))
		}),
		base("temperature", func(r *chat.Request) { r.Temperature = new(0.0) }),
		base("top p", func(r *chat.Request) { r.TopP = new(0.5) }),
		base("stop", func(r *chat.Request) { r.Stop = []string{"END"} }),
		base("seed", func(r *chat.Request) { r.Seed = new(int64(7)) }),
		base("max tokens", func(r *chat.Request) { r.MaxTokens = 5000 }),
		base("one call at most", func(r *chat.Request) { r.ParallelTools = new(false) }),
		base("one call at most, forced", func(r *chat.Request) { r.ParallelTools, r.ToolChoice = new(false), toolchoice.Any() }),
		base("subset", func(r *chat.Request) { r.AllowedTools = []string{"book_berth"} }),
		base("forced subset", func(r *chat.Request) { r.AllowedTools, r.ToolChoice = []string{"book_berth"}, toolchoice.Any() }),
		base("metadata", func(r *chat.Request) { r.Metadata = map[string]string{"user_id": "u1", "desk": "north"} }),
		base("cache", func(r *chat.Request) {
			r.Cache = chat.PromptCache{Tools: true, System: true, Messages: 1, TTL: time.Hour, Key: "desk"}
		}),
		base("cache by itself", func(r *chat.Request) { r.Cache.Auto = true }),
	}
}

// conversations are histories with all that can stand in them.
func conversations() []asked {
	turn := func(label string, messages ...chat.Message) asked {
		return asked{label, &chat.Request{Messages: messages, Tools: []chat.ToolDef{weather, berth}}}
	}
	user := func(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleUser, Parts: parts} }
	calls := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
		chat.Thinking{Text: "Two things to do."},
		chat.Text{Text: "Let me see."},
		chat.ToolCall{ID: "call_1", Name: toolName, Arguments: []byte(`{"city":"Ghent"}`)},
		chat.ToolCall{ID: "call_2", Name: "book_berth", Arguments: []byte(`{"berth":{"row":"A","no":9007199254740993},"nights":null,"extras":[]}`)},
	}}
	return []asked{
		turn("image", user(chat.Text{Text: "What's this?"}, chat.Image{MediaType: "image/png", Data: pixel})),
		turn("image by address", user(chat.Text{Text: "What's this?"}, chat.Image{URL: "https://example.com/a.png", Detail: "low"})),
		turn("file", user(chat.Text{Text: "What's this?"}, chat.File{Name: "a.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4")})),
		turn("file by address", user(chat.Text{Text: "What's this?"}, chat.File{URL: "https://example.com/a.pdf", MediaType: "application/pdf"})),
		turn("file by id", user(chat.Text{Text: "What's this?"}, chat.File{ID: "file-1"})),
		turn("audio", user(chat.Text{Text: "What's this?"}, chat.Audio{MediaType: "audio/wav", Data: []byte("RIFF")})),
		turn("parallel calls", chat.User("Both."), calls,
			chat.Results(chat.TextResult("call_1", "21 degrees"), chat.ErrorResult("call_2", "no berth left"))),
		turn("calls, then words", chat.User("Both."), calls,
			chat.Results(chat.TextResult("call_1", `{"degrees":21}`), chat.TextResult("call_2", "")), chat.User("Well?")),
		turn("image in a result", chat.User("Both."), calls, chat.Results(
			chat.ToolResult{CallID: "call_1", Parts: []chat.Part{chat.Text{Text: "A map."}, chat.Image{MediaType: "image/png", Data: pixel}}},
			chat.TextResult("call_2", "done"))),
		turn("answered", chat.User("Both."), calls,
			chat.Results(chat.TextResult("call_1", "21 degrees"), chat.TextResult("call_2", "done")),
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Thinking{Text: "Done."}, chat.Text{Text: "21 degrees, booked."}}},
			chat.User("Thanks.")),
	}
}
