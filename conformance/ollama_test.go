package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/ollama/ollama/api"

	"github.com/sabir-go/sabir/chat"
)

// ollamas reads through the official client.
func ollamas(ctx context.Context, p place, stream bool) reading {
	base, err := url.Parse(p.url)
	if err != nil {
		return reading{err: err}
	}
	req, err := ollamaRequest(p, stream)
	if err != nil {
		return reading{err: err}
	}
	var got reading
	err = api.NewClient(base, p.http).Chat(ctx, req, func(res api.ChatResponse) error {
		got.ollama(res)
		return nil
	})
	if err != nil {
		return ollamaFailed(err)
	}
	return got
}

func ollamaRequest(p place, stream bool) (*api.ChatRequest, error) {
	req := &api.ChatRequest{
		Model: p.model, Stream: &stream,
		Messages: []api.Message{{Role: "user", Content: question}},
	}
	if p.ask.schema {
		req.Format = json.RawMessage(toolJSON)
	}
	if !p.ask.tools {
		return req, nil
	}
	tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: toolName, Description: toolWords}}
	req.Tools = api.Tools{tool}
	return req, json.Unmarshal([]byte(toolJSON), &req.Tools[0].Function.Parameters)
}

// ollama adds a reply or a line.
func (r *reading) ollama(res api.ChatResponse) {
	r.text += res.Message.Content
	r.thoughts += res.Message.Thinking
	for _, c := range res.Message.ToolCalls {
		r.calls = append(r.calls, call{c.ID, c.Function.Name, encoded(c.Function.Arguments)})
	}
	if res.Done {
		r.finish = res.DoneReason
		r.usage = chat.Usage{Input: res.PromptEvalCount, Output: res.EvalCount}
	}
}

func ollamaFailed(err error) reading {
	got := reading{err: err}
	if e, ok := errors.AsType[api.StatusError](err); ok {
		got.status = e.StatusCode
	}
	if e, ok := errors.AsType[api.AuthorizationError](err); ok {
		got.status = e.StatusCode
	}
	return got
}
