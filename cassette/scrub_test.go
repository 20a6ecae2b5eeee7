package cassette_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/cassette"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestHoldsNoKey: nothing secret of engine.Config gets into a file, on
// any engine, though the provider says the key back.
func TestHoldsNoKey(t *testing.T) {
	t.Parallel()
	const key = "the-key-of-nobody"
	for _, entry := range engine.Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			server := sim.New(sim.Options{ScriptOnly: true, Turns: []sim.Turn{
				{Text: "Hello."}, {Fail: &sim.Failure{Status: 401, Message: "Incorrect API key provided: " + key}}, {Text: "Hello again."},
			}})
			path := filepath.Join(t.TempDir(), "tape.jsonl")
			cfg := engine.Config{
				APIKey: key, Model: entry.Profile.Example, BaseURL: server.BaseURL(entry.Profile.Name) + "?api_key=in-the-query", MaxAttempts: 1,
				Region: "eu", Project: "p", Header: http.Header{"X-Team": {"secret-of-a-header"}},
				HTTPClient: &http.Client{Transport: server.RoundTripper()},
			}
			eng, err := engine.New(entry.Profile.Name, cfg)
			if err != nil {
				t.Fatal(err)
			}
			tape := &cassette.Tape{Path: path, Record: true}
			for _, form := range []string{"chat", "stream", "stream"} {
				_, _ = bothForms[form](t.Context(), tape.Wrap(eng), sayHello())
			}
			if len(server.Requests()) != 3 {
				t.Fatalf("%d requests reached the server", len(server.Requests()))
			}
			for _, secret := range []string{key, "in-the-query", "secret-of-a-header"} {
				clean(t, path, secret)
			}
		})
	}
}

// clean checks that a file doesn't hold a text, and returns the file.
func clean(t *testing.T, path, secret string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) == 0 {
		t.Fatalf("%v: %q", err, raw)
	}
	if strings.Contains(string(raw), secret) {
		t.Errorf("%q is in the file:\n%s", secret, raw)
	}
	return string(raw)
}

// TestScrubs: what looks like a secret, wherever it stands, is gone from
// the file, and the call is found all the same.
func TestScrubs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a1B2", 10)
	for name, c := range map[string]struct{ text, secret, kept string }{
		"OpenAI":             {"use sk-proj-" + long + " here", long, "use [redacted] here"},
		"Anthropic":          {"(sk-ant-api03-" + long + ")", long, "([redacted])"},
		"Groq":               {"gsk_" + long, long, "[redacted]"},
		"Google":             {"AIza" + long, long, "[redacted]"},
		"AWS":                {"AKIAABCDEFGHIJKLMNOP", "ABCDEFGHIJKLMNOP", "[redacted]"},
		"GitHub":             {"ghp_" + long, long, "[redacted]"},
		"a web token":        {"eyJhbGciOiJI.eyJzdWIiOiIx.abc-def", "eyJzdWIiOiIx", "[redacted]"},
		"a bearer":           {"Authorization: Bearer " + long, long, "Bearer [redacted]"},
		"a password":         {"postgres://me:hunter2@db/x", "hunter2", "postgres://[redacted]@db/x"},
		"a query":            {"https://x.test/a?b=1&token=hunter2&c=2", "hunter2", "a?b=1&token=[redacted]&c=2"},
		"JSON in a text":     {`as {"api_key": "hun\"ter2", "b":1}`, "ter2", `as {\"api_key\": \"[redacted]\", \"b\":1}`},
		"a text of JSON":     {`[{"api_key": "hunter2", "b":"1 < 2"}]`, "hunter2", `[{\"api_key\":\"[redacted]\",\"b\":\"1 < 2\"}]`},
		"JSON without any":   {`[{"b": "1 < 2" , "a":0}]`, "hunter2", `[{\"b\": \"1 < 2\" , \"a\":0}]`},
		"one that is listed": {"of Ada L. & Co, ask Ada%20L.", "Ada", "of [redacted] & Co, ask [redacted]"},
		"a private key":      {"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "abc\\n", "[redacted]-----"},
		"no secret":          {"the basic understanding of sk-8 and a bearer", "[redacted]", "the basic understanding of sk-8 and a bearer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tape.jsonl")
			req := sayHello()
			req.System, req.Messages = c.text, append(req.Messages, chat.Assistant(c.text), chat.User(c.text))
			said := enginetest.New(enginetest.Says(c.text))
			listed := []string{"Ada L.", "abc"[:2]}
			if reply, err := (&cassette.Tape{Path: path, Record: true, Secrets: listed}).Wrap(said).Chat(t.Context(), req); err != nil || reply.Text() != c.text {
				t.Fatalf("recording: %v, %+v", err, reply)
			}
			file := clean(t, path, c.secret)
			if !strings.Contains(file, c.kept) {
				t.Errorf("%q is not in the file:\n%s", c.kept, file)
			}
			reply, err := (&cassette.Tape{Path: path, Secrets: listed}).Wrap(offline()).Chat(t.Context(), req)
			if err != nil || strings.Contains(reply.Text(), c.secret) {
				t.Errorf("%v: %+v", err, reply)
			}
		})
	}
}

