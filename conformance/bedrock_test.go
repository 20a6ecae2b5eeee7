package conformance

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go/auth/bearer"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/sabir-go/sabir/chat"
)

// bedrockClient uses an API key, as sabir does without a signer.
func bedrockClient(p place) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: &p.url, HTTPClient: p.http, Retryer: aws.NopRetryer{},
		BearerAuthTokenProvider: bearer.StaticTokenProvider{Token: bearer.Token{Value: anyKey}},
		AuthSchemePreference:    []string{"httpBearerAuth"},
		Credentials:             credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
}

// bedrocks reads through the official client.
func bedrocks(ctx context.Context, p place, stream bool) reading {
	client := bedrockClient(p)
	messages := []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{
		&types.ContentBlockMemberText{Value: question},
	}}}
	if !stream {
		res, err := client.Converse(ctx, &bedrockruntime.ConverseInput{
			ModelId: &p.model, Messages: messages, ToolConfig: bedrockTools(p), OutputConfig: bedrockOutput(p),
		})
		if err != nil {
			return bedrockFailed(err)
		}
		return converse(res)
	}
	res, err := client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
		ModelId: &p.model, Messages: messages, ToolConfig: bedrockTools(p), OutputConfig: bedrockOutput(p),
	})
	if err != nil {
		return bedrockFailed(err)
	}
	s := res.GetStream()
	defer func() { _ = s.Close() }()
	got := bedrockStream{calls: map[int32]call{}}
	for ev := range s.Events() {
		got.event(ev)
	}
	if err := s.Err(); err != nil {
		return bedrockFailed(err)
	}
	return got.done()
}

func bedrockTools(p place) *types.ToolConfiguration {
	if !p.ask.tools {
		return nil
	}
	config := &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
		Name: aws.String(toolName), Description: aws.String(toolWords),
		InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(toolSchema())},
	}}}}
	if p.ask.forced {
		config.ToolChoice = &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(toolName)}}
	}
	return config
}

func bedrockOutput(p place) *types.OutputConfig {
	if !p.ask.schema {
		return nil
	}
	return &types.OutputConfig{TextFormat: &types.OutputFormat{
		Type: types.OutputFormatTypeJsonSchema,
		Structure: &types.OutputFormatStructureMemberJsonSchema{Value: types.JsonSchemaDefinition{
			Name: aws.String("answer"), Schema: aws.String(toolJSON),
		}},
	}}
}

func converse(res *bedrockruntime.ConverseOutput) reading {
	got := reading{finish: string(res.StopReason), usage: bedrockUsage(res.Usage)}
	msg, ok := res.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return got
	}
	for _, block := range msg.Value.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberText:
			got.text += b.Value
		case *types.ContentBlockMemberReasoningContent:
			if r, ok := b.Value.(*types.ReasoningContentBlockMemberReasoningText); ok {
				got.thoughts += aws.ToString(r.Value.Text)
			}
		case *types.ContentBlockMemberToolUse:
			args, err := b.Value.Input.MarshalSmithyDocument()
			if err != nil {
				return reading{err: err}
			}
			got.calls = append(got.calls, call{aws.ToString(b.Value.ToolUseId), aws.ToString(b.Value.Name), string(args)})
		}
	}
	return got
}

func bedrockUsage(u *types.TokenUsage) chat.Usage {
	if u == nil {
		return chat.Usage{}
	}
	cached, written := int(aws.ToInt32(u.CacheReadInputTokens)), int(aws.ToInt32(u.CacheWriteInputTokens))
	return chat.Usage{
		Input: int(aws.ToInt32(u.InputTokens)) + cached + written, CachedInput: cached, CacheWrite: written,
		Output: int(aws.ToInt32(u.OutputTokens)),
	}
}

// bedrockStream pieces together a stream: the SDK leaves that to its users.
type bedrockStream struct {
	reading
	calls map[int32]call
}

func (s *bedrockStream) event(ev types.ConverseStreamOutput) {
	switch ev := ev.(type) {
	case *types.ConverseStreamOutputMemberContentBlockStart:
		if start, ok := ev.Value.Start.(*types.ContentBlockStartMemberToolUse); ok {
			s.calls[aws.ToInt32(ev.Value.ContentBlockIndex)] = call{
				aws.ToString(start.Value.ToolUseId), aws.ToString(start.Value.Name), "",
			}
		}
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		s.delta(aws.ToInt32(ev.Value.ContentBlockIndex), ev.Value.Delta)
	case *types.ConverseStreamOutputMemberMessageStop:
		s.finish = string(ev.Value.StopReason)
	case *types.ConverseStreamOutputMemberMetadata:
		s.usage = bedrockUsage(ev.Value.Usage)
	}
}

func (s *bedrockStream) delta(index int32, delta types.ContentBlockDelta) {
	switch d := delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		s.text += d.Value
	case *types.ContentBlockDeltaMemberToolUse:
		c := s.calls[index]
		c.args += aws.ToString(d.Value.Input)
		s.calls[index] = c
	case *types.ContentBlockDeltaMemberReasoningContent:
		if t, ok := d.Value.(*types.ReasoningContentBlockDeltaMemberText); ok {
			s.thoughts += t.Value
		}
	}
}

func (s *bedrockStream) done() reading {
	got := s.reading
	for _, i := range slices.Sorted(maps.Keys(s.calls)) {
		got.calls = append(got.calls, s.calls[i])
	}
	return got
}

func bedrockFailed(err error) reading {
	got := reading{err: err}
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		got.status = e.HTTPStatusCode()
	}
	return got
}
