package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/tools/mcp"
)

// latest and settled are the two kinds of protocol there are: in the latest, a
// server asks in the answer to a call, before that it asked in the middle of it.
var protocols = []string{"2026-07-28", "2025-11-25"}

// TestInProcess also shows that nothing is left: synctest fails over goroutines
// that don't end.
func TestInProcess(t *testing.T) {
	t.Parallel()
	for _, version := range protocols {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
				add(server, "hello", nil, func(_ context.Context, arg string) (string, error) { return "hello " + arg, nil })
				s, err := mcp.Connect(t.Context(), mcp.Config{Server: server, ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				if got := run(t.Context(), setOf(t, s), "hello", `{"arg":"you"}`); got != "hello you" {
					t.Errorf("result %q", got)
				}
				c, err := s.SDK(t.Context())
				if err != nil || c.InitializeResult().ProtocolVersion != version {
					t.Errorf("protocol %+v, %v", c.InitializeResult(), err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestCancelInProcess(t *testing.T) {
	t.Parallel()
	for _, version := range protocols {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, cancelled := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil), false
				add(server, "wait", nil, func(ctx context.Context, _ string) (string, error) {
					<-ctx.Done()
					cancelled = true
					return "", ctx.Err()
				})
				s, err := mcp.Connect(t.Context(), mcp.Config{Server: server, ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				set := setOf(t, s)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if _, err := set.Run(ctx, calls("wait", `{}`)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
				synctest.Wait()
				if !cancelled {
					t.Error("the server was not told")
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestListChanged(t *testing.T) {
	t.Parallel()
	for _, version := range protocols {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server, seen := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil), newEvents()
			plain := func(context.Context, string) (string, error) { return "", nil }
			add(server, "a", nil, plain)
			s := open(t, mcp.Config{Server: server, OnEvent: seen.add, ProtocolVersion: version})
			before := setOf(t, s)
			add(server, "b", nil, plain)
			seen.wait(t, is[mcp.ListChanged])
			if got := setOf(t, s).Names(); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("new names %q", got)
			}
			if got := before.Names(); !slices.Equal(got, []string{"a"}) {
				t.Errorf("names of the set before: %q", got)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	server, told := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil), make(chan struct{})
	schema := json.RawMessage(`{"type":"object"}`)
	server.AddTool(&sdk.Tool{Name: "work.slowly", InputSchema: schema}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range 2 {
			err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "on it",
			})
			if err != nil {
				return nil, err
			}
			<-told
		}
		return &sdk.CallToolResult{}, nil
	})
	var got []mcp.Progress
	s := open(t, mcp.Config{Server: server, OnEvent: func(ev mcp.Event) {
		if p, ok := ev.(mcp.Progress); ok {
			got = append(got, p)
			told <- struct{}{}
		}
	}})
	if r := run(t.Context(), setOf(t, s), "work_slowly", `{"a":1}`); r != "" {
		t.Errorf("result %q", r)
	}
	if len(got) != 2 || got[1].Tool != "work_slowly" || string(got[1].Arguments) != `{"a":1}` ||
		got[1].Done != 2 || got[1].Total != 3 || got[1].Message != "on it" {
		t.Errorf("progress %+v", got)
	}
}

func TestElicit(t *testing.T) {
	t.Parallel()
	for _, version := range protocols {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := open(t, mcp.Config{Server: asking(), ProtocolVersion: version, Elicit: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": req.Params.Message + " Ada"}}, nil
			}})
			if got := run(t.Context(), setOf(t, s), "greet", `{}`); got != "hello Who? Ada" {
				t.Errorf("result %q", got)
			}
		})
		t.Run(version+", nobody to ask", func(t *testing.T) {
			t.Parallel()
			s := open(t, mcp.Config{Server: asking(), ProtocolVersion: version})
			if got := run(t.Context(), setOf(t, s), "greet", `{}`); !strings.Contains(got, "does not support elicitation") {
				t.Errorf("result %q", got)
			}
		})
	}
}

// TestLostAfterAnswer: a connection that breaks after the user has answered leaves
// open what the call has done, though the server's question came whole.
func TestLostAfterAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		res  *sdk.ElicitResult
		err  error
		want string
	}{
		"accepted":  {&sdk.ElicitResult{Action: "accept"}, nil, "error: mcp: server: pay may or may not have been carried out: outcome unknown: "},
		"no result": {nil, nil, "error: mcp: server: pay may or may not have been carried out: outcome unknown: "},
		"failed":    {nil, errors.New("nobody there"), `error: mcp: server: multi round-trip: fulfilling input request "q": nobody there`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := false
			s := open(t, mcp.Config{
				Elicit: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return tt.res, tt.err },
				Transport: script(func(method string, _ json.RawMessage) string {
					switch {
					case method != "tools/call":
						return answer(method, tool("pay", ""))
					case asked:
						return ""
					}
					asked = true
					return `"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create",` +
						`"params":{"mode":"form","message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}}}`
				}),
			})
			if got := run(t.Context(), setOf(t, s), "pay", `{}`); !strings.HasPrefix(got, tt.want) {
				t.Errorf("result %q, want %q", got, tt.want)
			}
		})
	}
}

// TestCloseEndsElicit: a question that nobody answers doesn't keep the session
// open.
func TestCloseEndsElicit(t *testing.T) {
	t.Parallel()
	for _, version := range protocols {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{})
			server := asking()
			if version == "2025-11-25" {
				server = insisting()
			}
			s := open(t, mcp.Config{Server: server, ProtocolVersion: version, Elicit: func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				close(asked)
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			set := setOf(t, s)
			go func() {
				<-asked
				_ = s.Close()
			}()
			if got := run(t.Context(), set, "greet", `{}`); !strings.Contains(got, "session closed") {
				t.Errorf("result %q", got)
			}
		})
	}
}

