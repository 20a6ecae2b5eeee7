package engine_test

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// The canned replies tell of a harbour desk with two tools.
var harbour = []chat.ToolDef{
	{Name: "get_tide", Schema: []byte(`{"type":"object","properties":{"station":{"type":"string"},"date":{"type":"string"}}}`)},
	{Name: "book_berth", Schema: []byte(`{"type":"object","properties":{"vessel":{"type":"string"}}}`)},
}

var berths = &chat.Output{
	Name:   "vessel",
	Schema: []byte(`{"type":"object","properties":{"vessel":{"type":"string"},"berths":{"type":"array","items":{"type":"string"}}},"required":["vessel"]}`),
}

// want is what a canned reply has to say.
type want struct {
	parts  []chat.Part
	finish chat.FinishReason
	usage  chat.Usage
}

const (
	berthText = "Kittiwake can lie on C7 tonight; the lock opens at 06:40."
	berthJSON = `{"vessel":"Kittiwake","length_m":11.4,"berths":["C7","C9"],"note":null}`
	tideArgs  = `{"station":"Sorrel Bar","date":"2026-12-04"}`
	bookArgs  = `{"vessel":"Kittiwake","nights":2,"shore_power":true}`
)

// wants has one entry per dialect and canned reply; signatures are left out.
var wants = map[profile.Dialect]map[string]want{
	profile.OpenAIChat: usualReplies("call_Q56S2xz2KK2fBpba3xG7rUnK", "call_uvEf4kUTnE1qo9c2hs4znwpb", usages{{38, 17}, {121, 31}, {112, 21}, {158, 47}}),
	profile.AnthropicMessages: usualReplies("toolu_01HkQqDiajZzg8yTYEBB52Yw", "toolu_01F0vcfRECKrgC2cjYQump0E",
		usages{{44, 19}, {231, 37}, {412, 58}, {476, 118}}, chat.Text{Text: "Looking at both."}),
	profile.OpenAIResponsesAPI: usualReplies("call_Q9Tzggv72ZFJB5PhohMWpr2z", "call_MbKdjvyYQ95mYxX9H6bn8pie", usages{{41, 17}, {127, 31}, {118, 21}, {164, 47}}),
	profile.GeminiAPI:          usualReplies("orgv31v8", "clbpddx0", usages{{40, 39, 22}, {101, 42, 12}, {96, 89, 71}, {142, 127, 88}}),
	profile.OllamaAPI: usualReplies("call_xdzze4t4", "call_lzbtqrm3", usages{{33, 18}, {96, 34}, {181, 29}, {214, 58}},
		chat.Text{Text: "Looking at both."}),
	profile.BedrockConverse: usualReplies("tooluse_3h1bZsKA6ueciPjLZdDreY", "tooluse_t01ezGFq2AfqGKiGgqt2U7",
		usages{{44, 19}, {231, 37}, {412, 58}, {476, 118}}, chat.Text{Text: "Looking at both."}),
	profile.CohereV2:  cohereReplies(),
	profile.AKINative: {"text": {[]chat.Part{chat.Text{Text: berthText}}, chat.FinishStop, chat.Usage{Input: 33, Output: 18}}},
}

// usages are the tokens of text, structured-output, tool-call and
// tool-calls-parallel: input, output, and reasoning if there was any.
type usages [4][3]int

func (u usages) at(i int) chat.Usage {
	return chat.Usage{Input: u[i][0], Output: u[i][1], Reasoning: u[i][2]}
}

// usualReplies are the four replies that most dialects have; before is what the
// model says before its parallel calls.
func usualReplies(tideID, bookID string, u usages, before ...chat.Part) map[string]want {
	tide, book := called(tideID, "get_tide", tideArgs), called(bookID, "book_berth", bookArgs)
	return map[string]want{
		"text":                {[]chat.Part{chat.Text{Text: berthText}}, chat.FinishStop, u.at(0)},
		"structured-output":   {[]chat.Part{chat.Text{Text: berthJSON}}, chat.FinishStop, u.at(1)},
		"tool-call":           {[]chat.Part{tide}, chat.FinishToolCalls, u.at(2)},
		"tool-calls-parallel": {append(before, tide, book), chat.FinishToolCalls, u.at(3)},
	}
}

