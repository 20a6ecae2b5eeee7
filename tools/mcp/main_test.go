package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

// TestMain lets the test binary stand in for a server that is started as a
// program: "serve" and the folder where it leaves its traces.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// program is the command of a server whose traces are in dir.
func program(dir string, how ...string) []string {
	return append([]string{os.Args[0], "serve", dir}, how...)
}

func serve(dir string, how []string) {
	for _, h := range how {
		switch h {
		case "broken":
			fmt.Fprintln(os.Stderr, "no such thing as a database")
			os.Exit(4)
		case "noisy":
			fmt.Fprintln(os.Stdout, "Server starting...")
		case "recorded":
			replay()
			return
		case "deaf": // hears neither the end of its input nor a signal
			signal.Ignore(syscall.SIGTERM)
			defer func() { select {} }()
		}
	}
	trace(dir, "started", strconv.Itoa(os.Getpid()))
	s := sdk.NewServer(&sdk.Implementation{Name: "traces", Version: "1"}, nil)
	safe := &sdk.ToolAnnotations{ReadOnlyHint: true}
	add(s, "env", safe, func(context.Context, string) (string, error) { return strings.Join(os.Environ(), "\n"), nil })
	add(s, "note", nil, func(_ context.Context, arg string) (string, error) {
		trace(dir, "noted", arg)
		return "noted", nil
	})
	die := func(_ context.Context, arg string) (string, error) {
		if trace(dir, "died", arg) == 1 {
			os.Exit(3)
		}
		return "survived", nil
	}
	add(s, "die", nil, die)
	add(s, "die_reading", safe, die)
	add(s, "leave", nil, func(context.Context, string) (string, error) {
		_ = os.Stdin.Close()
		go os.Exit(0)
		return "left", nil
	})
	add(s, "go_mute", nil, func(ctx context.Context, _ string) (string, error) {
		_ = os.Stdout.Close()
		select {}
	})
	add(s, "hang", nil, func(ctx context.Context, _ string) (string, error) {
		trace(dir, "hanging", "")
		<-ctx.Done()
		trace(dir, "cancelled", "")
		return "", ctx.Err()
	})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		trace(dir, "ended", err.Error())
	}
}

// replay answers with what a server has said over stdio.
func replay() {
	all, err := os.ReadFile("testdata/everything/stdio-out.jsonl")
	if err != nil {
		os.Exit(5)
	}
	said := bytes.SplitAfter(all, []byte("\n"))
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var req rpc
		if json.Unmarshal(lines.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		switch req.Method {
		case "initialize":
			_, _ = os.Stdout.Write(said[0])
			_, _ = os.Stdout.Write(asAsked(said[1], req))
		case "tools/list":
			_, _ = os.Stdout.Write(asAsked(said[2], req))
		case "tools/call":
			_, _ = os.Stdout.Write(asAsked(said[3], req))
		default:
			fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", req.ID)
		}
	}
}

// trace adds a line to a file and returns how many there are.
func trace(dir, name, line string) int {
	f, err := os.OpenFile(dir+"/"+name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		os.Exit(5)
	}
	defer f.Close()
	fmt.Fprintln(f, line)
	_, _ = f.Seek(0, io.SeekStart)
	all, _ := io.ReadAll(f)
	return strings.Count(string(all), "\n")
}

// traces returns the lines of a file.
func traces(t *testing.T, dir, name string) []string {
	t.Helper()
	all, err := os.ReadFile(dir + "/" + name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(all))
}

// add offers a tool that takes {"arg": string}.
func add(s *sdk.Server, name string, hints *sdk.ToolAnnotations, f func(context.Context, string) (string, error)) {
	def := &sdk.Tool{
		Name: name, Description: "Does " + name + ".", Annotations: hints,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"arg":{"type":"string"}}}`),
	}
	s.AddTool(def, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct {
			Arg string `json:"arg"`
		}
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		text, err := f(ctx, in.Arg)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
}

// open connects, and closes when the test ends.
func open(t *testing.T, cfg mcp.Config) *mcp.Session {
	t.Helper()
	s, err := mcp.Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func setOf(t *testing.T, s *mcp.Session) *tools.Set {
	t.Helper()
	set, err := s.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Err(); err != nil {
		t.Fatal(err)
	}
	return set
}

// run calls a tool and returns the text of its result, after "error: " if it is
// one.
func run(ctx context.Context, set *tools.Set, name, args string) string {
	r := set.Call(ctx, chat.ToolCall{ID: "c1", Name: name, Arguments: json.RawMessage(args)})
	text := chat.Message{Parts: r.Parts}.Text()
	if r.IsError {
		return "error: " + text
	}
	return text
}