// TestScrubsMembers: members are known by their names; a schema that has
// such a name is no secret.
func TestScrubsMembers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	req := place(toolchoice.Any())
	req.Tools[0].Schema = []byte(`{"type":"object","properties":{"password":{"type":"string"}},"required":["password"]}`)
	req.Extra = chat.Extra{"openai-compatible": {"connector": json.RawMessage(`{"Authorization":"hunter2","api-key":"hunter2","n":12345678901234567890}`)}}
	fake := enginetest.New(enginetest.Calls("place", map[string]string{"password": "hunter2"}))
	if _, err := (&cassette.Tape{Path: path, Record: true}).Wrap(fake).Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	file := clean(t, path, "hunter2")
	for _, kept := range []string{`"password":{"type":"string"}`, `12345678901234567890`, `"Authorization":"[redacted]"`} {
		if !strings.Contains(file, kept) {
			t.Errorf("%s is not in the file:\n%s", kept, file)
		}
	}
	reply, err := (&cassette.Tape{Path: path}).Wrap(offline()).Chat(t.Context(), req)
	if err != nil || string(reply.ToolCalls()[0].Arguments) != `{"password":"[redacted]"}` {
		t.Errorf("%v: %+v", err, reply)
	}
}

// TestScrubsNumbers: a secret can be a number, whole or a part of one.
// What replaces it is a text, so that the rest can still be read; numbers of the
// recording's own stay.
func TestScrubsNumbers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	req := place(toolchoice.Any())
	req.Extra = chat.Extra{"openai-compatible": {"account": json.RawMessage(`{"number":20261130,"password":777888,"n":5}`)}}
	answer := enginetest.Calls("place", map[string]any{"city": 20261130, "at": []int{920261130, 5}, "password": 777888})
	answer.Usage.Output = 20261130
	for form, call := range bothForms {
		if _, err := call(t.Context(), (&cassette.Tape{Path: path, Record: true, Secrets: []string{"20261130"}}).Wrap(enginetest.New(answer)), req); err != nil {
			t.Fatal(err)
		}
		clean(t, path, "777888")
		reply, err := call(t.Context(), (&cassette.Tape{Path: path, Secrets: []string{"20261130"}}).Wrap(offline()), req)
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		want := `{"at":["[redacted]",5],"city":"[redacted]","password":"[redacted]"}`
		if got := string(reply.ToolCalls()[0].Arguments); got != want || reply.Usage.Output != 20261130 {
			t.Errorf("%s: %s, %+v", form, got, reply.Usage)
		}
		raw, _ := os.ReadFile(path)
		if asked, _, _ := strings.Cut(string(raw), `"reply"`); strings.Contains(asked, "20261130") || !strings.Contains(asked, `"n":5`) {
			t.Errorf("%s: %s", form, asked)
		}
	}
}

// TestScrubsPieces: a secret that a stream brings in pieces is gone, and
// the text of the events is still that of the reply.
func TestScrubsPieces(t *testing.T) {
	t.Parallel()
	secret := "sk-proj-" + strings.Repeat("a1-B2-", 12)
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	turn := sim.Turn{
		Thinking: "it is " + secret, Text: "Your key is " + secret + " and no other.",
		Calls: []sim.ToolCall{
			{Name: "place", Arguments: []byte(`{"city":"` + secret + `"}`)}, {Name: "place", Arguments: []byte(`{"city":"Ghent in Flanders"}`)},
		},
		Fault: sim.Fault{Interleave: true},
	}
	record := made(t.Context(), (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New(turn)), "stream", place(toolchoice.Auto()))
	if record.err != nil {
		t.Fatal(record.err)
	}
	for i := range len(secret) - 8 {
		clean(t, path, secret[i:i+8])
	}
	got := made(t.Context(), (&cassette.Tape{Path: path}).Wrap(offline()), "stream", place(toolchoice.Auto()))
	text, args := "", map[int]string{}
	deltas := 0
	for _, ev := range got.events {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.ToolCallDelta:
			args[ev.Index] += ev.Arguments
			deltas++
		case chat.ThinkingDelta, chat.ToolCallStart, chat.ToolCallDone, chat.Done:
		}
	}
	done, ok := got.events[len(got.events)-1].(chat.Done)
	if !ok || text != "Your key is [redacted] and no other." || text != done.Reply.Text() {
		t.Fatalf("text %q, events %+v", text, got.events)
	}
	for i, call := range done.Reply.ToolCalls() {
		if args[i] != string(call.Arguments) {
			t.Errorf("call %d: %q in pieces, %s in the reply", i, args[i], call.Arguments)
		}
	}
	if deltas < 3 {
		t.Errorf("%d pieces of arguments: those without a secret are kept apart", deltas)
	}
}

// TestScrub: what differs from run to run is taken out by the caller.
func TestScrub(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	date := func(text string) string {
		before, _, _ := strings.Cut(text, "Today is ")
		return before
	}
	for day, tape := range []*cassette.Tape{
		{Path: path, Record: true, Scrub: date}, {Path: path, Scrub: date},
	} {
		eng := tape.Wrap(enginetest.New(enginetest.Says("Fine.")))
		if _, err := eng.Chat(t.Context(), prompt(fmt.Sprintf("Hi. Today is day %d.", day))); err != nil {
			t.Error(err)
		}
	}
	clean(t, path, "day 0")
}
