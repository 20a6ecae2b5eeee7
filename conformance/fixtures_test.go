package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-go/sabir/engine"
)

// dialect is a language that an official client speaks, too.
type dialect struct {
	folder string // below internal/wire
	model  string
	// base is appended to the address that sabir is given, official to that of
	// the official client.
	base, official string
	sabir          func(engine.Config) engine.Engine
	client         read
	// noThoughts: the official types have no place for them.
	noThoughts bool
	// oneLine: the official client reads a reply line by line, as the server
	// writes it; test data is spread over lines to be readable.
	oneLine bool
}

var dialects = []dialect{
	{
		folder: "openaichat", model: "m", base: "/v1", official: "/v1", client: openaiChat, noThoughts: true,
		sabir: func(c engine.Config) engine.Engine { return engine.NewOpenAICompatible(c) },
	},
	{
		folder: "openairesponses", model: "gpt-4.1", base: "/v1", official: "/v1", client: openaiResponses,
		sabir: func(c engine.Config) engine.Engine { return engine.NewOpenAIResponses(c) },
	},
	{
		folder: "anthropic", model: "claude-sonnet-4-5", client: anthropicMessages,
		sabir: func(c engine.Config) engine.Engine { return engine.NewAnthropic(c) },
	},
	{
		folder: "gemini", model: "gemini-2.5-flash", base: "/v1beta", client: geminis,
		sabir: func(c engine.Config) engine.Engine { return engine.NewGemini(c) },
	},
	{
		folder: "ollama", model: "m", client: ollamas, oneLine: true,
		sabir: func(c engine.Config) engine.Engine { return engine.NewOllama(c) },
	},
	{
		folder: "bedrockconverse", model: "anthropic.claude-sonnet-4-5-20250929-v1:0", client: bedrocks,
		sabir: func(c engine.Config) engine.Engine { return engine.NewBedrock(c) },
	},
}

// TestFixtures has every answer in the codecs' test data read by an engine and
// by the official client. They must agree, except where the table of faults
// says what the official client does and why.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.folder, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join("..", "internal", "wire", d.folder, "testdata")
			bodies := answers(t, root)
			for _, name := range bodies {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					d.compare(t, root, name)
				})
			}
			for name := range faults[d.folder] {
				if !slices.Contains(bodies, name) {
					t.Errorf("the table of faults has %s, there is none", name)
				}
			}
		})
	}
}

// answers are the bodies below a folder, as slash-separated paths.
func answers(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch path.Base(name) {
		case "reply.json", "reply.txt", "stream.sse", "stream.ndjson", "stream.eventstream", "error.json", "error.txt":
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatalf("no answers below %s", root)
	}
	return names
}

func (d dialect) compare(t *testing.T, root, name string) {
	t.Helper()
	stub := answer(t, filepath.Join(root, filepath.FromSlash(name)), d.oneLine)
	stream := strings.HasPrefix(path.Base(name), "stream.")
	at := func(base string) place {
		return place{url: "https://provider.test" + base, model: d.model, http: &http.Client{Transport: stub()}}
	}
	ours := sabirs(d.sabir)(t.Context(), at(d.base), stream)
	theirs := d.client(t.Context(), at(d.official), stream)
	if d.noThoughts {
		ours.thoughts = ""
	}
	if stream {
		theirs.status = 0 // of the error event; the answer's was 200
	}
	diff := differences(ours, theirs)
	known := faults[d.folder][name]
	for what, how := range diff {
		if !slices.Contains(known.differ, what) {
			t.Errorf("%s: %s", what, how)
		}
	}
	for _, what := range known.differ {
		if diff[what] == "" {
			t.Errorf("%s agrees, though the table of faults says: %s", what, known.why)
		}
	}
}

// stub answers every request with one body. Clients that go on by themselves
// find nothing more after some requests.
type stub struct {
	status int
	header http.Header
	body   []byte
	left   atomic.Int32
}

func (s *stub) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	if s.left.Add(-1) < 0 {
		return nil, errors.New("asked for more than one answer")
	}
	return &http.Response{
		StatusCode: s.status, Header: s.header.Clone(), Request: req, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(s.body)), ContentLength: int64(len(s.body)),
	}, nil
}

var contentTypes = map[string]string{
	".json": "application/json", ".txt": "text/plain", ".sse": "text/event-stream",
	".ndjson": "application/x-ndjson", ".eventstream": "application/vnd.amazon.eventstream",
}

// answer returns a maker of stubs for one file, with the status and headers
// noted beside it.
func answer(t *testing.T, file string, oneLine bool) func() *stub {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b := (&bytes.Buffer{}); oneLine && filepath.Ext(file) == ".json" && json.Compact(b, body) == nil {
		body = b.Bytes()
	}
	said := struct {
		Status int               `json:"status"`
		Header map[string]string `json:"header"`
	}{Status: http.StatusOK}
	if strings.HasPrefix(filepath.Base(file), "error.") {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(file), "status.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &said); err != nil {
			t.Fatal(err)
		}
	}
	header := http.Header{"Content-Type": {contentTypes[filepath.Ext(file)]}}
	for k, v := range said.Header {
		header.Set(k, v)
	}
	return func() *stub {
		s := &stub{status: said.Status, header: header, body: body}
		s.left.Store(1)
		return s
	}
}
