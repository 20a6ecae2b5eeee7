package engine_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// forcedAsSchema are models that can't be forced as such, and how a forced tool
// gets there all the same.
var forcedAsSchema = []struct {
	name, engine, model string
	choice              toolchoice.Choice
	tools               []chat.ToolDef
	step                chat.StepKind
	text                string // what the provider writes
}{
	{"named", "perplexity", "sonar", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"any", "perplexity", "sonar", toolchoice.Any(), matrixTools, chat.StepToolsAsSchema, placeInUnion},
	{"any of one", "perplexity", "sonar", toolchoice.Any(), matrixTools[:1], chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"named", "anthropic", "claude-opus-5-5", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"any", "anthropic", "claude-opus-5-5", toolchoice.Any(), matrixTools, chat.StepToolsAsSchema, placeInUnion},
}

const placeInUnion = `{"call":{"name":"place","arguments":{"city":"Ghent"}}}`

// TestForcedToolRewritten: the answer comes back as one synthetic call, with
// one id in the events and the reply, and the next turn shows the provider the
// text that it wrote, not a call that it didn't make.
func TestForcedToolRewritten(t *testing.T) {
	t.Parallel()
	for _, tt := range forcedAsSchema {
		for way, call := range ways {
			t.Run(tt.engine+"/"+tt.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				entry := entryOf(t, tt.engine)
				m := mock(t, entry, engine.Config{APIKey: testKey, Model: tt.model}, says(entry.Profile.Dialect, answer{text: tt.text}))
				req := &chat.Request{Messages: chat.Prompt("Where?"), Tools: tt.tools, ToolChoice: tt.choice}
				reply, err := call(t, m, req)
				if err != nil {
					t.Fatal(err)
				}
				checkSynthetic(t, reply, `{"city":"Ghent"}`)
				if len(reply.Steps) != 1 || reply.Steps[0].Kind != tt.step || reply.Usage != (chat.Usage{Input: 5, Output: 2}) {
					t.Errorf("steps %+v, usage %+v", reply.Steps, reply.Usage)
				}
				checkNextTurn(t, m, call, req, reply, tt.text)
			})
		}
	}
}

// TestForcedToolRewrittenStream: the events of a rewritten call are those of a
// call, and only the settled one is ready to run.
func TestForcedToolRewrittenStream(t *testing.T) {
	t.Parallel()
	for _, tt := range forcedAsSchema {
		t.Run(tt.engine+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			entry := entryOf(t, tt.engine)
			d := entry.Profile.Dialect
			m := mock(t, entry, engine.Config{APIKey: testKey, Model: tt.model}, sse(inPieces(d, tt.text)))
			events, reply, err := collect(t.Context(), m, &chat.Request{
				Messages: chat.Prompt("Where?"), Tools: tt.tools, ToolChoice: tt.choice,
			})
			if err != nil {
				t.Fatal(err)
			}
			checkSynthetic(t, reply, `{"city":"Ghent"}`)
			checkEvents(t, events, reply)
		})
	}
}

// inPieces streams a text two bytes at a time.
func inPieces(d engine.Dialect, text string) string {
	var b strings.Builder
	for piece := range slices.Chunk([]byte(text), 2) {
		b.WriteString(delta(d, string(piece)))
	}
	return opening(d) + b.String() + ending(d)
}

// opening, delta and ending are the parts of a streamed text.
func opening(d engine.Dialect) string {
	if d == engine.AnthropicMessages {
		return `data: {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}` +
			"\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n"
	}
	return `data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
}

func delta(d engine.Dialect, text string) string {
	if d == engine.AnthropicMessages {
		return `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + asJSON(text) + "}}\n\n"
	}
	return `data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"content":` + asJSON(text) + `},"finish_reason":null}]}` + "\n\n"
}

func ending(d engine.Dialect) string {
	if d == engine.AnthropicMessages {
		return `data: {"type":"content_block_stop","index":0}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}` + "\n\n" +
			`data: {"type":"message_stop"}` + "\n\n"
	}
	return `data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}` +
		"\n\ndata: [DONE]\n\n"
}

// checkNextTurn continues a conversation that was stored and read back.
func checkNextTurn(t *testing.T, m *mocked, call caller, req *chat.Request, reply *chat.Reply, wrote string) {
	t.Helper()
	next := &chat.Request{Messages: stored(t, append(slices.Clone(req.Messages),
		reply.Message(), chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "51.06 N")), chat.User("And?")))}
	if _, err := call(t, m, next); err != nil {
		t.Fatal(err)
	}
	body := m.last(t).body
	messages, _ := object(t, body)["messages"].([]any)
	roles := make([]string, 0, len(messages))
	for _, msg := range messages {
		role, _ := dig(msg, "role").(string)
		roles = append(roles, role)
	}
	if !slices.Equal(roles, []string{"user", "assistant", "user"}) {
		t.Errorf("turns of %q, want user, assistant, user: %s", roles, body)
	}
	for _, word := range []string{"tool_calls", "tool_call_id", "tool_use", "tool_result"} {
		if strings.Contains(string(body), word) {
			t.Errorf("%s in %s", word, body)
		}
	}
	if said := asJSON(dig(messages, 1)); !strings.Contains(said, strings.Trim(asJSON(wrote), `"`)) {
		t.Errorf("the provider wrote %s and is shown %s", wrote, said)
	}
	if told := asJSON(dig(messages, 2)); !strings.Contains(told, "Result of place: 51.06 N") || !strings.Contains(told, "And?") {
		t.Errorf("the result is told as %s", told)
	}
}

