package conformance

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/sabir-go/sabir/chat"
)

func openaiClient(p place) openai.Client {
	return openai.NewClient(option.WithAPIKey(anyKey), option.WithBaseURL(p.url+"/"), option.WithHTTPClient(p.http), option.WithMaxRetries(0))
}

// openaiChat reads through the official client.
func openaiChat(ctx context.Context, p place, stream bool) reading {
	client, params := openaiClient(p), chatParams(p)
	if !stream {
		res, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return openaiFailed(err)
		}
		return chatCompletion(res)
	}
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	var acc openai.ChatCompletionAccumulator
	s := client.Chat.Completions.NewStreaming(ctx, params)
	defer func() { _ = s.Close() }()
	for s.Next() {
		if !acc.AddChunk(s.Current()) {
			return reading{err: errors.New("the accumulator refuses a chunk: " + s.Current().RawJSON())}
		}
	}
	if err := s.Err(); err != nil {
		return openaiFailed(err)
	}
	return chatCompletion(&acc.ChatCompletion)
}

func chatParams(p place) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:    p.model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	}
	if p.ask.tools {
		params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: toolName, Description: param.NewOpt(toolWords), Parameters: toolSchema(),
		})}
	}
	if p.ask.forced {
		params.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: toolName})
	}
	if p.ask.schema {
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: toolSchema(), Strict: param.NewOpt(true)},
		}
	}
	return params
}

func chatCompletion(res *openai.ChatCompletion) reading {
	if len(res.Choices) == 0 {
		return reading{err: errors.New("no choices")}
	}
	c := res.Choices[0]
	got := reading{text: c.Message.Content + c.Message.Refusal, finish: c.FinishReason, usage: chat.Usage{
		Input:       int(res.Usage.PromptTokens),
		CachedInput: int(res.Usage.PromptTokensDetails.CachedTokens),
		CacheWrite:  int(res.Usage.PromptTokensDetails.CacheWriteTokens),
		Output:      int(res.Usage.CompletionTokens),
		Reasoning:   int(res.Usage.CompletionTokensDetails.ReasoningTokens),
	}}
	for _, tc := range c.Message.ToolCalls {
		args := tc.Function.Arguments
		if tc.Type == "custom" {
			args = tc.Custom.Input
		}
		got.calls = append(got.calls, call{tc.ID, tc.Function.Name + tc.Custom.Name, args})
	}
	return got
}

func openaiFailed(err error) reading {
	got := reading{err: err}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		got.status = e.StatusCode
	}
	return got
}
