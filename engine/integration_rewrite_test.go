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
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// forcedAsSchema are models that can't be forced as such, and how a forced tool
// gets there all the same.
var forcedAsSchema = []struct {
	name, engine, model string
	choice              toolchoice.Choice
	tools               []chat.ToolDef
	step                chat.PlanStepKind
	text                string // what the provider writes
}{
	{"named", "perplexity", "sonar", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"any", "perplexity", "sonar", toolchoice.Any(), matrixTools, chat.StepToolsAsSchema, placeInUnion},
	{"any of one", "perplexity", "sonar", toolchoice.Any(), matrixTools[:1], chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"named", "anthropic", "claude-opus-5-5", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"any", "anthropic", "claude-opus-5-5", toolchoice.Any(), matrixTools, chat.StepToolsAsSchema, placeInUnion},
	{"named", "bedrock", "eu.anthropic.claude-opus-5-5-v1:0", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"any", "bedrock", "eu.anthropic.claude-opus-5-5-v1:0", toolchoice.Any(), matrixTools, chat.StepToolsAsSchema, placeInUnion},
	{"named", "ollama", "qwen3.5", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
	{"any", "ollama", "qwen3.5", toolchoice.Any(), matrixTools, chat.StepToolsAsSchema, placeInUnion},
	{"named", "ollama-openai", "gpt-oss:20b", toolchoice.Tool("place"), matrixTools, chat.StepToolAsSchema, `{"city":"Ghent"}`},
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
				m := mock(t, entry, engine.Config{APIKey: testKey, Model: tt.model}, says(entry, answer{text: tt.text}))
				req := &chat.Request{Messages: chat.Prompt("Where?"), Tools: tt.tools, ToolChoice: tt.choice}
				reply, err := call(t, m, req)
				if err != nil {
					t.Fatal(err)
				}
				checkSynthetic(t, reply, `{"city":"Ghent"}`)
				if !tookStep(reply.Steps, tt.step) || reply.Usage != (chat.Usage{Input: 5, Output: 2}) {
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
			m := mock(t, entry, engine.Config{APIKey: testKey, Model: tt.model}, stream200(d, streamed(d, tt.text)))
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

// checkNextTurn continues a conversation that was stored and read back.
func checkNextTurn(t *testing.T, m *mocked, call caller, req *chat.Request, reply *chat.Reply, wrote string) {
	t.Helper()
	next := &chat.Request{Messages: stored(t, append(slices.Clone(req.Messages),
		reply.Message(), chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "51.06 N")), chat.User("And?")))}
	if _, err := call(t, m, next); err != nil {
		t.Fatal(err)
	}
	last := m.last(t)
	v, err := look(m.entry.Profile.Dialect, last.address(t), last.body)
	if err != nil {
		t.Fatal(err)
	}
	roles := make([]string, 0, len(v.messages))
	for _, msg := range v.messages {
		role, _ := dig(msg, "role").(string)
		roles = append(roles, role)
	}
	if !slices.Equal(roles, []string{"user", "assistant", "user"}) || v.history {
		t.Errorf("turns of %q, want user, assistant, user, and no call: %s", roles, last.body)
	}
	if said := asJSON(dig(v.messages, 1)); !strings.Contains(said, strings.Trim(asJSON(wrote), `"`)) {
		t.Errorf("the provider wrote %s and is shown %s", wrote, said)
	}
	if told := asJSON(dig(v.messages, 2)); !strings.Contains(told, "Result of place: 51.06 N") || !strings.Contains(told, "And?") {
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
	m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry, answer{text: `{"city":"Ghent"}`}))
	req := hello(entry)
	req.Tools, req.ToolChoice = matrixTools, toolchoice.Tool("place")
	reply, err := m.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	history := append(slices.Clone(req.Messages), reply.Message(), chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "51.06 N")))
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry, answer{text: "There."}))
		next := hello(entry)
		next.Messages = history
		if hasTools(entry) {
			next.Tools = matrixTools
		}
		if _, err := m.Chat(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		last := m.last(t)
		v, err := look(entry.Profile.Dialect, last.address(t), last.body)
		if err != nil {
			t.Fatal(err)
		}
		inWords := strings.Contains(asJSON(v.messages), "tool_response")
		if (v.history || inWords) != hasTools(entry) || inWords != (entry.Profile.Tools == toolchoice.Hermes) || strings.Contains(string(last.body), "rewrite") {
			t.Errorf("shown as a call: %t, in words: %t\n%s", v.history, inWords, last.body)
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
		step                chat.PlanStepKind
	}{
		{"as tool", "groq", "llama-3.3-70b-versatile", chat.StepOutputAsTool},
		{"as tool", "anthropic", "claude-sonnet-4-20250514", chat.StepOutputAsTool},
		{"as prompt", "deepseek", "deepseek-v4-flash", chat.StepOutputAsPrompt},
		{"as tool", "bedrock", "amazon.nova-pro-v1:0", chat.StepOutputAsTool},
		{"as tool", "bedrock", "mistral.mistral-large-2407-v1:0", chat.StepOutputAsTool},
	} {
		t.Run(tt.engine+"/"+tt.model, func(t *testing.T) {
			t.Parallel()
			entry := entryOf(t, tt.engine)
			d := entry.Profile.Dialect
			good := answer{text: doc}
			m := mock(t, entry, engine.Config{APIKey: testKey, Model: tt.model}, respond(d,
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
func outputIn(d profile.Dialect, a answer, step chat.PlanStepKind, stream bool) string {
	if step != chat.StepOutputAsTool {
		return a.in(d, stream)
	}
	old := placeArgs
	if d == profile.BedrockConverse && stream {
		return streamedOutput(a.text)
	}
	whole := answer{calls: []string{"give_answer"}}.in(d, stream)
	return strings.NewReplacer(asJSON(old), asJSON(a.text), old, a.text).Replace(whole) // arguments are text on some wires
}

// streamedOutput is a call of the reserved tool in Bedrock's frames, whose
// checksums forbid to change them afterwards.
func streamedOutput(args string) string {
	called := answer{calls: []string{"give_answer"}}
	return bedrockVoice.begin + bedrockCall(0, callID(0), "give_answer", args) + strings.Join(bedrockVoice.end(called), "")
}

func checkOutputSent(t *testing.T, m *mocked, step chat.PlanStepKind) {
	t.Helper()
	last := m.last(t)
	v, err := look(m.entry.Profile.Dialect, last.address(t), last.body)
	if err != nil {
		t.Fatal(err)
	}
	if step == chat.StepOutputAsPrompt {
		system, _ := dig(v.messages, 0, "content").(string)
		if dig(v.body, "response_format", "type") != "json_object" || !strings.HasPrefix(system, "Be brief.") ||
			!strings.Contains(system, string(matrixOutput.Schema)) {
			t.Errorf("sent %s", last.body)
		}
		return
	}
	if !slices.Equal(v.tools, []string{"give_answer"}) || !v.forced || v.jsonMode {
		t.Errorf("tools %v, tool choice %v, sent %s", v.tools, v.choice, last.body)
	}
}

// tookStep reports whether a rewrite was made.
func tookStep(steps []chat.PlanStep, kind chat.PlanStepKind) bool {
	return slices.ContainsFunc(steps, func(s chat.PlanStep) bool { return s.Kind == kind })
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
				if entry.Profile.Tools == toolchoice.Hermes {
					checkNoOutput(t, entry, req)
					return
				}
				m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry, answer{text: text}))
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

// checkNoOutput: wires that know nothing but text refuse a schema.
func checkNoOutput(t *testing.T, entry engine.Entry, req *chat.Request) {
	t.Helper()
	if _, err := entry.New(engine.Config{}).Plan(req); !errors.Is(err, chat.ErrUnsupported) {
		t.Errorf("error %v, want a refusal", err)
	}
}
