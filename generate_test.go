package sabir_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

type castle struct {
	Name string `json:"name"`
	Year int    `json:"year"`
	Note string `json:"note,omitempty"`
}

// stone is a type with values of its own.
type stone string

func (stone) Enum() []string { return []string{"granite", "limestone"} }

// even refuses what its schema lets pass.
type even int

func (e *even) UnmarshalJSON(raw []byte) error {
	var n int
	if err := json.Unmarshal(raw, &n); err != nil || n%2 != 0 {
		return fmt.Errorf("%s is not an even number", raw)
	}
	*e = even(n)
	return nil
}

const good = `{"name":"Gravensteen","year":1180}`

// onSim is an engine of the catalog on a simulator.
func onSim(entry engine.Entry, turns ...sim.Turn) (*sabir.Client, *sim.Server) {
	server := sim.New(sim.Options{Turns: turns})
	return sabir.New(entry.New(engine.Config{
		BaseURL: server.BaseURL(entry.Profile.Name), APIKey: "any", Model: entry.Profile.Example, MaxAttempts: 1,
		Region: "eu-central-1", Project: "p", HTTPClient: &http.Client{Transport: server.RoundTripper()},
	})), server
}

// formless are the engines with no way to a form: neither schemas nor JSON mode
// nor tools that can be forced by the wire.
var formless = map[string]bool{"aki": true, "aki-openai": true, "hermes": true, "nousresearch": true}

// TestGenerateOnEveryEngine: every engine finds a way, or refuses before
// anything is sent.
func TestGenerateOnEveryEngine(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			client, server := onSim(entry)
			got, reply, err := sabir.Generate[castle](t.Context(), client, &chat.Request{
				Messages: chat.Prompt("Which castle stands in Ghent?"), MaxTokens: 4096,
			})
			if formless[entry.Profile.Name] {
				if n := len(server.Requests()); n > 0 || !errors.Is(err, chat.ErrUnsupported) {
					t.Errorf("after %d requests: %v", n, err)
				}
				return
			}
			if err != nil || got.Name == "" || reply.Usage.Total() == 0 {
				t.Fatalf("%+v, %v", got, err)
			}
			lists, _, err := sabir.Generate[[]castle](t.Context(), client, &chat.Request{
				Messages: chat.Prompt("Which castles stand in Ghent?"), MaxTokens: 4096,
			})
			if err != nil {
				t.Errorf("a list: %+v, %v", lists, err)
			}
		})
	}
}

func TestGenerateRepairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		answers  []string
		requests int
		told     string // in the last request
		err      error
	}{
		{"at once", []string{good}, 1, "Which", nil},
		{"fenced", []string{"Here it is:\n```json\n" + good + "\n```"}, 1, "Which", nil},
		{"no JSON", []string{"It is the Gravensteen.", good}, 2, "not JSON", nil},
		{"a wrong type", []string{`{"name":"Gravensteen","year":"1180"}`, good}, 2, "year", nil},
		{"missing", []string{`{"name":"x"}`, `{"year":1}`, good}, 3, "name", nil},
		{"never", []string{"a", "b", "c", good}, 3, "not JSON", chat.ErrOutputUnmet},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			turns := make([]sim.Turn, len(c.answers))
			for i, a := range c.answers {
				turns[i] = sim.Turn{Text: a, Usage: sim.Usage{Input: 10, Output: 1}}
			}
			fake := enginetest.New(turns...)
			input := append(make([]chat.Message, 0, 4), chat.User("Which castle?"))
			req := &chat.Request{Messages: input}
			got, reply, err := sabir.Generate[castle](t.Context(), sabir.New(fake), req)
			requests := fake.Requests()
			if len(requests) != c.requests || len(req.Messages) != 1 || req.Output != nil || input[:2][1].Role != "" {
				t.Errorf("%d requests, want %d; the caller's is now %+v", len(requests), c.requests, req)
			}
			last := requests[len(requests)-1].Messages
			if !strings.Contains(last[len(last)-1].Text(), c.told) || len(last) != 2*c.requests-1 {
				t.Errorf("at last the model is told %q", last[len(last)-1].Text())
			}
			if reply == nil || reply.Usage.Total() != 11*c.requests {
				t.Errorf("reply %+v", reply)
			}
			if c.err == nil {
				if err != nil || got != (castle{Name: "Gravensteen", Year: 1180}) {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			e, ok := errors.AsType[*chat.Error](err)
			if !errors.Is(err, c.err) || !ok || e.Reply != reply || got != (castle{}) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestGenerateShapes: lists, enums, numbers and types that read themselves.
func TestGenerateShapes(t *testing.T) {
	t.Parallel()
	list, _, err := generated[[]castle](t, `{"answer":[`+good+`]}`)
	if err != nil || len(list) != 1 || list[0].Year != 1180 {
		t.Errorf("list: %+v, %v", list, err)
	}
	kind, _, err := generated[stone](t, `{"answer":"brick"}`, `{"answer":"granite"}`)
	if err != nil || kind != "granite" {
		t.Errorf("enum: %q, %v", kind, err)
	}
	counts, _, err := generated[map[string]int](t, `{"towers":3}`)
	if err != nil || counts["towers"] != 3 {
		t.Errorf("map: %v, %v", counts, err)
	}
	n, fake, err := generated[even](t, `{"answer":3}`, `{"answer":4}`)
	if err != nil || n != 4 {
		t.Errorf("own type: %d, %v", n, err)
	}
	if last := fake.Requests()[1].Messages; !strings.Contains(last[2].Text(), "3 is not an even number") {
		t.Errorf("the model is told %q", last[2].Text())
	}
}

func generated[T any](t *testing.T, answers ...string) (T, *enginetest.Fake, error) {
	t.Helper()
	turns := make([]sim.Turn, len(answers))
	for i, a := range answers {
		turns[i] = sim.Says(a)
	}
	fake := enginetest.New(turns...)
	got, _, err := sabir.Generate[T](t.Context(), sabir.New(fake), &chat.Request{Messages: chat.Prompt("Which?")})
	return got, fake, err
}

// TestGenerateGivesUp: what can't get better is not asked for again.
func TestGenerateGivesUp(t *testing.T) {
	t.Parallel()
	tool := []chat.ToolDef{{Name: "a"}}
	for _, c := range []struct {
		name     string
		req      *chat.Request
		turn     sim.Turn
		kind     error
		requests int
	}{
		{"cut", &chat.Request{}, sim.Turn{Text: `{"name":"Grav`, Finish: "length"}, chat.ErrOutputUnmet, 1},
		{"provider's error", &chat.Request{}, sim.Fails(401, ""), chat.ErrAuth, 1},
		{"nil", nil, sim.Turn{}, chat.ErrInvalid, 0},
		{"own schema", &chat.Request{Output: &chat.Output{Schema: []byte(`{}`)}}, sim.Turn{}, chat.ErrInvalid, 0},
		{"tools", &chat.Request{Tools: tool}, sim.Turn{}, chat.ErrInvalid, 0},
		{"tools that rest", &chat.Request{Tools: tool, ToolChoice: toolchoice.None(), Output: &chat.Output{Name: "castle"}}, sim.Says(good), nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.req != nil {
				c.req.Messages = chat.Prompt("Which?")
			}
			fake := enginetest.New(c.turn)
			_, _, err := sabir.Generate[castle](t.Context(), sabir.New(fake), c.req)
			if !errors.Is(err, c.kind) || len(fake.Sent()) != c.requests {
				t.Errorf("%v after %d requests", err, len(fake.Sent()))
			}
		})
	}
	if _, _, err := sabir.Generate[func()](t.Context(), sabir.New(enginetest.New()), &chat.Request{}); err == nil {
		t.Error("a function has no JSON form")
	}
	if _, _, err := sabir.Generate[castle](t.Context(), sabir.New(pauses{newParrot()}), &chat.Request{}); !errors.Is(err, chat.ErrOutputUnmet) {
		t.Errorf("no answer: %v", err)
	}
}

// pauses never answers.
type pauses struct{ engine.Engine }

func (pauses) Chat(context.Context, *chat.Request) (*chat.Reply, error) {
	return &chat.Reply{Finish: chat.FinishPaused}, nil
}

func ExampleGenerate() {
	client := sabir.New(enginetest.New(enginetest.Says(`{"name":"Gravensteen","year":1180}`)))
	c, reply, err := sabir.Generate[castle](context.Background(), client, &chat.Request{
		Messages: chat.Prompt("Which castle stands in Ghent, and since when?"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Name, c.Year, reply.Finish)
	// Output: Gravensteen 1180 stop
}

// TestGenerateKeepsErrors: what stands around the error of the answer, such as
// the end of the context, or the failure of another engine, stays visible.
func TestGenerateKeepsErrors(t *testing.T) {
	t.Parallel()
	cut := &chat.Error{Kind: chat.ErrTruncated, Reply: &chat.Reply{Usage: chat.Usage{Output: 7}}}
	around := fmt.Errorf("%w; no further engine: %w", cut, context.Canceled)
	_, reply, err := sabir.Generate[castle](t.Context(), sabir.New(closed{newParrot(), around}), &chat.Request{Messages: chat.Prompt("Say hello.")})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, chat.ErrTruncated) || err.Error() != around.Error() {
		t.Error(err)
	}
	if e, ok := errors.AsType[*chat.Error](err); !ok || e.Reply != reply || reply.Usage.Output != 7 {
		t.Errorf("%+v", e)
	}
}
