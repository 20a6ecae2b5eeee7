package wiretest

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

var update = flag.Bool("update", false, "rewrite want files")

// Update reports whether the tests run with -update, for golden files of a
// test's own.
func Update() bool { return *update }

// Decode runs every case below dir as a subtest.
func Decode(t *testing.T, c wire.Codec, dir string) {
	t.Helper()
	cases := findCases(t, dir)
	if len(cases) == 0 {
		t.Fatalf("no cases below %s", dir)
	}
	for _, folder := range cases {
		name, err := filepath.Rel(dir, folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			runCase(t, c, folder)
		})
	}
}

// bodies are the files that make a folder a case.
var bodies = []string{
	"reply.json", "reply.txt", "stream.sse", "stream.ndjson", "stream.eventstream", "error.json", "error.txt",
}

func findCases(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains(bodies, d.Name()) {
			if folder := filepath.Dir(path); !slices.Contains(out, folder) {
				out = append(out, folder)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func runCase(t *testing.T, c wire.Codec, folder string) {
	t.Helper()
	var got []map[string]any
	for _, name := range bodies {
		body, err := readFile(folder, name)
		if err == nil {
			got = append(got, decodeBody(t, c, folder, name, body))
		}
	}
	if len(got) > 1 {
		compareTwin(t, folder, got[0], got[1])
	}
	compareGolden(t, folder, got[0])
}

func readFile(folder, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // test data of the package under test
}

func decodeBody(t *testing.T, c wire.Codec, folder, name string, body []byte) map[string]any {
	t.Helper()
	var reply *chat.Reply
	var err error
	switch kind, _, _ := strings.Cut(name, "."); kind {
	case "reply":
		if reply, err = Reply(c, body); err == nil && !bytes.Equal(reply.Raw, body) {
			t.Error("Raw is not the body")
		}
	case "error":
		s := readStatus(t, folder)
		err = c.DecodeError(s.Status, s.makeHeader(), body)
	case "stream":
		reply, err = decodeStream(t, c, name, body)
	}
	m, renderErr := renderOutcome(reply, err)
	if renderErr != nil {
		t.Fatal(renderErr)
	}
	return m
}

// decodeStream decodes a body fed whole, byte by byte and in odd pieces: the outcome
// and the events must be the same.
func decodeStream(t *testing.T, c wire.Codec, name string, body []byte) (*chat.Reply, error) {
	t.Helper()
	frames := func(r io.Reader) frame.Reader {
		switch filepath.Ext(name) {
		case ".ndjson":
			return frame.NewNDJSON(r, 0)
		case ".eventstream":
			return frame.NewEventStream(r, 0)
		}
		return frame.NewSSE(r, 0)
	}
	open := func(r io.Reader) (*chat.Reply, []chat.Event, error) { return Collect(c, frames(r)) }
	reply, events, err := open(bytes.NewReader(body))
	if reply != nil {
		if err := checkConsistent(events, reply); err != nil {
			t.Error(err)
		}
	}
	whole := mustRender(t, reply, err)
	if err == nil {
		checkHalves(t, c, func() frame.Reader { return frames(bytes.NewReader(body)) })
	}
	for how, r := range map[string]io.Reader{
		"byte by byte":  iotest.OneByteReader(bytes.NewReader(body)),
		"in halves":     iotest.HalfReader(bytes.NewReader(body)),
		"with its EOF":  iotest.DataErrReader(bytes.NewReader(body)),
		"in 7s":         &pieces{body, 7},
		"in 1021-bytes": &pieces{body, 1021},
	} {
		again, evs, err := open(r)
		if got := mustRender(t, again, err); !reflect.DeepEqual(got, whole) {
			t.Errorf("fed %s: %v, whole: %v", how, got, whole)
		}
		if len(evs) != len(events) {
			t.Errorf("fed %s: %d events, whole: %d", how, len(evs), len(events))
		}
	}
	return reply, err
}

func mustRender(t *testing.T, r *chat.Reply, err error) map[string]any {
	t.Helper()
	m, err := renderOutcome(r, err)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pieces is a reader that gives n bytes at a time.
type pieces struct {
	rest []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.n, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

type status struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
}

func (s status) makeHeader() http.Header {
	h := http.Header{}
	for k, v := range s.Header {
		h.Set(k, v)
	}
	return h
}

func readStatus(t *testing.T, folder string) status {
	t.Helper()
	var s status
	b, err := readFile(folder, "status.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// compareTwin compares a collected stream with the reply it belongs to.
func compareTwin(t *testing.T, folder string, reply, stream map[string]any) {
	t.Helper()
	var allowed struct {
		Differ []string `json:"differ"`
	}
	if b, err := readFile(folder, "twin.json"); err == nil {
		if err := json.Unmarshal(b, &allowed); err != nil {
			t.Fatal(err)
		}
	}
	for key := range joinKeys(reply, stream) {
		a, b := reply[key], stream[key]
		if key == "parts" && slices.Contains(allowed.Differ, "call_ids") {
			a, b = withoutIDs(a), withoutIDs(b)
		}
		same := reflect.DeepEqual(a, b)
		if listed := slices.Contains(allowed.Differ, key); !same && !listed {
			t.Errorf("%s: stream gives %v, reply %v", key, b, a)
		} else if same && listed {
			t.Errorf("%s: twin.json says that it differs, it doesn't", key)
		}
	}
}

func joinKeys(a, b map[string]any) map[string]bool {
	keys := make(map[string]bool, len(a))
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

func withoutIDs(parts any) []any {
	list, _ := parts.([]any)
	out := make([]any, 0, len(list))
	for _, p := range list {
		m := map[string]any{}
		for k, v := range p.(map[string]any) {
			if k != "id" {
				m[k] = v
			}
		}
		out = append(out, m)
	}
	return out
}

func compareGolden(t *testing.T, folder string, got map[string]any) {
	t.Helper()
	path := filepath.Join(folder, "want.json")
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readFile(folder, "want.json")
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(buf.Bytes(), want) {
		t.Errorf("%s:\n got %s\nwant %s", path, buf.Bytes(), want)
	}
}
