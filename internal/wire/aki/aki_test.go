package aki_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/aki"
	"github.com/sabir-go/sabir/internal/wire/hermes"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

func asked() wire.Call {
	return wire.Call{Model: "llama3_8b_chat", System: "Be brief.", Messages: chat.Prompt(`Where is "C7"?`)}
}

// TestRequest: the conversation is a string, the key is nowhere in it, and
// where it belongs is said beside it.
func TestRequest(t *testing.T) {
	t.Parallel()
	c := asked()
	c.MaxTokens, c.Temperature, c.TopP = 1000, new(0.8), new(0.9)
	c.Extra = []wire.Member{{Name: "chat_output_format", Value: json.RawMessage(`"json"`)}, {Name: "top_k", Value: json.RawMessage("40")}}
	enc, err := codec.EncodeRequest(c)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"chat_context":"[{\"role\":\"system\",\"content\":\"Be brief.\"},` +
		`{\"role\":\"user\",\"content\":\"Where is \\\"C7\\\"?\"}]","temperature":0.8,"top_p":0.9,"max_gen_tokens":1000,` +
		`"wait_for_result":true,"chat_output_format":"json","top_k":40}`
	if string(enc.Body) != want || enc.Path != "/api/call/llama3_8b_chat" || enc.KeyMember != "key" {
		t.Errorf("got %s %q %s\nwant %s", enc.Path, enc.KeyMember, enc.Body, want)
	}
	again, err := codec.EncodeRequest(c)
	if err != nil || !bytes.Equal(again.Body, enc.Body) {
		t.Errorf("second encoding differs: %s, %v", again.Body, err)
	}
}

// context is the conversation as the server reads it.
func context(t *testing.T, c wire.Call) string {
	t.Helper()
	enc, err := codec.EncodeRequest(c)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Context string `json:"chat_context"`
	}
	if err := json.Unmarshal(enc.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Context
}

// TestTurnsAlternate: what follows in the same role is one turn, and thoughts
// aren't said back.
func TestTurnsAlternate(t *testing.T) {
	t.Parallel()
	c := asked()
	c.Messages = append(c.Messages,
		chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "And"}, chat.Text{}, chat.Text{Text: "D1?"}}},
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Thinking{Text: "hm"}, chat.Text{Text: "In "}, chat.Text{Text: "dock C."}}},
		chat.Assistant(""), chat.System("Be kind."), chat.User("Thanks"))
	const want = `[{"role":"system","content":"Be brief."},{"role":"user","content":"Where is \"C7\"?\n\nAnd\nD1?"},` +
		`{"role":"assistant","content":"In dock C."},{"role":"system","content":"Be kind."},{"role":"user","content":"Thanks"}]`
	if got := context(t, c); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := context(t, wire.Call{Model: "m"}); got != "[]" {
		t.Errorf("nothing to say: %s", got)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	c := asked()
	c.Model = "../keys?a=b#c"
	enc, err := codec.EncodeRequest(c)
	if err != nil || enc.Path != "/api/call/..%2Fkeys%3Fa=b%23c" {
		t.Errorf("%s, %v", enc.Path, err)
	}
}

// TestRefused: what the wire can't carry is an error that says what it is.
func TestRefused(t *testing.T) {
	t.Parallel()
	say := func(role chat.Role, p ...chat.Part) func(*wire.Call) {
		return func(c *wire.Call) { c.Messages = []chat.Message{{Role: role, Parts: p}} }
	}
	for name, tt := range map[string]struct {
		change func(c *wire.Call)
		want   string
	}{
		"a stream":           {func(c *wire.Call) { c.Stream = true }, "streaming"},
		"tools":              {func(c *wire.Call) { c.Tools = []chat.ToolDef{{Name: "f"}} }, "tools"},
		"a choice":           {func(c *wire.Call) { c.Choice = toolchoice.Auto() }, "tool choice"},
		"a subset":           {func(c *wire.Call) { c.Allowed = []string{} }, "tool choice"},
		"a format":           {func(c *wire.Call) { c.Format = &wire.Format{} }, "output format"},
		"thinking":           {func(c *wire.Call) { c.Thinking.Effort = "low" }, "thinking"},
		"stop texts":         {func(c *wire.Call) { c.Stop = []string{"x"} }, "stop"},
		"a seed":             {func(c *wire.Call) { c.Seed = new(int64(1)) }, "seed"},
		"a cache key":        {func(c *wire.Call) { c.Cache.Key = "k" }, "cache key"},
		"metadata":           {func(c *wire.Call) { c.Metadata = map[string]string{"a": "b"} }, "metadata"},
		"no model":           {func(c *wire.Call) { c.Model = "" }, "model"},
		"a model of dots":    {func(c *wire.Call) { c.Model = ".." }, "model"},
		"an image":           {say(chat.RoleUser, chat.Image{Data: []byte("x")}), "chat.Image"},
		"a thought of ours":  {say(chat.RoleUser, chat.Thinking{Text: "x"}), "chat.Thinking"},
		"a call":             {say(chat.RoleAssistant, chat.ToolCall{ID: "c", Name: "f"}), "chat.ToolCall"},
		"a turn of results":  {say(chat.RoleTool, chat.TextResult("c", "x")), "results"},
		"a role of its own":  {say("critic"), "critic"},
		"a file of a system": {say(chat.RoleSystem, chat.File{ID: "f"}), "message 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := asked()
			tt.change(&c)
			enc, err := codec.EncodeRequest(c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || enc.Body != nil {
				t.Errorf("got %s, %v", enc.Body, err)
			}
		})
	}
}

