package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/cassette"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// offline is the fake's engine without its server, and without a key.
func offline() engine.Engine {
	return engine.NewOpenAICompatible(engine.Config{Model: "fake-model", BaseURL: "http://nobody.invalid"})
}

// everything is what a call gives.
type everything struct {
	events []chat.Event
	reply  *chat.Reply
	err    error
}

func made(ctx context.Context, e engine.Engine, form string, req *chat.Request) (got everything) {
	if form == "chat" {
		got.reply, got.err = e.Chat(ctx, req)
		return got
	}
	for ev, err := range e.Stream(ctx, req) {
		if got.err = err; err == nil {
			got.events = append(got.events, ev)
		}
	}
	return got
}

// TestTape: what was recorded comes back, in both forms, from an engine
// without network and key.
func TestTape(t *testing.T) {
	t.Parallel()
	big := sim.ToolCall{Name: "place", Arguments: []byte(`{"n":12345678901234567890,"x": 1.0}`)}
	for name, turn := range map[string]sim.Turn{
		"text":            enginetest.Says("In Ghent, <b>said</b> the \"Count\"\u2028 & 南京."),
		"a thought":       enginetest.Thinks("hm", enginetest.Says("yes")),
		"calls":           {Text: "See:", Calls: []sim.ToolCall{big, {Name: "place", Arguments: []byte(`{}`)}}},
		"calls in turn":   enginetest.Interleaved(big, big),
		"broken":          {Calls: []sim.ToolCall{{Name: "place", Arguments: []byte(`{"n":`)}}},
		"refused":         enginetest.Fails(401, "no"),
		"later":           enginetest.RateLimited(7 * time.Second),
		"cut":             enginetest.Cut(3, enginetest.Says("half of all that was to be said")),
		"unmet":           enginetest.CallsUnderNone(),
		"an HTML page":    {Fail: &sim.Failure{Status: 502, Body: "<html>"}},
		"cut by a length": {Text: "In", Finish: "length"},
	} {
		for form := range bothForms {
			t.Run(name+", "+form, func(t *testing.T) {
				t.Parallel()
				req := place(toolchoice.Auto())
				if name == "unmet" {
					req.ToolChoice = toolchoice.None()
				}
				path := filepath.Join(t.TempDir(), "sub", "tape.jsonl")
				want := made(t.Context(), (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New(turn)), form, req)
				tape := &cassette.Tape{Path: path}
				got := made(t.Context(), tape.Wrap(offline()), form, req)
				if !reflect.DeepEqual(got.reply, want.reply) || !reflect.DeepEqual(got.events, want.events) {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
				sameError(t, got.err, want.err)
				if left := tape.Unused(); len(left) > 0 {
					t.Errorf("unused %q", left)
				}
			})
		}
	}
}

// sameError compares what can be told of two errors.
func sameError(t *testing.T, got, want error) {
	t.Helper()
	if want == nil || got == nil {
		if want != got { //nolint:errorlint // both nil or not
			t.Errorf("error %v, want %v", got, want)
		}
		return
	}
	a, _ := errors.AsType[*chat.Error](got)
	b, ok := errors.AsType[*chat.Error](want)
	if ok && a != nil {
		x, y := *a, *b
		x.Err, y.Err = nil, nil
		if !reflect.DeepEqual(x, y) || (a.Err == nil) != (b.Err == nil) {
			t.Errorf("error %+v, want %+v", x, y)
		}
	}
	if got.Error() != want.Error() || (a != nil) != ok {
		t.Errorf("error %v, want %v", got, want)
	}
}

// TestErrors: whatever errors.Is finds in an error it finds in its
// recording.
func TestErrors(t *testing.T) {
	t.Parallel()
	kinds := append(chat.Kinds(), context.Canceled, context.DeadlineExceeded)
	all := slices.Concat(kinds, []error{
		errors.New("of no kind"),
		fmt.Errorf("wrapped: %w", &chat.Error{Kind: chat.ErrServer, Engine: "e", Message: "m"}),
		&chat.Error{Kind: chat.ErrTruncated, Err: &chat.Error{Kind: chat.ErrNetwork, Err: context.Canceled}, Reply: &chat.Reply{ID: "half"}},
		errors.Join(&chat.UnsupportedError{Engine: "e"}, &chat.Error{Kind: chat.ErrBadRequest}),
	})
	for _, kind := range kinds {
		all = append(all, &chat.Error{Kind: kind, Status: 500, Code: "c", Attempts: 2, RetryAfter: time.Second, Retryable: true})
	}
	for i, want := range all {
		path := filepath.Join(t.TempDir(), "tape.jsonl")
		ctx, record := t.Context(), &cassette.Tape{Path: path, Record: true}
		_, err := record.Wrap(failsWith{newEcho(), want}).Chat(ctx, sayHello())
		if err != want { //nolint:errorlint // passed on as it is
			t.Errorf("recording changed %v to %v", want, err)
		}
		_, got := (&cassette.Tape{Path: path}).Wrap(newEcho()).Chat(ctx, sayHello())
		for _, kind := range kinds {
			if errors.Is(got, kind) != errors.Is(want, kind) {
				t.Errorf("%d: errors.Is(%v, %v) is %v", i, got, kind, errors.Is(got, kind))
			}
		}
		if e, ok := want.(*chat.Error); ok { //nolint:errorlint // itself, not one inside
			sameError(t, got, e)
		}
	}
}

// TestOrder: equal calls are answered in the order of their recording,
// whatever came between, and no more often.
func TestOrder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	ask := func(tape *cassette.Tape, e engine.Engine, text string) (string, error) {
		reply, err := tape.Wrap(e).Chat(t.Context(), prompt(text))
		if err != nil {
			return "", err
		}
		return reply.Text(), nil
	}
	record := &cassette.Tape{Path: path, Record: true}
	fake := enginetest.New(enginetest.Says("1"), enginetest.Says("2"), enginetest.Says("3"))
	for _, text := range []string{"a", "b", "a"} {
		if _, err := ask(record, fake, text); err != nil {
			t.Fatal(err)
		}
	}
	tape := &cassette.Tape{Path: path}
	for _, want := range []string{"a1", "a3", "b2"} {
		if got, err := ask(tape, offline(), want[:1]); err != nil || got != want[1:] {
			t.Errorf("%s: %q, %v", want, got, err)
		}
	}
	_, err := ask(tape, offline(), "a")
	drift, ok := errors.AsType[*cassette.DriftError](err)
	want := "cassette " + path + ": openai-compatible fake-model: asked for more often than recorded (2)"
	if !ok || drift.Recorded != 2 || drift.Line != 0 || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestDrift: which recording is nearest, and what is different.
func TestDrift(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	record := (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New())
	long := strings.Repeat("The quick brown fox. ", 20)
	recorded := []*chat.Request{place(toolchoice.Any()), prompt("Where is the Gravensteen?"), prompt(long + "End."), prompt(long + "Fin.")}
	for _, req := range recorded {
		if _, err := record.Chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	tape := &cassette.Tape{Path: path}
	eng := tape.Wrap(offline())
	if _, err := eng.Chat(t.Context(), recorded[2]); err != nil {
		t.Fatal(err)
	}
	other := place(toolchoice.Auto())
	other.MaxTokens, other.Messages = 7, append(other.Messages, chat.Assistant("Here."), chat.User("And now?"))
	renamed := prompt("Where is the Gravensteen?")
	renamed.Model = "next-model"
	for _, c := range []struct {
		name, form string
		req        *chat.Request
		line       int
		diffs      []string
	}{
		{"a word", "chat", prompt("Where is the Belfry?"), 2, []string{
			`body.messages[0].content: recorded "…here is the Gravensteen?", asked "…here is the Belfry?"`,
		}},
		{"the model", "chat", renamed, 2, []string{
			`body.model: recorded "fake-model", asked "next-model"`, `model: recorded "fake-model", asked "next-model"`,
		}},
		{"the form", "stream", prompt("Where is the Gravensteen?"), 2, []string{"stream: recorded nothing, asked true"}},
		{"the end of a long text, unused first", "chat", prompt(long + "Last."), 4, []string{
			`body.messages[0].content: recorded "… brown fox. Fin.", asked "… brown fox. Last."`,
		}},
		{"several", "chat", other, 1, []string{
			`body.max_tokens: recorded nothing, asked 7`,
			`body.messages[1]: recorded nothing, asked {"content":"Here.","role":"assistant"}`,
			`body.messages[2]: recorded nothing, asked {"content":"And now?","role":"user"}`,
			`body.tool_choice: recorded "required", asked "auto"`,
			`terms.choice.type: recorded "any", asked "auto"`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := bothForms[c.form](t.Context(), eng, c.req)
			drift, ok := errors.AsType[*cassette.DriftError](err)
			if !ok || drift.Line != c.line || !slices.Equal(drift.Diffs, c.diffs) || drift.Path != path || drift.Recorded != 0 {
				t.Fatalf("%#v", err)
			}
			want := fmt.Sprintf("not recorded; nearest is line %d: %s", c.line, strings.Join(c.diffs, "; "))
			if !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want … %s", err, want)
			}
		})
	}
	want := []string{
		path + ":1: openai-compatible fake-model chat", path + ":2: openai-compatible fake-model chat", path + ":4: openai-compatible fake-model chat",
	}
	if got := tape.Unused(); !slices.Equal(got, want) {
		t.Errorf("unused %q", got)
	}
	e := &cassette.DriftError{Path: "p", Engine: "e", Model: "m", Line: 1, Diffs: []string{"1", "2", "3", "4", "5", "6", "7"}}
	if want := "cassette p: e m: not recorded; nearest is line 1: 1; 2; 3; 4; 5; and 2 more"; e.Error() != want {
		t.Errorf("%q", e.Error())
	}
}

// TestLeftStream: a stream that was left comes back up to there.
func TestLeftStream(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	record := (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New(enginetest.Says("one two three four"), enginetest.Says("five")))
	first := ""
	for ev := range record.Stream(t.Context(), sayHello()) {
		first = ev.(chat.TextDelta).Text
		break
	}
	if _, err := record.Chat(t.Context(), sayHello()); err != nil {
		t.Fatal(err)
	}
	events := (&cassette.Tape{Path: path}).Wrap(offline()).Stream(t.Context(), sayHello())
	text, _, err := drain(events)
	if text != first || text == "" || !errors.Is(err, chat.ErrTruncated) {
		t.Errorf("%q, %v; want %q", text, err, first)
	}
	if _, _, err := drain(events); !errors.Is(err, chat.ErrStreamUsed) {
		t.Errorf("%v, want ErrStreamUsed", err)
	}
}

// TestContext: a call whose context had ended is neither recorded nor
// taken from the tape; one whose context ends is.
func TestContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "tape.jsonl")
		slow := newEcho()
		slow.after = func(n int) time.Duration {
			if n == 3 {
				return time.Hour
			}
			return 0
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		short, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		record := (&cassette.Tape{Path: path, Record: true}).Wrap(slow)
		tape := &cassette.Tape{Path: path}
		for _, eng := range []engine.Engine{record, tape.Wrap(newEcho())} {
			_, _ = eng.Chat(ended, prompt("a"))
			_, _ = bothForms["stream"](ended, eng, prompt("a"))
			if eng == record {
				_, _ = eng.Chat(short, prompt("slow"))
			}
			if _, err := eng.Chat(t.Context(), prompt("a")); err != nil {
				t.Error(err)
			}
		}
		if left := tape.Unused(); len(left) != 1 || !strings.HasPrefix(left[0], path+":1:") {
			t.Errorf("unused %q", left)
		}
		if _, err := tape.Wrap(newEcho()).Chat(t.Context(), prompt("slow")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the deadline", err)
		}
	})
}