// cohereReplies: this model says its plan before every call.
func cohereReplies() map[string]want {
	out := usualReplies("get_tide_8a28929ac7f9", "book_berth_5c2f64c7f21e", usages{{1421, 19}, {231, 37}, {1980, 72}, {2040, 133}})
	for _, name := range []string{"tool-call", "tool-calls-parallel"} {
		w := out[name]
		w.parts = append([]chat.Part{chat.Thinking{Text: "I will look up the tide and book a berth."}}, w.parts...)
		out[name] = w
	}
	return out
}

// unsigned takes off the signatures, each of which must name its origin.
func unsigned(t *testing.T, m *mocked, parts []chat.Part) []chat.Part {
	t.Helper()
	check := func(sig *chat.Signature) {
		if !sig.IsZero() && (sig.Engine != m.Name() || sig.Model != m.entry.Profile.Example || sig.Kind == "") {
			t.Errorf("signature %+v does not say whose it is", sig)
		}
		*sig = chat.Signature{}
	}
	out := make([]chat.Part, 0, len(parts))
	for _, part := range parts {
		switch p := part.(type) {
		case chat.Text:
			check(&p.Signature)
			out = append(out, p)
		case chat.Thinking:
			check(&p.Signature)
			out = append(out, p)
		case chat.ToolCall:
			check(&p.Signature)
			out = append(out, p)
		default:
			t.Errorf("a part of type %T", part)
		}
	}
	return out
}

func called(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: []byte(args)}
}

// TestReplies: what a provider answers is read the same, unary and streamed, by
// every engine of the catalog.
func TestReplies(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		d := entry.Profile.Dialect
		if len(wants[d]) == 0 {
			t.Fatalf("dialect %s has no canned replies in this test", d)
		}
		for name, want := range wants[d] {
			req, ok := cannedRequest(entry, name)
			if !ok {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := mock(t, entry, engine.Config{APIKey: testKey}, canned(t, d, name).HeaderAdd(limits))
				checkReply(t, m, req, want)
			})
		}
	})
}

// cannedRequest asks for a canned reply; false if this provider makes no calls,
// or has no schema output of its own (see TestOutputRewritten).
func cannedRequest(entry engine.Entry, name string) (*chat.Request, bool) {
	req := hello(entry)
	switch {
	case name == "structured-output":
		req.Output = berths
		plan, err := entry.New(engine.Config{}).Plan(req)
		return req, err == nil && len(plan.Steps) == 0
	case callsByWire(entry):
		req.Tools = harbour
	}
	return req, callsByWire(entry) || name == "text"
}

// callsByWire reports whether calls have a form of their own on the wire.
func callsByWire(entry engine.Entry) bool {
	return hasTools(entry) && entry.Profile.Tools != toolchoice.Hermes
}

// limits are headers that providers send along.
// Source: OpenAI's and Anthropic's pages on rate limits, read 2026-11-30.
var limits = http.Header{
	"X-Request-Id":               {"req_7"},
	"X-Ratelimit-Limit-Requests": {"60"}, "X-Ratelimit-Remaining-Requests": {"59"},
}

