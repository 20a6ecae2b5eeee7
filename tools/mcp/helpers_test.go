package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools/mcp"
)

type sdkTool = sdk.Tool

func calls(name, args string) []chat.ToolCall {
	return []chat.ToolCall{{ID: "c1", Name: name, Arguments: json.RawMessage(args)}}
}

// tracesExist is traces for other goroutines than the test's.
func tracesExist(dir, name string) []string {
	all, err := os.ReadFile(dir + "/" + name)
	if err != nil {
		return nil
	}
	return strings.Split(string(all), "\n")
}

// until waits for what another process does.
func until(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return
		}
	}
}

// script is a server that answers as told: f gets a request's method and
// params, and returns the members of the answer beside its id, or "" for none.
func script(f func(method string, params json.RawMessage) string) func(context.Context) (sdk.Transport, error) {
	return func(context.Context) (sdk.Transport, error) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() {
			defer out.Close()
			lines := bufio.NewScanner(in)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				var req struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
					Params json.RawMessage `json:"params"`
				}
				if json.Unmarshal(lines.Bytes(), &req) != nil || req.ID == nil {
					continue
				}
				answer := f(req.Method, req.Params)
				if answer == "" {
					return
				}
				fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", req.ID, answer)
			}
		}()
		return &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil
	}
}

// answer is what a server with one page of tools answers.
func answer(method, tools string) string {
	switch method {
	case "initialize":
		return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}`
	case "tools/list":
		return `"result":{"tools":[` + tools + `]}`
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

// listing is a script of a server with these pages of tools, whose calls are
// all answered with result.
func listing(result string, pages ...string) func(context.Context) (sdk.Transport, error) {
	return script(func(method string, params json.RawMessage) string {
		switch method {
		case "tools/list":
			var p struct {
				Cursor string `json:"cursor"`
			}
			if json.Unmarshal(params, &p) != nil {
				return ""
			}
			list := answer(method, pages[len(p.Cursor)])
			if len(p.Cursor)+1 < len(pages) {
				list = strings.TrimSuffix(list, "}") + `,"nextCursor":"` + p.Cursor + `x"}`
			}
			return list
		case "tools/call":
			return result
		}
		return answer(method, "")
	})
}

// events collects what a session tells.
type events struct {
	mu   sync.Mutex
	all  []mcp.Event
	some chan struct{}
}

func newEvents() *events { return &events{some: make(chan struct{}, 100)} }

func (e *events) add(ev mcp.Event) {
	e.mu.Lock()
	e.all = append(e.all, ev)
	e.mu.Unlock()
	e.some <- struct{}{}
}

// wait returns once an event has come that is as wanted.
func (e *events) wait(t *testing.T, wanted func(mcp.Event) bool) {
	t.Helper()
	for {
		e.mu.Lock()
		came := slices.ContainsFunc(e.all, wanted)
		e.mu.Unlock()
		if came {
			return
		}
		select {
		case <-e.some:
		case <-time.After(30 * time.Second):
			t.Fatal("the event never came")
		}
	}
}

func is[E mcp.Event](ev mcp.Event) bool {
	_, ok := ev.(E)
	return ok
}
