package conformance

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/sabir-go/sabir/chat"
)

// openaiResponses reads through the official client.
func openaiResponses(ctx context.Context, p place, stream bool) reading {
	client, params := openaiClient(p), responseParams(p)
	if !stream {
		res, err := client.Responses.New(ctx, params)
		if err != nil {
			return openaiFailed(err)
		}
		return response(res)
	}
	var last *responses.Response
	var deltas string
	s := client.Responses.NewStreaming(ctx, params)
	defer func() { _ = s.Close() }()
	for s.Next() {
		switch ev := s.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			deltas += ev.Delta
		case responses.ResponseRefusalDeltaEvent:
			deltas += ev.Delta
		case responses.ResponseCompletedEvent:
			last = &ev.Response
		case responses.ResponseIncompleteEvent:
			last = &ev.Response
		case responses.ResponseFailedEvent:
			last = &ev.Response
		case responses.ResponseErrorEvent:
			return reading{err: errors.New(ev.Code + ": " + ev.Message)}
		}
	}
	if err := s.Err(); err != nil {
		return openaiFailed(err)
	}
	if last == nil {
		return reading{text: deltas}
	}
	got := response(last)
	got.deltas = deltas
	return got
}

func responseParams(p place) responses.ResponseNewParams {
	params := responses.ResponseNewParams{
		Model: p.model,
		Input: responses.ResponseNewParamsInputUnion{OfString: param.NewOpt(question)},
	}
	if p.ask.tools {
		params.Tools = []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name: toolName, Description: param.NewOpt(toolWords), Parameters: toolSchema(), Strict: param.NewOpt(true),
		}}}
	}
	if p.ask.forced {
		params.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: toolName}
	}
	if p.ask.schema {
		params.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("answer", toolSchema())
	}
	if p.ask.thoughts {
		params.Reasoning.Summary = shared.ReasoningSummaryAuto
	}
	return params
}

func response(res *responses.Response) reading {
	if res.Status == responses.ResponseStatusFailed {
		return reading{err: errors.New(string(res.Error.Code) + ": " + res.Error.Message)}
	}
	got := reading{finish: string(res.Status), usage: chat.Usage{
		Input:       int(res.Usage.InputTokens),
		CachedInput: int(res.Usage.InputTokensDetails.CachedTokens),
		CacheWrite:  int(res.Usage.InputTokensDetails.CacheWriteTokens),
		Output:      int(res.Usage.OutputTokens),
		Reasoning:   int(res.Usage.OutputTokensDetails.ReasoningTokens),
	}}
	if r := res.IncompleteDetails.Reason; r != "" {
		got.finish = r
	}
	for _, item := range res.Output {
		got.item(item)
	}
	return got
}

func (r *reading) item(item responses.ResponseOutputItemUnion) {
	switch item := item.AsAny().(type) {
	case responses.ResponseOutputMessage:
		for _, c := range item.Content {
			r.text += c.Text + c.Refusal
		}
	case responses.ResponseReasoningItem:
		for _, s := range item.Summary {
			r.thoughts += s.Text
		}
	case responses.ResponseFunctionToolCall:
		r.calls = append(r.calls, call{item.CallID, item.Name, item.Arguments})
	case responses.ResponseCustomToolCall:
		r.calls = append(r.calls, call{item.CallID, item.Name, item.Input})
	}
}