// TestCancelledMidway: a recorded stream obeys its context, too.
func TestCancelledMidway(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	if _, err := bothForms["stream"](t.Context(), (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New(enginetest.Says("one two three"))), sayHello()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	var last error
	for ev, err := range (&cassette.Tape{Path: path}).Wrap(offline()).Stream(ctx, sayHello()) {
		if last = err; ev != nil {
			seen++
		}
		cancel()
	}
	if seen != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d events, then %v", seen, last)
	}
}

// TestFile: what can be wrong with the file.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"nonsense": "\n{", "nothing": "\n{}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := (&cassette.Tape{Path: path}).Wrap(offline()).Chat(t.Context(), sayHello())
		if err == nil || !strings.Contains(err.Error(), path+":2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := &cassette.Tape{Path: filepath.Join(dir, "missing")}
	if left := missing.Unused(); len(left) != 1 || !strings.Contains(left[0], "recorded first") {
		t.Errorf("unused %q", left)
	}
	fake := enginetest.New()
	unwritable := &cassette.Tape{Path: filepath.Join(dir, "nonsense", "tape"), Record: true}
	for form, call := range bothForms {
		if _, err := call(t.Context(), missing.Wrap(offline()), sayHello()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", form, err)
		}
		if _, err := call(t.Context(), unwritable.Wrap(fake), sayHello()); err == nil || len(fake.Sent()) > 0 {
			t.Errorf("%s: %v after %d calls", form, err, len(fake.Sent()))
		}
		if _, err := call(t.Context(), missing.Wrap(offline()), nil); !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("%s: %v", form, err)
		}
	}
	empty := &cassette.Tape{Path: filepath.Join(dir, "empty")}
	if err := os.WriteFile(empty.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Wrap(offline()).Chat(t.Context(), sayHello()); err == nil || !strings.HasSuffix(err.Error(), "nothing is recorded") {
		t.Errorf("%v", err)
	}
	gone := &cassette.Tape{Path: filepath.Join(dir, "gone"), Record: true}
	eng := gone.Wrap(fake)
	if _, err := eng.Chat(t.Context(), sayHello()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gone.Path); err != nil {
		t.Fatal(err)
	}
	for form, call := range bothForms {
		if _, err := call(t.Context(), eng, sayHello()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a line that can't be written: %v", form, err)
		}
	}
}

