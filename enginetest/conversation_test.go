package enginetest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// speaker is an engine with a model.
type speaker struct{ engine, model string }

func (s speaker) String() string { return s.engine + " " + s.model }

// signs reports whether what the model says holds tokens to be said back.
func (s speaker) signs() bool {
	switch s.engine {
	case "anthropic", "gemini", "vertex", "openai-responses":
		return true
	case "bedrock":
		return strings.Contains(s.model, "claude")
	}
	return false
}

func (s speaker) on(t *testing.T, srv *sim.Server) engine.Engine {
	t.Helper()
	eng, err := engine.New(s.engine, engine.Config{
		APIKey: "k", BaseURL: srv.BaseURL(s.engine), Model: s.model, MaxAttempts: 1,
		HTTPClient: &http.Client{Transport: srv.RoundTripper()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

// speakers are all engines of the catalog, and models with other rules about
// what must be said back.
func speakers() []speaker {
	var out []speaker
	for _, e := range engine.Catalog() {
		out = append(out, speaker{e.Profile.Name, e.Profile.Example})
	}
	return append(out,
		speaker{"anthropic", "claude-sonnet-4-5"}, speaker{"anthropic", "claude-opus-5-5"},
		speaker{"bedrock", "us.anthropic.claude-opus-4-6-v1"}, speaker{"bedrock", "mistral.mistral-large-2407-v1:0"},
		speaker{"openai-responses", "gpt-5"}, speaker{"gemini", "gemini-2.5-flash"}, speaker{"cohere", "command-a-reasoning-08-2025"},
	)
}

// png is a picture of one dot.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89")

// opening is the beginning of a conversation. Where a wire can't take it all,
// less of it is asked for.
func opening(image bool) *chat.Request {
	req := harbour()
	req.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOn, Show: true}
	if image {
		req.Messages[0].Parts = append(req.Messages[0].Parts, chat.Image{MediaType: "image/png", Data: png})
	}
	return req
}

// retreats are what a request gives up, one after the other, on an engine that
// refuses it.
var retreats = []func(*chat.Request){
	func(*chat.Request) {},
	func(r *chat.Request) { r.Thinking.Show = false },
	func(r *chat.Request) { r.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingAdaptive} },
	func(r *chat.Request) { r.Thinking = chat.ThinkingConfig{} },
	func(r *chat.Request) { r.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOff} },
}

// talk and forced are the last retreats on an engine that takes no tools: to
// talk, or to call in another form.
func talk(r *chat.Request) { r.Tools = nil }

func forced(r *chat.Request) { r.ToolChoice = toolchoice.Tool("get_weather") }

// say sends a request with as few retreats as possible.
func say(t *testing.T, eng engine.Engine, req *chat.Request, stream bool, last func(*chat.Request)) *chat.Reply {
	t.Helper()
	var err error
	for _, retreat := range append(slices.Clone(retreats), last) {
		retreat(req)
		if _, err = eng.Plan(req); err == nil {
			break
		}
	}
	var reply *chat.Reply
	if err == nil && stream && !eng.Capabilities(req.Model).Can.Has(profile.Streaming) {
		stream = false
	}
	switch {
	case err != nil:
	case stream:
		for ev, e := range eng.Stream(t.Context(), req) {
			if err = e; err != nil {
				break
			}
			if done, ok := ev.(chat.Done); ok {
				reply = done.Reply
			}
		}
	default:
		reply, err = eng.Chat(t.Context(), req)
	}
	if err != nil {
		t.Fatalf("%s: %v", eng.Name(), err)
	}
	return reply
}

// spoken is a conversation that an engine has begun.
type spoken struct {
	open   []chat.Message // up to the results of two calls
	closed []chat.Message // up to the answer to them, and one more question
	opaque []string
}

// begin makes a conversation of two turns, with two calls side by side, of
// which one failed.
func begin(t *testing.T, a speaker, image, stream bool) spoken {
	t.Helper()
	call := func(id, args string) sim.ToolCall {
		return sim.ToolCall{ID: id, Name: "get_weather", Arguments: json.RawMessage(args)}
	}
	srv := sim.New(sim.Options{Turns: []sim.Turn{{
		Thinking: "Two towns are meant: I ask for both.",
		Calls:    []sim.ToolCall{call("", `{"city":"Ghent","unit":"c"}`), call("", `{"city":"Oostende"}`)},
	}}})
	eng := a.on(t, srv)
	req := opening(image)
	first := say(t, eng, req, stream, forced)
	if calls := first.ToolCalls(); len(calls) != 2 && (len(calls) != 1 || !calls[0].Synthetic) {
		t.Fatalf("%s made the calls %+v", a, calls)
	}
	s := spoken{open: append(req.Messages, first.Message()), opaque: opaque(first)}
	s.open = append(s.open, chat.Results(answers(first.ToolCalls())...))
	next := harbour()
	next.Messages, next.Thinking = s.open, req.Thinking
	second := say(t, eng, next, stream, talk)
	s.opaque = append(s.opaque, opaque(second)...)
	if len(s.opaque) == 0 && a.signs() {
		t.Errorf("%s signed nothing", a)
	}
	s.closed = append(append(s.closed, s.open...), second.Message())
	s.closed = append(s.closed, chat.User("And what about the weather in Brugge?"))
	return s
}

// answers are results: the first is well, the others have failed.
func answers(calls []chat.ToolCall) []chat.ToolResult {
	var out []chat.ToolResult
	for i, c := range calls {
		if i == 0 {
			out = append(out, chat.TextResult(c.ID, "4 degrees and rain"))
		} else {
			out = append(out, chat.ErrorResult(c.ID, "no such station"))
		}
	}
	return out
}

// opaque are the tokens in a reply that only its maker can read.
func opaque(r *chat.Reply) []string {
	var out []string
	add := func(s chat.Signature) {
		if len(s.Data) > 40 && !strings.ContainsAny(s.Data, " \n") {
			out = append(out, s.Data)
		}
	}
	for _, p := range r.Parts {
		switch p := p.(type) {
		case chat.Thinking:
			add(p.Signature)
		case chat.Text:
			add(p.Signature)
		case chat.ToolCall:
			add(p.Signature)
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
		}
	}
	return out
}

// TestConversationsMoveBetweenEngines: for every ordered pair of engines, a
// conversation that began on one goes on on the other, in the middle of a tool
// loop and after it. The strict simulator takes what is sent, and nothing that
// only its maker can read gets to anybody else.
func TestConversationsMoveBetweenEngines(t *testing.T) {
	t.Parallel()
	for i, a := range speakers() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			begun := map[bool]spoken{}
			for j, b := range speakers() {
				t.Run("to "+b.String(), func(t *testing.T) {
					image := takesImages(t, a) && takesImages(t, b)
					s, ok := begun[image]
					if !ok {
						s = begin(t, a, image, i%2 == 0)
						begun[image] = s
					}
					goOn(t, a, b, s, s.open, j%2 == 0)
					goOn(t, a, b, s, s.closed, j%2 == 1)
				})
			}
		})
	}
}

func takesImages(t *testing.T, s speaker) bool {
	t.Helper()
	return s.on(t, sim.New(sim.Options{})).Capabilities(s.model).Can.Has(profile.Images)
}

// goOn continues a conversation and looks at what was sent.
func goOn(t *testing.T, a, b speaker, s spoken, history []chat.Message, stream bool) {
	t.Helper()
	srv := sim.New(sim.Options{})
	req := opening(false)
	req.Messages = history
	reply := say(t, b.on(t, srv), req, stream, talk)
	if reply == nil || reply.Text() == "" && len(reply.ToolCalls()) == 0 {
		t.Errorf("no answer: %+v", reply)
	}
	sent := srv.Requests()
	body := string(sent[len(sent)-1].Body)
	for _, token := range s.opaque {
		if a.engine != b.engine && strings.Contains(body, token) {
			t.Errorf("%s got another's token %.40s…\n%s", b, token, body)
		}
		if a == b && token == s.opaque[0] && !strings.Contains(body, token) {
			t.Errorf("%s didn't get its own token back: %.40s…\n%s", b, token, body)
		}
	}
}