// TestToolsInWords: tools travel over this wire as text, both ways.
func TestToolsInWords(t *testing.T) {
	t.Parallel()
	c := asked()
	c.Tools = []chat.ToolDef{{Name: "get_tide", Schema: json.RawMessage(`{"type":"object"}`)}}
	c, err := hermes.Rewrite(c, toolchoice.Any(), hermes.Template{})
	if err != nil {
		t.Fatal(err)
	}
	if got := context(t, c); !strings.Contains(got, "get_tide") || !strings.Contains(got, "Be brief.") {
		t.Errorf("sent %s", got)
	}
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(hermes.NewFilter(hermes.Template{}))
	r, err := wire.ReadReply(codec, a, []byte(`{"success":true,"text":"Looking.\n<tool_call>\n{\"name\": \"get_tide\", \"arguments\": {}}\n</tool_call>"}`))
	if err != nil {
		t.Fatal(err)
	}
	if calls := r.ToolCalls(); r.Text() != "Looking." || len(calls) != 1 || calls[0].Name != "get_tide" || r.Finish != chat.FinishToolCalls {
		t.Errorf("got %+v", r)
	}
}

// TestEventIsTheReply: a server that answers a stream with its one document is
// read all the same.
func TestEventIsTheReply(t *testing.T) {
	t.Parallel()
	body := []byte(`{"success":true,"text":{"thinking":"hm","content":"hi"},"job_id":"j"}`)
	r, events, err := wiretest.Collect(codec, frame.NewNDJSON(bytes.NewReader(body), 0))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := wiretest.Reply(codec, body)
	if err != nil || !reflect.DeepEqual(r.Parts, whole.Parts) || r.Finish != chat.FinishStop || len(events) != 2 {
		t.Errorf("stream %+v, %d events; reply %+v, %v", r, len(events), whole, err)
	}
	events, err = wire.ReadEvent(aki.Codec{}, wire.NewAssembly(wire.Limits{}), frame.Frame{Data: []byte(`{"success":false,"error":"no"}`)})
	if !errors.Is(err, chat.ErrBadRequest) || events != nil {
		t.Errorf("a failure gives %v, %v", events, err)
	}
	if events, err := wire.ReadEvent(codec, wire.NewAssembly(wire.Limits{}), frame.Frame{Data: []byte(" ")}); events != nil || err != nil {
		t.Errorf("a blank line gives %v, %v", events, err)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	body := []byte(`{"success":true,"text":"` + strings.Repeat("x", 100) + `"}`)
	if _, err := wire.ReadReply(codec, wire.NewAssembly(wire.Limits{Reply: 99}), body); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("got %v", err)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("m", "hi")
	f.Add("../\x00", "\u2028\xff\"\\")
	f.Fuzz(func(t *testing.T, model, text string) {
		enc, err := codec.EncodeRequest(wire.Call{Model: model + "x", System: text, Messages: chat.Prompt(text)})
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Context string `json:"chat_context"`
		}
		if err := json.Unmarshal(enc.Body, &body); err != nil || !json.Valid([]byte(body.Context)) {
			t.Fatalf("%v: %s", err, enc.Body)
		}
		if strings.ContainsAny(enc.Path[1:], "?# ") || strings.Count(enc.Path, "/") != 3 {
			t.Errorf("path %q", enc.Path)
		}
	})
}