// TestIsWrittenAnew: a second recording doesn't add to the first.
func TestIsWrittenAnew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	for _, text := range []string{"old", "new"} {
		if _, err := (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New()).Chat(t.Context(), prompt(text)); err != nil {
			t.Fatal(err)
		}
	}
	tape := &cassette.Tape{Path: path}
	if left := tape.Unused(); len(left) != 1 {
		t.Errorf("unused %q", left)
	}
	if _, err := tape.Wrap(offline()).Chat(t.Context(), prompt("new")); err != nil {
		t.Error(err)
	}
}

// TestSideBySide: recorded and played by many goroutines, on two
// engines.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	run := func(tape *cassette.Tape, engines ...engine.Engine) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				text := fmt.Sprint("call ", i/4)
				got, err := bothForms[[]string{"chat", "stream"}[i%2]](t.Context(), tape.Wrap(engines[i/2%2]), prompt(text))
				if err != nil || !strings.Contains(got.Text(), text) {
					t.Errorf("%s: %v, %+v", text, err, got)
				}
			})
		}
		wg.Wait()
	}
	run(&cassette.Tape{Path: path, Record: true}, &echo{Engine: offline()}, newEcho())
	tape := &cassette.Tape{Path: path}
	run(tape, offline(), engine.NewOpenAI(engine.Config{Model: "gpt-4.1"}))
	if left := tape.Unused(); len(left) > 0 {
		t.Errorf("unused %q", left)
	}
}

