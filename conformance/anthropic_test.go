package conformance

import (
	"context"
	"errors"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/sabir-go/sabir/chat"
)

// anthropicMessages reads through the official client.
func anthropicMessages(ctx context.Context, p place, stream bool) reading {
	client := anthropic.NewClient(option.WithoutEnvironmentDefaults(), option.WithAPIKey(anyKey),
		option.WithBaseURL(p.url+"/"), option.WithHTTPClient(p.http), option.WithMaxRetries(0))
	params := messageParams(p)
	if !stream {
		msg, err := client.Messages.New(ctx, params)
		if err != nil {
			return anthropicFailed(err)
		}
		return anthropicMessage(msg)
	}
	var acc anthropic.Message
	s := client.Messages.NewStreaming(ctx, params)
	defer func() { _ = s.Close() }()
	for s.Next() {
		if err := acc.Accumulate(s.Current()); err != nil {
			return anthropicFailed(err)
		}
	}
	if err := s.Err(); err != nil {
		return anthropicFailed(err)
	}
	return anthropicMessage(&acc)
}

func messageParams(p place) anthropic.MessageNewParams {
	params := anthropic.MessageNewParams{
		Model: p.model, MaxTokens: 1024,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
	}
	if p.ask.tools {
		params.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: toolName, Description: anthropic.String(toolWords),
			InputSchema: anthropic.ToolInputSchemaParam{
				Properties: toolSchema()["properties"], Required: []string{"city"},
				ExtraFields: map[string]any{"additionalProperties": false},
			},
		}}}
	}
	if p.ask.forced {
		params.ToolChoice = anthropic.ToolChoiceParamOfTool(toolName)
	}
	if p.ask.schema {
		params.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: toolSchema()}
	}
	return params
}

func anthropicMessage(msg *anthropic.Message) reading {
	u := msg.Usage
	got := reading{finish: string(msg.StopReason), usage: chat.Usage{
		Input:       int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		CachedInput: int(u.CacheReadInputTokens),
		CacheWrite:  int(u.CacheCreationInputTokens),
		Output:      int(u.OutputTokens),
		Reasoning:   int(u.OutputTokensDetails.ThinkingTokens),
	}}
	for _, b := range msg.Content {
		switch b.Type {
		case "text":
			got.text += b.Text
		case "thinking":
			got.thoughts += b.Thinking
		case "tool_use":
			got.calls = append(got.calls, call{b.ID, b.Name, string(b.Input)})
		}
	}
	return got
}

func anthropicFailed(err error) reading {
	got := reading{err: err}
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		got.status = e.StatusCode
	}
	return got
}
