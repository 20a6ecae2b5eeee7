package engine_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
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
	finish chat.Finish
	usage  chat.Usage
}

const (
	berthText = "Kittiwake can lie on C7 tonight; the lock opens at 06:40."
	berthJSON = `{"vessel":"Kittiwake","length_m":11.4,"berths":["C7","C9"],"note":null}`
	tideArgs  = `{"station":"Sorrel Bar","date":"2026-12-04"}`
	bookArgs  = `{"vessel":"Kittiwake","nights":2,"shore_power":true}`
)

// wants has one entry per dialect and canned reply.
var wants = map[engine.Dialect]map[string]want{
	engine.OpenAIChat: {
		"text":              {[]chat.Part{chat.Text{Text: berthText}}, chat.FinishStop, chat.Usage{Input: 38, Output: 17}},
		"structured-output": {[]chat.Part{chat.Text{Text: berthJSON}}, chat.FinishStop, chat.Usage{Input: 121, Output: 31}},
		"tool-call": {[]chat.Part{
			called("call_Q56S2xz2KK2fBpba3xG7rUnK", "get_tide", tideArgs),
		}, chat.FinishToolCalls, chat.Usage{Input: 112, Output: 21}},
		"tool-calls-parallel": {[]chat.Part{
			called("call_Q56S2xz2KK2fBpba3xG7rUnK", "get_tide", tideArgs),
			called("call_uvEf4kUTnE1qo9c2hs4znwpb", "book_berth", bookArgs),
		}, chat.FinishToolCalls, chat.Usage{Input: 158, Output: 47}},
	},
	engine.AnthropicMessages: {
		"text":              {[]chat.Part{chat.Text{Text: berthText}}, chat.FinishStop, chat.Usage{Input: 44, Output: 19}},
		"structured-output": {[]chat.Part{chat.Text{Text: berthJSON}}, chat.FinishStop, chat.Usage{Input: 231, Output: 37}},
		"tool-call": {[]chat.Part{
			called("toolu_01HkQqDiajZzg8yTYEBB52Yw", "get_tide", tideArgs),
		}, chat.FinishToolCalls, chat.Usage{Input: 412, Output: 58}},
		"tool-calls-parallel": {[]chat.Part{
			chat.Text{Text: "Looking at both."},
			called("toolu_01HkQqDiajZzg8yTYEBB52Yw", "get_tide", tideArgs),
			called("toolu_01F0vcfRECKrgC2cjYQump0E", "book_berth", bookArgs),
		}, chat.FinishToolCalls, chat.Usage{Input: 476, Output: 118}},
	},
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
		return req, err == nil && len(plan.Steps()) == 0
	case hasTools(entry):
		req.Tools = harbour
	}
	return req, hasTools(entry) || name == "text"
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
	if !reflect.DeepEqual(reply.Parts, want.parts) || reply.Finish != want.finish || reply.Usage != want.usage {
		t.Errorf("read %+v, %s, %+v\nwant %+v", reply.Parts, reply.Finish, reply.Usage, want)
	}
	if reply.Engine != m.Name() || reply.ID == "" || reply.Model == "" || reply.Raw == nil || reply.Timing.Attempts != 1 {
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

// checkTwins: but for its timing and the raw body, the collected stream is the
// reply.
func checkTwins(t *testing.T, reply, streamed *chat.Reply) {
	t.Helper()
	a, b := *reply, *streamed
	if b.Raw != nil || b.Timing.Attempts != 1 {
		t.Errorf("stream: raw %s, timing %+v", b.Raw, b.Timing)
	}
	a.Raw, a.Timing, b.Timing = nil, chat.Timing{}, chat.Timing{}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("unary    %+v\nstreamed %+v", a, b)
	}
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

// TestThoughtsAreSaidBack: thinking keeps its signature, and goes back to the
// provider as it came.
func TestThoughtsAreSaidBack(t *testing.T) {
	t.Parallel()
	entry := entryOf(t, "anthropic")
	for name, call := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mock(t, entry, engine.Config{APIKey: testKey}, canned(t, entry.Profile.Dialect, "thinking-tool-call"))
			req := hello(entry)
			req.Tools, req.Thinking = harbour, chat.Think{Budget: 2048}
			reply, err := call(t, m, req)
			if err != nil {
				t.Fatal(err)
			}
			thought, ok := reply.Parts[0].(chat.Thinking)
			if !ok || thought.Text == "" || thought.Signature.Engine != "anthropic" || thought.Signature.Kind != "signature" {
				t.Fatalf("first part %+v", reply.Parts[0])
			}
			req.Messages = append(req.Messages, reply.Message(), chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "2.1 m")))
			if _, err := call(t, m, req); err != nil {
				t.Fatal(err)
			}
			block := dig(object(t, m.last(t).body), "messages", 1, "content", 0)
			if dig(block, "type") != "thinking" || dig(block, "thinking") != thought.Text || dig(block, "signature") != thought.Signature.Data {
				t.Errorf("said back as %v", block)
			}
		})
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
		m := mock(t, entry, engine.Config{APIKey: testKey}, document(200, a.in(entry.Profile.Dialect, false)))
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
