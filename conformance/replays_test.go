package conformance

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// replays are conversations in which a reply from the test data is said back,
// with whatever signatures it came with, and goes on. They start on the engine
// of the test data and go on on every other.
func replays(t *testing.T) []asked {
	t.Helper()
	var rows []asked
	for _, d := range dialects {
		root := filepath.Join("..", "internal", "wire", d.folder, "testdata")
		for _, name := range answers(t, root) {
			if strings.HasSuffix(name, "/reply.json") {
				if req := d.replay(t, filepath.Join(root, filepath.FromSlash(name))); req != nil {
					rows = append(rows, asked{"replay of " + d.folder + "/" + name, req})
				}
			}
		}
	}
	return rows
}

// replay is nil where the answer is no reply, or a reply that calls nothing in
// a way that can be answered.
func (d dialect) replay(t *testing.T, file string) *chat.Request {
	t.Helper()
	eng := d.sabir(engine.Config{
		APIKey: "k", BaseURL: "https://provider.test" + d.base, MaxAttempts: 1,
		HTTPClient: &http.Client{Transport: answer(t, file, false)()},
	})
	messages := chat.Prompt(question)
	reply, err := eng.Chat(t.Context(), &chat.Request{Model: d.model, Messages: messages})
	if err != nil || len(reply.Parts) == 0 {
		return nil
	}
	messages = append(messages, reply.Message())
	req := &chat.Request{Tools: []chat.ToolDef{weather}}
	var results []chat.ToolResult
	for _, c := range reply.ToolCalls() {
		results = append(results, chat.TextResult(c.ID, "done"))
		if c.Name != toolName && (len(req.Tools) == 1 || c.Name != req.Tools[1].Name) {
			req.Tools = append(req.Tools, chat.ToolDef{Name: c.Name, Schema: []byte(toolJSON)})
		}
	}
	if len(results) > 0 {
		messages = append(messages, chat.Results(results...))
	}
	messages = append(messages, chat.User("Go on."))
	req.Messages = messages
	return req
}
