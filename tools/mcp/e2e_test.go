//go:build e2e

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/tools/mcp"
)

// The reference servers, as npm installs them. ./check e2e does so.
var installed = flag.String("mcp-servers", "", "folder node_modules with the reference servers of MCP")

// reference is the command of a reference server.
func reference(t *testing.T, name string, args ...string) []string {
	t.Helper()
	script := filepath.Join(*installed, "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("run ./check e2e: %v", err)
	}
	return append([]string{"node", script}, args...)
}

func TestE2EEverythingOverStdio(t *testing.T) {
	t.Parallel()
	checkEverything(t, mcp.Config{Command: reference(t, "everything", "stdio"), Env: []string{"MINE=1"}})
}

func TestE2EEverythingOverHTTP(t *testing.T) {
	t.Parallel()
	addr := freeAddress(t)
	startWeb(t, addr)
	checkEverything(t, mcp.Config{URL: "http://" + addr + "/mcp"})
}

// checkEverything runs what the server has tools for.
func checkEverything(t *testing.T, cfg mcp.Config) {
	t.Helper()
	seen := newEvents()
	cfg.OnEvent = seen.add
	cfg.Elicit = func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada Lovelace", "check": true}}, nil
	}
	s := open(t, cfg)
	set := setOf(t, s)
	if k := s.Skipped(); len(k) != 1 || k[0].Name != "simulate-research-query" {
		t.Errorf("skipped %v", k)
	}
	for _, tt := range []struct{ tool, args, want string }{
		{"echo", `{"message":"Größe 🎈"}`, "Echo: Größe 🎈"},
		{"get-sum", `{"a":2,"b":40}`, "The sum of 2 and 40 is 42."},
		{"get-sum", `{"a":"two"}`, "error: arguments: "},
		{"get-structured-content", `{"location":"Chicago"}`, `{"temperature":`},
		{"get-resource-links", `{"count":2}`, "Here are 2 resource links"},
		{"get-resource-reference", `{"resourceType":"Text","resourceId":1}`, "Returning resource reference for Resource 1:[resource, uri: "},
		{"get-resource-reference", `{"resourceType":"Blob","resourceId":1}`, "Returning resource reference for Resource 1:[resource, uri: "},
		{"trigger-long-running-operation", `{"duration":0.2,"steps":2}`, "Long running operation completed."},
		{"trigger-elicitation-request", `{}`, "✅ User provided the requested information!User inputs:\n- Name: Ada Lovelace"},
	} {
		if got := run(t.Context(), set, tt.tool, tt.args); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
	seen.wait(t, func(ev mcp.Event) bool {
		p, ok := ev.(mcp.Progress)
		return ok && p.Tool == "trigger-long-running-operation" && p.Done == 1 && p.Total == 2
	})
	image := set.Call(t.Context(), chat.ToolCall{ID: "c1", Name: "get-tiny-image"})
	if img, ok := image.Parts[1].(chat.Image); !ok || http.DetectContentType(img.Data) != "image/png" {
		t.Errorf("image %+v", image)
	}
	checkCancel(t, s, seen)
}

// checkCancel gives up a call when it has begun, and makes another.
func checkCancel(t *testing.T, s *mcp.Session, seen *events) {
	t.Helper()
	set := setOf(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		seen.wait(t, func(ev mcp.Event) bool {
			p, ok := ev.(mcp.Progress)
			return ok && p.Total == 50
		})
		cancel()
	}()
	if _, err := set.Run(ctx, calls("trigger-long-running-operation", `{"duration":50,"steps":50}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := run(t.Context(), set, "echo", `{"message":"on"}`); got != "Echo: on" {
		t.Errorf("the call after it: %q", got)
	}
}

// TestE2ERestart: a server that was killed and came back has forgotten the
// session. The reference server refuses it with 400, the specification says 404.
func TestE2ERestart(t *testing.T) {
	t.Parallel()
	addr, seen := freeAddress(t), newEvents()
	stop := startWeb(t, addr)
	set := setOf(t, open(t, mcp.Config{URL: "http://" + addr + "/mcp", OnEvent: seen.add}))
	stop()
	if got := run(t.Context(), set, "echo", `{"message":"a"}`); !strings.HasPrefix(got, "error: mcp: "+addr) {
		t.Errorf("while it is down: %q", got)
	}
	startWeb(t, addr)
	if got := run(t.Context(), set, "echo", `{"message":"b"}`); got != "Echo: b" {
		t.Errorf("when it is back: %q", got)
	}
	seen.wait(t, is[mcp.Lost])
	seen.wait(t, is[mcp.Reconnected])
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startWeb starts the server that has everything, and returns what kills it.
func startWeb(t *testing.T, addr string) (stop func()) {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	command := reference(t, "everything", "streamableHttp")
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(stop)
	until(t, func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return stop
}

func TestE2EFilesystem(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "poem.txt"), []byte("Roses are red."), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, mcp.Config{Command: reference(t, "filesystem", dir), Prefix: "fs_"})
	set := setOf(t, s)
	for name, want := range map[string]bool{"fs_read_text_file": false, "fs_list_directory": false, "fs_write_file": false, "fs_edit_file": true} {
		if tool, ok := set.Lookup(name); !ok || tool.Options.SideEffects != want {
			t.Errorf("%s: %v, %+v", name, ok, tool.Options)
		}
	}
	fake := enginetest.New(
		enginetest.Calls("fs_read_text_file", map[string]string{"path": filepath.Join(dir, "poem.txt")}),
		enginetest.Calls("fs_write_file", map[string]string{"path": filepath.Join(dir, "copy.txt"), "content": "Violets are blue."}),
		enginetest.Calls("fs_read_text_file", map[string]string{"path": "/etc/passwd"}),
		enginetest.Says("done"),
	)
	bot := agent.Agent{Model: fake, Tools: set}
	result, err := bot.Run(t.Context(), chat.User("Copy the poem."))
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 0, 3)
	for _, step := range result.Steps {
		for _, c := range step.Calls {
			texts = append(texts, fmt.Sprint(c.Result.IsError, " ", chat.Message{Parts: c.Result.Parts}.Text()))
		}
	}
	for i, want := range []string{"false Roses are red.", "false Successfully wrote to", "true Access denied"} {
		if !strings.HasPrefix(texts[i], want) {
			t.Errorf("result %d: %q, want %q", i, texts[i], want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "copy.txt")); err != nil || string(text) != "Violets are blue." {
		t.Errorf("copy: %q, %v", text, err)
	}
}

// TestE2EMemory: what one session wrote, another reads.
func TestE2EMemory(t *testing.T) {
	t.Parallel()
	cfg := mcp.Config{
		Command: reference(t, "memory"),
		Env:     []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")},
	}
	first, err := mcp.Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	got := run(t.Context(), setOf(t, first), "create_entities",
		`{"entities":[{"name":"Ada","entityType":"person","observations":["writes programs"]}]}`)
	if strings.HasPrefix(got, "error: ") {
		t.Error(got)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	var graph struct {
		Entities []struct {
			Name string `json:"name"`
		} `json:"entities"`
	}
	got = run(t.Context(), setOf(t, open(t, cfg)), "read_graph", `{}`)
	if err := json.Unmarshal([]byte(got), &graph); err != nil || len(graph.Entities) != 1 || graph.Entities[0].Name != "Ada" {
		t.Errorf("graph %q, %v", got, err)
	}
}