// TestProgressOfNoCall: a server can name any token, also one that stands for a
// question to the user.
func TestProgressOfNoCall(t *testing.T) {
	t.Parallel()
	server, seen := asking(), newEvents()
	s := open(t, mcp.Config{
		Server: server, OnEvent: seen.add, ProtocolVersion: "2025-11-25",
		Elicit: func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			for c := range server.Sessions() {
				for _, token := range []any{"2", "99", 1, nil, "1"} {
					if err := c.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 7}); err != nil {
						return nil, err
					}
				}
			}
			seen.wait(t, is[mcp.Progress])
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
	})
	if got := run(t.Context(), setOf(t, s), "greet", `{}`); got != "hello Ada" {
		t.Errorf("result %q", got)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if len(seen.all) != 1 {
		t.Errorf("told %+v", seen.all)
	}
}

// insisting is a server that goes on asking when the call is over.
func insisting() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "greet", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			_, err := req.Session.Elicit(context.WithoutCancel(ctx), &sdk.ElicitParams{Message: "Who?"})
			return &sdk.CallToolResult{}, err
		})
	return server
}

// TestHalfBrokenConnection: a connection that takes nothing more is given up,
// though an answer may still come over it. Of a custom transport it isn't known
// how far a failed write got.
func TestHalfBrokenConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release, connected := make(chan struct{}), 0
		server := script(func(method string, params json.RawMessage) string {
			if method != "tools/call" {
				return answer(method, tool("t", ""))
			}
			if strings.Contains(string(params), "slow") {
				<-release
			}
			return `"result":{"content":[{"type":"text","text":"done"}]}`
		})
		s, err := mcp.Connect(t.Context(), mcp.Config{Transport: func(ctx context.Context) (sdk.Transport, error) {
			tr, err := server(ctx)
			if connected++; connected == 1 {
				over := tr.(*sdk.IOTransport)
				over.Writer = &deafAfter{over.Writer, 5} // discover, initialize, initialized, tools/list, a call
			}
			return tr, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		set, slow := setOf(t, s), make(chan string, 1)
		go func() { slow <- run(t.Context(), set, "t", `{"how":"slow"}`) }()
		synctest.Wait()
		if got := run(t.Context(), set, "t", `{}`); !strings.Contains(got, "outcome unknown") || connected != 1 {
			t.Errorf("result %q, %d connections", got, connected)
		}
		if got := run(t.Context(), set, "t", `{}`); got != "done" || connected != 2 {
			t.Errorf("result %q, %d connections", got, connected)
		}
		close(release)
		if got := <-slow; got != "done" {
			t.Errorf("the slow call: %q", got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// deafAfter takes no more than so many writes.
type deafAfter struct {
	io.WriteCloser
	left int
}

func (d *deafAfter) Write(p []byte) (int, error) {
	if d.left--; d.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return d.WriteCloser.Write(p)
}

// asking is a server whose tool asks the user for a name.
func asking() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "greet", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer, ok := req.Params.InputResponses["who"].(*sdk.ElicitResult)
			if !ok {
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{
					Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
				}}}, nil
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "hello " + answer.Content["name"].(string)}}}, nil
		})
	return server
}

// TestCallOnClosedConnection: what can't have arrived is made again, even if it
// changes something.
func TestCallOnClosedConnection(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	var ran atomic.Int64
	add(server, "count", nil, func(context.Context, string) (string, error) { ran.Add(1); return "", nil })
	s := open(t, mcp.Config{Server: server})
	set := setOf(t, s)
	const rounds = 50
	for range rounds {
		c, err := s.SDK(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if got := run(t.Context(), set, "count", `{}`); got != "" {
			t.Fatalf("result %q", got)
		}
	}
	if n := ran.Load(); n != rounds {
		t.Errorf("ran %d times, want %d", n, rounds)
	}
}

// TestSideBySide: one session serves many calls at once, through a loss.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	safe := &sdk.ToolAnnotations{ReadOnlyHint: true}
	add(server, "echo", safe, func(_ context.Context, arg string) (string, error) { return arg, nil })
	s := open(t, mcp.Config{Server: server})
	set := setOf(t, s)
	set.MaxParallel = 16
	batch := calls("echo", `{"arg":"same"}`)
	for range 99 {
		batch = append(batch, batch[0])
	}
	for range 3 {
		c, err := s.SDK(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		go c.Close()
		results, err := set.Run(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.IsError {
				t.Fatalf("result %+v", r)
			}
		}
	}
}

// TestCloseEndsWaiting: Close doesn't wait for a server that has gone mute, though
// nothing else bounds what is asked of it.
func TestCloseEndsWaiting(t *testing.T) {
	t.Parallel()
	for name, mute := range map[string]struct {
		method string
		time   int
	}{
		"for a list":         {"tools/list", 1},
		"for a reconnection": {"initialize", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen, forever := 0, make(chan struct{})
				defer close(forever)
				s, err := mcp.Connect(t.Context(), mcp.Config{Transport: script(func(method string, _ json.RawMessage) string {
					if method == mute.method {
						if seen++; seen == mute.time {
							<-forever
						}
					}
					if method == "tools/list" {
						return "" // the connection breaks
					}
					return answer(method, "")
				})})
				if err != nil {
					t.Fatal(err)
				}
				listed := make(chan error, 1)
				go func() {
					_, err := s.Tools(t.Context())
					listed <- err
				}()
				synctest.Wait()
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if err := <-listed; !errors.Is(err, mcp.ErrClosed) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
