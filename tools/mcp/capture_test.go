package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools/mcp"
)

// everything is a recorded server over HTTP; see testdata/everything.
type everything struct {
	t    *testing.T
	lost atomic.Bool // it has forgotten the session
}

// recorded is the answer to a call of a tool. Two tools stand in for others,
// whose calls would not leave this side: the arguments don't fit, or there is no
// such tool.
var recorded = map[string]string{
	"echo":                           "04-call-echo.sse",
	"get-structured-content":         "05-call-structured.sse",
	"trigger-long-running-operation": "06-call-progress.sse",
	"get-env":                        "07-call-bad-args.sse",
	"toggle-simulated-logging":       "08-call-unknown-tool.sse",
	"get-tiny-image":                 "10-call-image.sse",
	"get-resource-links":             "13-call-resource-links.sse",
}

var (
	lastID   = regexp.MustCompile(`"jsonrpc":"2.0","id":\d+}`)
	progress = regexp.MustCompile(`"progressToken":"p1"`)
)

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// asAsked puts the ids of a request into a recorded answer.
func asAsked(body []byte, req rpc) []byte {
	body = lastID.ReplaceAll(body, []byte(`"jsonrpc":"2.0","id":`+string(req.ID)+`}`))
	return progress.ReplaceAll(body, []byte(`"progressToken":`+string(req.Params.Meta.ProgressToken)))
}

func (e *everything) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var req rpc
	if r.Method == http.MethodDelete || json.Unmarshal(body, &req) != nil {
		return
	}
	known := r.Header.Get("Mcp-Session-Id") != ""
	switch {
	case req.Method == "initialize":
		e.lost.Store(false)
		e.answer(w, "01-initialize.sse", req)
	case !known:
		e.refuse(w, "14-no-session.json")
	case e.lost.Load():
		e.refuse(w, "15-bad-session.json")
	case req.Method == "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
	case req.Method == "tools/list":
		e.answer(w, "03-tools-list.sse", req)
	case req.Method == "tools/call" && recorded[req.Params.Name] != "":
		e.answer(w, recorded[req.Params.Name], req)
	default:
		e.t.Errorf("nothing was recorded for %s", body)
	}
}

func (e *everything) answer(w http.ResponseWriter, file string, req rpc) {
	body, err := os.ReadFile("testdata/everything/" + file)
	if err != nil {
		e.t.Error(err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Mcp-Session-Id", "6d2ca3ad-a55c-44de-8bd0-9c999ad00e4d")
	_, _ = w.Write(asAsked(body, req))
}

func (e *everything) refuse(w http.ResponseWriter, file string) {
	body, err := os.ReadFile("testdata/everything/" + file)
	if err != nil {
		e.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(body)
}

// recordedResult is what stands in a recorded answer.
func recordedResult(t *testing.T, file string, into any) {
	t.Helper()
	body, err := os.ReadFile("testdata/everything/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, data, _ := bytes.Cut(body, []byte(`data: {"result":`))
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(into); err != nil {
		t.Fatal(err)
	}
}

type recordedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

type recordedTools struct {
	Tools []recordedTool `json:"tools"`
}

func TestRecordedHTTP(t *testing.T) {
	t.Parallel()
	server := &everything{t: t}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	seen := newEvents()
	s := open(t, mcp.Config{URL: web.URL, OnEvent: seen.add})

	var want recordedTools
	recordedResult(t, "03-tools-list.sse", &want)
	defs := setOf(t, s).Defs()
	if k := s.Skipped(); len(defs) != 15 || len(want.Tools) != 16 || len(k) != 1 || k[0].Name != "simulate-research-query" {
		t.Fatalf("%d of %d tools, skipped %v", len(defs), len(want.Tools), k)
	}
	want.Tools = slices.DeleteFunc(want.Tools, func(d recordedTool) bool { return d.Name == "simulate-research-query" })
	for i, d := range defs {
		if w := want.Tools[i]; d.Name != w.Name || d.Description != w.Description || string(d.Schema) != string(w.InputSchema) {
			t.Errorf("tool %d is %+v, want %+v", i, d, w)
		}
	}
	if text, err := s.Instructions(t.Context()); err != nil || !strings.HasPrefix(text, "# Everything Server – Server Instructions") {
		t.Errorf("instructions %q, %v", text, err)
	}

	server.checkCalls(t, s)
	server.lost.Store(true)
	if got := run(t.Context(), setOf(t, s), "echo", `{"message":"hi"}`); got != "Echo: hi" {
		t.Errorf("after the session was lost: %q", got)
	}
	seen.wait(t, is[mcp.Reconnected])
	for _, done := range []float64{1, 2, 3} {
		seen.wait(t, func(ev mcp.Event) bool {
			p, ok := ev.(mcp.Progress)
			return ok && p.Tool == "trigger-long-running-operation" && p.Done == done && p.Total == 3
		})
	}
}

func (e *everything) checkCalls(t *testing.T, s *mcp.Session) {
	t.Helper()
	set := setOf(t, s)
	for _, tt := range []struct{ tool, args, want string }{
		{"echo", `{"message":"hi"}`, "Echo: hi"},
		{"get-structured-content", `{"location":"New York"}`, `{"temperature":33,"conditions":"Cloudy","humidity":82}`},
		{"trigger-long-running-operation", `{"duration":1,"steps":3}`, "Long running operation completed. Duration: 1 seconds, Steps: 3."},
		{"get-env", `{}`, "error: MCP error -32602: Input validation error: Invalid arguments for tool echo: Invalid input: expected string, received undefined at message"},
		{"toggle-simulated-logging", `{}`, "error: MCP error -32602: Tool nope not found"},
		{"get-resource-links", `{"count":2}`, "Here are 2 resource links to resources available in this server:" +
			`[resource, name: "Blob Resource 1", uri: "demo://resource/dynamic/blob/1", type: "text/plain", description: "Resource 1: plaintext resource"]` +
			`[resource, name: "Text Resource 2", uri: "demo://resource/dynamic/text/2", type: "text/plain", description: "Resource 2: plaintext resource"]`},
	} {
		if got := run(t.Context(), set, tt.tool, tt.args); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.tool, got, tt.want)
		}
	}
	var picture struct {
		Content []struct {
			Text string `json:"text"`
			Data []byte `json:"data"`
		} `json:"content"`
	}
	recordedResult(t, "10-call-image.sse", &picture)
	got := set.Call(t.Context(), chat.ToolCall{ID: "c1", Name: "get-tiny-image"}).Parts
	want := []chat.Part{
		chat.Text{Text: picture.Content[0].Text},
		chat.Image{MediaType: "image/png", Data: picture.Content[1].Data},
		chat.Text{Text: picture.Content[2].Text},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("image: %+v, want %+v", got, want)
	}
}

// TestRecordedStdio: a notification comes before the answer to initialize.
func TestRecordedStdio(t *testing.T) {
	t.Parallel()
	seen := newEvents()
	s := open(t, mcp.Config{Command: program(t.TempDir(), "recorded"), OnEvent: seen.add})
	set := setOf(t, s)
	if n := len(set.Names()); n != 12 {
		t.Errorf("%d tools", n)
	}
	if got := run(t.Context(), set, "get-sum", `{"a":2,"b":40}`); got != "The sum of 2 and 40 is 42." {
		t.Errorf("result %q", got)
	}
	seen.wait(t, is[mcp.ListChanged])
}