// stored is a conversation that went through JSON.
func stored(t *testing.T, msgs []chat.Message) []chat.Message {
	t.Helper()
	raw, err := json.Marshal(msgs)
	if err != nil {
		t.Fatal(err)
	}
	var back []chat.Message
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, msgs) {
		t.Errorf("stored %+v\nread   %+v", msgs, back)
	}
	return back
}

// TestSyntheticCallElsewhere: another engine is shown the call as a call.
func TestSyntheticCallElsewhere(t *testing.T) {
	t.Parallel()
	entry := entryOf(t, "perplexity")
	m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry.Profile.Dialect, answer{text: `{"city":"Ghent"}`}))
	req := hello(entry)
	req.Tools, req.ToolChoice = matrixTools, toolchoice.Tool("place")
	reply, err := m.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	history := append(slices.Clone(req.Messages), reply.Message(), chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "51.06 N")))
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry.Profile.Dialect, answer{text: "There."}))
		next := hello(entry)
		next.Messages = history
		if hasTools(entry) {
			next.Tools = matrixTools
		}
		if _, err := m.Chat(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		body := string(m.last(t).body)
		asCall := strings.Contains(body, `"tool_calls"`) || strings.Contains(body, `"tool_use"`)
		if asCall != hasTools(entry) || strings.Contains(body, "rewrite") {
			t.Errorf("shown as a call: %t\n%s", asCall, body)
		}
	})
}

// TestOutputRewritten: where there is no schema output, a reserved tool or the
// prompt carries the schema, and the caller gets a document all the same.
func TestOutputRewritten(t *testing.T) {
	t.Parallel()
	const doc = `{"text":"In Ghent."}`
	for _, tt := range []struct {
		name, engine, model string
		step                chat.StepKind
	}{
		{"as tool", "groq", "llama-3.3-70b-versatile", chat.StepOutputAsTool},
		{"as tool", "anthropic", "claude-sonnet-4-20250514", chat.StepOutputAsTool},
		{"as prompt", "deepseek", "deepseek-v4-flash", chat.StepOutputAsPrompt},
	} {
		t.Run(tt.engine+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			entry := entryOf(t, tt.engine)
			d := entry.Profile.Dialect
			good := answer{text: doc}
			m := mock(t, entry, engine.Config{APIKey: testKey, Model: tt.model}, either(
				outputIn(d, good, tt.step, false), outputIn(d, good, tt.step, true)))
			req := &chat.Request{System: "Be brief.", Messages: chat.Prompt("Where?"), Output: matrixOutput}
			reply, err := m.Chat(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			checkOutputSent(t, m, tt.step)
			if string(reply.Output) != doc || reply.Text() != doc || len(reply.ToolCalls()) > 0 || reply.Finish != chat.FinishStop {
				t.Errorf("reply %+v", reply)
			}
			if len(reply.Steps) != 1 || reply.Steps[0].Kind != tt.step {
				t.Errorf("steps %+v", reply.Steps)
			}
			events, streamed, err := collect(t.Context(), m, req)
			if err != nil {
				t.Fatal(err)
			}
			checkTwins(t, reply, streamed)
			checkEvents(t, events, streamed)
		})
	}
}

// outputIn is an answer whose document may travel as the reserved tool's
// arguments.
func outputIn(d engine.Dialect, a answer, step chat.StepKind, stream bool) string {
	if step != chat.StepOutputAsTool {
		return a.in(d, stream)
	}
	whole := answer{calls: []string{"give_answer"}}.in(d, stream)
	return strings.NewReplacer(
		`"{\"city\":\"Ghent\"}"`, asJSON(a.text), // Chat Completions: arguments are text
		`{"city":"Ghent"}`, a.text,
	).Replace(whole)
}

func checkOutputSent(t *testing.T, m *mocked, step chat.StepKind) {
	t.Helper()
	body := object(t, m.last(t).body)
	if step == chat.StepOutputAsPrompt {
		system, _ := dig(body, "messages", 0, "content").(string)
		if dig(body, "response_format", "type") != "json_object" || !strings.HasPrefix(system, "Be brief.") ||
			!strings.Contains(system, string(matrixOutput.Schema)) {
			t.Errorf("sent %v", body)
		}
		return
	}
	choice := asJSON(body["tool_choice"])
	if len(body["tools"].([]any)) != 1 || !strings.Contains(choice, "give_answer") || body["response_format"] != nil {
		t.Errorf("tool_choice %s, sent %v", choice, body)
	}
}

// TestOutputUnmet: an answer that isn't the document asked for is an error that
// carries the reply.
func TestOutputUnmet(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"prose": "In Ghent.", "cut": `{"text":"In Gh`, "another shape": `{"city":"Ghent"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				req := hello(entry)
				req.Output = matrixOutput
				m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry.Profile.Dialect, answer{text: text}))
				_, err := call(t, m, req)
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(err, chat.ErrOutputUnmet) || e.Reply == nil || e.Reply.Text() != text {
					t.Errorf("error %v", err)
				}
				if m.calls() != 1 {
					t.Errorf("%d requests: what a model wrote is not retried", m.calls())
				}
			})
		})
	}
}
