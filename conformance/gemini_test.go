package conformance

import (
	"context"
	"errors"

	"google.golang.org/genai"

	"github.com/sabir-go/sabir/chat"
)

// geminis reads through the official client.
func geminis(ctx context.Context, p place, stream bool) reading {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: anyKey, Backend: genai.BackendGeminiAPI, HTTPClient: p.http,
		HTTPOptions: genai.HTTPOptions{BaseURL: p.url, APIVersion: "v1beta"},
	})
	if err != nil {
		return reading{err: err}
	}
	contents, config := genai.Text(question), geminiConfig(p)
	if !stream {
		res, err := client.Models.GenerateContent(ctx, p.model, contents, config)
		if err != nil {
			return geminiFailed(err)
		}
		var got reading
		got.gemini(res)
		return got
	}
	var got reading
	for res, err := range client.Models.GenerateContentStream(ctx, p.model, contents, config) {
		if err != nil {
			return geminiFailed(err)
		}
		got.gemini(res)
	}
	return got
}

func geminiConfig(p place) *genai.GenerateContentConfig {
	config := &genai.GenerateContentConfig{}
	if p.ask.tools {
		config.Tools = []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{
			Name: toolName, Description: toolWords, ParametersJsonSchema: toolSchema(),
		}}}}
	}
	if p.ask.forced {
		config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{
			Mode: genai.FunctionCallingConfigModeAny, AllowedFunctionNames: []string{toolName},
		}}
	}
	if p.ask.schema {
		config.ResponseMIMEType, config.ResponseJsonSchema = "application/json", toolSchema()
	}
	if p.ask.thoughts {
		config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true}
	}
	return config
}

// gemini adds a reply or a chunk.
func (r *reading) gemini(res *genai.GenerateContentResponse) {
	if u := res.UsageMetadata; u != nil {
		r.usage = chat.Usage{
			Input:       int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
			CachedInput: int(u.CachedContentTokenCount),
			Output:      int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
			Reasoning:   int(u.ThoughtsTokenCount),
		}
	}
	if f := res.PromptFeedback; f != nil && f.BlockReason != "" {
		r.finish = string(f.BlockReason)
	}
	if len(res.Candidates) == 0 {
		return
	}
	c := res.Candidates[0]
	if c.FinishReason != "" {
		r.finish = string(c.FinishReason)
	}
	if c.Content == nil {
		return
	}
	for _, part := range c.Content.Parts {
		switch {
		case part.FunctionCall != nil:
			r.calls = append(r.calls, call{part.FunctionCall.ID, part.FunctionCall.Name, encoded(part.FunctionCall.Args)})
		case part.Thought:
			r.thoughts += part.Text
		default:
			r.text += part.Text
		}
	}
}

func geminiFailed(err error) reading {
	got := reading{err: err}
	if e, ok := errors.AsType[genai.APIError](err); ok {
		got.status = e.Code
	}
	return got
}
