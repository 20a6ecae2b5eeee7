//go:build e2e

package e2e_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// mock is the address of the server under testdata/aimock.json's script.
var mock = flag.String("aimock", "", "address of a running aimock")

func TestMain(m *testing.M) {
	flag.Parse()
	if *mock == "" {
		_, _ = os.Stderr.WriteString("e2e: no -aimock given; run ./check e2e\n")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// session is a client whose requests the mock counts apart from all others, so
// that its script starts anew.
type session struct {
	*sabir.Client
	id string
}

// open makes a session; change may change its config.
func (d dialect) open(change func(*engine.Config)) session {
	s := session{id: rand.Text()}
	cfg := engine.Config{
		BaseURL: *mock + d.base,
		APIKey:  "sk-of-nobody",
		Model:   d.model,
		Header:  http.Header{"X-Test-Id": {s.id}},
	}
	if change != nil {
		change(&cfg)
	}
	s.Client = sabir.New(d.new(cfg))
	return s
}

// served returns the status of each request of the session that reached the
// mock.
func (s session) served(t *testing.T) []int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		*mock+"/__aimock/journal?testId="+url.QueryEscape(s.id), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var journal []struct {
		Response struct {
			Status int `json:"status"`
		} `json:"response"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&journal); err != nil {
		t.Fatal(err)
	}
	out := make([]int, len(journal))
	for i, entry := range journal {
		out[i] = entry.Response.Status
	}
	return out
}

// form is unary or streamed.
type form struct {
	name string
	call func(*testing.T, session, *chat.Request) outcome
}

// outcome is how a call ended. Events are those of a stream, Done left out.
type outcome struct {
	reply  *chat.Reply
	events []chat.Event
	err    error
}

var (
	unary = form{"unary", func(t *testing.T, s session, req *chat.Request) outcome {
		t.Helper()
		reply, err := s.Chat(t.Context(), req)
		return outcome{reply: reply, err: err}
	}}
	streamed = form{"streamed", func(t *testing.T, s session, req *chat.Request) outcome {
		t.Helper()
		return collect(t, s, req)
	}}

	forms = []form{unary, streamed}
)

// collect reads a stream to its end and minds its grammar: nothing follows an
// error or Done, and one of the two comes.
func collect(t *testing.T, s session, req *chat.Request) outcome {
	t.Helper()
	var out outcome
	over := false
	for ev, err := range s.Stream(t.Context(), req) {
		if over {
			t.Errorf("%T, %v after the end of the stream", ev, err)
		}
		if err != nil {
			if ev != nil {
				t.Errorf("event %T beside the error %v", ev, err)
			}
			out.err, over = err, true
			continue
		}
		if done, ok := ev.(chat.Done); ok {
			out.reply, over = done.Reply, true
			continue
		}
		out.events = append(out.events, ev)
	}
	if !over {
		t.Error("the stream ended without Done and without an error")
	}
	return out
}

// text joins the text that a stream delivered.
func (o outcome) text() string {
	var b strings.Builder
	for _, ev := range o.events {
		if d, ok := ev.(chat.TextDelta); ok {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

// ready are the calls that a stream delivered as ready to run.
func (o outcome) ready() []chat.ToolCall {
	var calls []chat.ToolCall
	for _, ev := range o.events {
		if d, ok := ev.(chat.ToolCallDone); ok {
			calls = append(calls, d.Call)
		}
	}
	return calls
}

// pairs combines every dialect with every form.
func pairs(ds []dialect, fs []form) iter.Seq2[dialect, form] {
	return func(yield func(dialect, form) bool) {
		for _, d := range ds {
			for _, f := range fs {
				if !yield(d, f) {
					return
				}
			}
		}
	}
}

// recorder keeps the bodies that pass through it.
type recorder struct {
	mu     sync.Mutex
	bodies [][]byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.bodies = append(r.bodies, body)
	r.mu.Unlock()
	return http.DefaultTransport.RoundTrip(req)
}

// member is what stands at a path in the n-th body, as JSON text; nothing
// stands at no path.
func (r *recorder) member(t *testing.T, n int, path ...string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.bodies) <= n {
		t.Fatalf("%d requests were sent, want more than %d", len(r.bodies), n)
	}
	if len(path) == 0 {
		return ""
	}
	at := r.bodies[n]
	for _, name := range path {
		if at == nil {
			return ""
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(at, &members); err != nil {
			t.Fatal(err)
		}
		at = members[name]
	}
	return string(at)
}

func wantStatuses(t *testing.T, s session, want ...int) {
	t.Helper()
	if got := s.served(t); !slices.Equal(got, want) {
		t.Errorf("the mock answered %v, want %v", got, want)
	}
}