func checkReply(t *testing.T, m *mocked, req *chat.Request, want want) {
	t.Helper()
	reply, err := m.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if parts := unsigned(t, m, reply.Parts); !reflect.DeepEqual(parts, want.parts) || reply.Finish != want.finish || reply.Usage != want.usage {
		t.Errorf("read %+v, %s, %+v\nwant %+v", reply.Parts, reply.Finish, reply.Usage, want)
	}
	if reply.Engine != m.Name() || (reply.ID == "") != namesNoReply(m.entry) || reply.Model == "" || reply.Raw == nil || reply.Timing.Attempts != 1 {
		t.Errorf("the reply says too little of its origin: %+v", reply)
	}
	if reply.RequestID != "req_7" || reply.RateLimit.Requests.Remaining != 59 {
		t.Errorf("headers were not read: %q, %+v", reply.RequestID, reply.RateLimit)
	}
	if (reply.Output != nil) != (req.Output != nil) || req.Output != nil && string(reply.Output) != berthJSON {
		t.Errorf("output is %s", reply.Output)
	}
	events, streamed, err := collect(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	checkTwins(t, reply, streamed)
	checkEvents(t, events, streamed)
}

// namesNoReply: Bedrock and Ollama give their replies no id.
func namesNoReply(entry engine.Entry) bool {
	return entry.Profile.Dialect == profile.BedrockConverse || entry.Profile.Dialect == profile.OllamaAPI
}

// checkTwins: but for its timing and the raw body, the collected stream is the
// reply.
func checkTwins(t *testing.T, reply, streamed *chat.Reply) {
	t.Helper()
	a, b := *reply, *streamed
	if b.Raw != nil || b.Timing.Attempts != 1 {
		t.Errorf("stream: raw %s, timing %+v", b.Raw, b.Timing)
	}
	a.Raw, a.Timing, b.Timing = nil, chat.Timing{}, chat.Timing{}
	a.Parts, b.Parts = sameIDs(a.Parts), sameIDs(b.Parts)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("unary    %+v\nstreamed %+v", a, b)
	}
}

// madeUp is an id that we give to a call without one.
var madeUp = regexp.MustCompile(`^call_[A-Z2-7]{26}$`)

// sameIDs makes ids that we made up comparable.
func sameIDs(parts []chat.Part) []chat.Part {
	parts = slices.Clone(parts)
	for i, part := range parts {
		if c, ok := part.(chat.ToolCall); ok && madeUp.MatchString(c.ID) {
			c.ID = "made up"
			parts[i] = c
		}
	}
	return parts
}

// checkEvents: deltas add up to the reply, calls are ready only once the reply
// is settled, and Done comes last.
func checkEvents(t *testing.T, events []chat.Event, reply *chat.Reply) {
	t.Helper()
	var text, thoughts string
	calls := reply.ToolCalls()
	started := make([]chat.ToolCallStart, 0, len(calls))
	args := make(map[int]string, len(calls))
	ready := 0
	for i, ev := range events {
		if _, done := ev.(chat.ToolCallDone); ready > 0 && !done && i != len(events)-1 {
			t.Errorf("event %d, %T, came after a call was ready", i, ev)
		}
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.ThinkingDelta:
			thoughts += ev.Text
		case chat.ToolCallStart:
			started = append(started, ev)
		case chat.ToolCallDelta:
			args[ev.Index] += ev.Arguments
		case chat.ToolCallDone:
			if ev.Index != ready || ready >= len(calls) || !reflect.DeepEqual(ev.Call, calls[ready]) {
				t.Errorf("ready: %+v, want call %d of %+v", ev, ready, calls)
			}
			ready++
		case chat.Done:
			if i != len(events)-1 {
				t.Errorf("Done is event %d of %d", i, len(events))
			}
		}
	}
	if text != reply.Text() || thoughts != reply.Thoughts() || ready != len(calls) || len(started) != len(calls) {
		t.Errorf("events tell of %q, %q, %d and %d calls; the reply is %+v", text, thoughts, len(started), ready, reply.Parts)
		return
	}
	for i, c := range calls {
		if started[i] != (chat.ToolCallStart{Index: i, ID: c.ID, Name: c.Name}) || args[i] != string(c.Arguments) {
			t.Errorf("call %d: events say %+v %s, the reply %+v", i, started[i], args[i], c)
		}
	}
}

// TestDocumentInsteadOfStream: a server that can't stream answers with a whole
// reply; its events are those of a stream.
func TestDocumentInsteadOfStream(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		req, a := hello(entry), answer{text: "In Ghent."}
		if hasTools(entry) {
			req.Tools, a.calls = matrixTools, []string{"place", "trip"}
		}
		m := mock(t, entry, engine.Config{APIKey: testKey}, document(200, a.by(entry).in(entry.Profile.Dialect, false)))
		reply, err := m.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		events, streamed, err := collect(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		checkTwins(t, reply, streamed)
		checkEvents(t, events, streamed)
	})
}
