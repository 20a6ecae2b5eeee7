package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// A conversation of one question.
func ExamplePrompt() {
	req := &chat.Request{Model: "claude-sonnet-4-5", Messages: chat.Prompt("Where is the Gravensteen?")}
	fmt.Println(req.Messages[0].Role, req.Messages[0].Text())
	// Output: user Where is the Gravensteen?
}

// The model's turn goes back as it came, followed by the results of its calls.
func ExampleResults() {
	history := chat.Prompt("Where is the Gravensteen?")
	reply := &chat.Reply{Parts: []chat.Part{
		chat.ToolCall{ID: "call_1", Name: "place", Arguments: json.RawMessage(`{"name":"Gravensteen"}`)},
	}}

	history = append(history, reply.Message())
	var results []chat.ToolResult
	for _, call := range reply.ToolCalls() {
		if !call.Sound() {
			results = append(results, chat.ErrorResult(call.ID, "the arguments are not complete"))
			continue
		}
		results = append(results, chat.TextResult(call.ID, "51.06 N, 3.72 E"))
	}
	history = append(history, chat.Results(results...))

	stored, _ := json.Marshal(history[2])
	fmt.Println(string(stored))
	// Output: {"role":"tool","parts":[{"type":"tool_result","call_id":"call_1","parts":[{"type":"text","text":"51.06 N, 3.72 E"}]}]}
}

// Where a tool can't be forced, such as beside extended thinking, it can be
// asked for.
func ExampleAskFor() {
	m := chat.Message{Role: chat.RoleUser, Parts: []chat.Part{
		chat.Text{Text: "Where is the Gravensteen?\n"},
		chat.AskFor("place"),
	}}
	fmt.Println(m.Text())
	// Output:
	// Where is the Gravensteen?
	// Use the tool place to answer this. If it can't be used here, say why instead.
}

// What the provider refused tells its kind, and how long to wait.
func ExampleError() {
	var err error = &chat.Error{
		Kind: chat.ErrRateLimited, Engine: "groq", Status: 429, Message: "slow down", RetryAfter: 20 * time.Second,
	}
	if e, ok := errors.AsType[*chat.Error](err); ok && errors.Is(err, chat.ErrRateLimited) {
		fmt.Println(e)
		fmt.Println("wait", e.RetryAfter)
	}
	// Output:
	// groq: rate limited (429): slow down
	// wait 20s
}

// What the plan refused names the reason and the ways out; nothing was sent.
func ExampleUnsupportedError() {
	var err error = &chat.UnsupportedError{
		Engine: "deepseek", Model: "deepseek-v4-flash", Feature: "forced tool choice tool(place)",
		Reason: "not with extended thinking", Instead: []string{"switch thinking off for this turn"},
	}
	if e, ok := errors.AsType[*chat.UnsupportedError](err); ok && errors.Is(err, chat.ErrUnsupported) {
		fmt.Println(e.Reason)
		fmt.Println(e.Instead[0])
	}
	// Output:
	// not with extended thinking
	// switch thinking off for this turn
}