// TestSuite: a whole suite is recorded, and the recording passes it
// without an engine.
//
//nolint:paralleltest // the suite counts goroutines
func TestSuite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	t.Run("record", func(t *testing.T) {
		enginetest.Suite(t, (&cassette.Tape{Path: path, Record: true}).Wrap(enginetest.New()))
	})
	tape := &cassette.Tape{Path: path}
	t.Run("replay", func(t *testing.T) { enginetest.Suite(t, tape.Wrap(offline())) })
	if left := tape.Unused(); len(left) > 0 {
		t.Errorf("unused %q", left)
	}
}

// unlike is a request whose tool takes any city but one, which Ollama's wire
// can't say.
func unlike(city string) *chat.Request {
	req := place(toolchoice.Tool("place"))
	req.Tools[0].Schema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","not":{"const":"` + city +
		`"}}},"required":["city"],"additionalProperties":false}`)
	return req
}

// TestKeepsToolSchemas: two tools that are told alike on a wire that can't say all
// of their schemas are not the same: a call was held against one of them.
func TestKeepsToolSchemas(t *testing.T) {
	t.Parallel()
	srv := sim.New(sim.Options{Turns: []sim.Turn{sim.Calls("place", map[string]string{"city": "Ghent"})}})
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	eng := engine.NewOllama(engine.Config{
		BaseURL: srv.BaseURL("ollama"), Model: "qwen3.5", HTTPClient: &http.Client{Transport: srv.RoundTripper()},
	})
	if _, err := (&cassette.Tape{Path: path, Record: true}).Wrap(eng).Chat(t.Context(), unlike("Brugge")); err != nil {
		t.Fatal(err)
	}
	tape := (&cassette.Tape{Path: path}).Wrap(eng)
	if _, err := tape.Chat(t.Context(), unlike("Ghent")); err == nil {
		t.Error("a call was answered that was not recorded")
	}
	if _, err := tape.Chat(t.Context(), unlike("Brugge")); err != nil {
		t.Error(err)
	}
}

// TestNoReply: an engine that gives neither a reply nor an error ends no process,
// nor does a request that is none.
func TestNoReply(t *testing.T) {
	t.Parallel()
	tape := &cassette.Tape{Path: filepath.Join(t.TempDir(), "tape.jsonl"), Record: true}
	if reply, err := tape.Wrap(mute{newEcho()}).Chat(t.Context(), sayHello()); reply != nil || err != nil {
		t.Errorf("%+v, %v", reply, err)
	}
	if reply, err := tape.Wrap(mute{newEcho()}).Chat(t.Context(), nil); reply != nil || err == nil {
		t.Errorf("%+v, %v", reply, err)
	}
}

// mute is an engine that neither plans nor answers.
type mute struct{ engine.Engine }

func (mute) Plan(*chat.Request) (*chat.Plan, error) { return nil, nil }

func (mute) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return nil, nil }

// In a test of one's own, Record is set by a flag: go test -run Answer -record.
func ExampleTape() {
	dir, err := os.MkdirTemp("", "cassettes")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	provider := enginetest.New(enginetest.Says("In Ghent."))
	for _, record := range []bool{true, false} {
		tape := &cassette.Tape{Path: filepath.Join(dir, "answer.jsonl"), Record: record}
		client := sabir.New(provider, tape.Wrap)
		reply, err := client.Ask(context.Background(), "Where is the Gravensteen?")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(reply.Text(), len(provider.Sent()), len(tape.Unused()))
	}
	// Output:
	// In Ghent. 1 0
	// In Ghent. 1 0
}
