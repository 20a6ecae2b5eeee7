package engine_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

const testKey = "sk-live-4f9c1e77aa"

// sent is one request as the provider saw it.
type sent struct {
	method, url string
	header      http.Header
	body        []byte
}

// address is where it went.
func (s sent) address(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// streams reports whether it asks for a stream.
func (s sent) streams(t *testing.T) bool {
	t.Helper()
	return wantsStream(s.address(t), s.body)
}

// mocked is an engine on a mock transport of its own. It fails the test if a
// body of an answer is left open.
type mocked struct {
	engine.Engine
	entry engine.Entry
	mock  *httpmock.MockTransport
	open  atomic.Int32

	mu   sync.Mutex
	sent []sent
}

// mock answers the engine's first requests with the responders in turn, and
// every further one with the last.
func mock(t *testing.T, entry engine.Entry, cfg engine.Config, answers ...httpmock.Responder) *mocked {
	t.Helper()
	voiceOf(t, entry.Profile.Dialect)
	cfg = placed(cfg)
	m := &mocked{entry: entry, mock: httpmock.NewMockTransport()}
	m.mock.RegisterRegexpResponder(http.MethodPost, addresses(entry, cfg.BaseURL), func(r *http.Request) (*http.Response, error) {
		n, err := m.record(r)
		if err != nil {
			return nil, err
		}
		resp, err := answers[min(n, len(answers))-1](r)
		if err != nil {
			return nil, err
		}
		m.open.Add(1)
		resp.Body = &trackedBody{ReadCloser: resp.Body, open: &m.open}
		return resp, nil
	})
	cfg.HTTPClient = &http.Client{Transport: m.mock}
	m.Engine = entry.New(cfg)
	t.Cleanup(func() {
		if n := m.open.Load(); n != 0 {
			t.Errorf("%d bodies were left open", n)
		}
	})
	return m
}

// record notes a request and puts its body back.
func (m *mocked) record(r *http.Request) (n int, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, sent{r.Method, r.URL.String(), r.Header.Clone(), body})
	return len(m.sent), nil
}

// calls is how many requests were sent, to whatever address.
func (m *mocked) calls() int { return m.mock.GetTotalCallCount() }

// last is the latest request.
func (m *mocked) last(t *testing.T) sent {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sent) == 0 {
		t.Fatal("nothing was sent")
	}
	return m.sent[len(m.sent)-1]
}

type trackedBody struct {
	io.ReadCloser
	once sync.Once
	open *atomic.Int32
}

func (b *trackedBody) Close() error {
	b.once.Do(func() { b.open.Add(-1) })
	return b.ReadCloser.Close()
}

// caller makes one call and gives its reply.
type caller func(*testing.T, engine.Engine, *chat.Request) (*chat.Reply, error)

// ways are the two ways to make a call.
var ways = map[string]caller{
	"chat": func(t *testing.T, eng engine.Engine, req *chat.Request) (*chat.Reply, error) {
		t.Helper()
		return eng.Chat(t.Context(), req)
	},
	"stream": func(t *testing.T, eng engine.Engine, req *chat.Request) (*chat.Reply, error) {
		t.Helper()
		_, reply, err := collect(t.Context(), eng, req)
		return reply, err
	},
}

// onEngine is a test on one engine of the catalog, by one way to call.
type onEngine struct {
	*testing.T

	entry engine.Entry
	call  caller
}

// eachEngine runs a test for every engine of the catalog.
func eachEngine(t *testing.T, test func(onEngine)) {
	t.Helper()
	for _, entry := range engine.Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			test(onEngine{T: t, entry: entry})
		})
	}
}

// eachCall runs a test for every engine of the catalog, by Chat and by Stream.
func eachCall(t *testing.T, test func(onEngine)) {
	t.Helper()
	eachEngine(t, func(c onEngine) {
		for name, call := range ways {
			c.Run(name, func(t *testing.T) {
				t.Parallel()
				test(onEngine{t, c.entry, call})
			})
		}
	})
}

// eachStreaming runs a test for every engine that can stream.
func eachStreaming(t *testing.T, test func(onEngine)) {
	t.Helper()
	for _, entry := range engine.Catalog() {
		if !streams(entry) {
			continue
		}
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			test(onEngine{T: t, entry: entry})
		})
	}
}

// canned answers with the reply of a golden folder, streamed if that was asked
// for.
func canned(t *testing.T, d profile.Dialect, name string) httpmock.Responder {
	t.Helper()
	dir := filepath.Join("testdata", "integration", d.String(), name)
	reply, err := os.ReadFile(filepath.Join(dir, "reply.json"))
	if err != nil {
		t.Fatal(err)
	}
	if voices[d].file == "" {
		return document(200, string(reply))
	}
	stream, err := os.ReadFile(filepath.Join(dir, voices[d].file))
	if err != nil {
		t.Fatal(err)
	}
	return respond(d, string(reply), string(stream))
}

// hello is a request that every engine takes.
func hello(entry engine.Entry) *chat.Request {
	return &chat.Request{Model: entry.Profile.Example, Messages: chat.Prompt("Where is the Gravensteen?")}
}

// decoded is a body as Go values.
func decoded(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return m
}

// dig walks down objects by name and lists by index; nil if there is nothing.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			list, _ := v.([]any)
			if s >= len(list) {
				return nil
			}
			v = list[s]
		}
	}
	return v
}

func hasTools(entry engine.Entry) bool { return entry.Profile.Tools != toolchoice.NoTools }

// hanging sends the beginning of a stream and leaves it there.
func hanging(d profile.Dialect, begin string) httpmock.Responder {
	return func(r *http.Request) (*http.Response, error) {
		resp, err := stream200(d, "")(r)
		if err != nil {
			return nil, err
		}
		pr, pw := io.Pipe()
		go func() { _, _ = io.WriteString(pw, begin) }()
		resp.Body = pr
		return resp, nil
	}
}

func bodyOf(t *testing.T, p *chat.Plan) []byte {
	t.Helper()
	body, err := p.Body()
	if err != nil {
		t.Fatal(err)
	}
	return body
}
