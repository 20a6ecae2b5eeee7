package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// This file is what the words of the format mean in sabir's types.

// dialect is a case's dialect: the engines that speak it, by profile, and what
// a base URL ends in.
type dialect struct {
	prefix  string
	engines map[string]func(engine.Config) engine.Engine
	// thought makes the token on a thought of this dialect.
	thought func(text, signature string) chat.Signature
}

var dialects = map[string]dialect{
	"openai-chat": {"/v1", map[string]func(engine.Config) engine.Engine{
		"":              func(c engine.Config) engine.Engine { return engine.NewOpenAICompatible(c) },
		"openai":        func(c engine.Config) engine.Engine { return engine.NewOpenAI(c) },
		"deepseek":      func(c engine.Config) engine.Engine { return engine.NewDeepSeek(c) },
		"mistral":       func(c engine.Config) engine.Engine { return engine.NewMistral(c) },
		"openrouter":    func(c engine.Config) engine.Engine { return engine.NewOpenAICompatible(c) },
		"gemini-compat": func(c engine.Config) engine.Engine { return engine.NewOpenAICompatible(c) },
	}, signatureOf("reasoning_content")},
	"openai-responses": {"/v1", map[string]func(engine.Config) engine.Engine{
		"":       func(c engine.Config) engine.Engine { return engine.NewOpenAIResponses(c) },
		"openai": func(c engine.Config) engine.Engine { return engine.NewOpenAIResponses(c) },
	}, reasoningItem},
	"anthropic": {"", map[string]func(engine.Config) engine.Engine{
		"": func(c engine.Config) engine.Engine { return engine.NewAnthropic(c) },
	}, signatureOf("signature")},
	"gemini": {"/v1beta", map[string]func(engine.Config) engine.Engine{
		"": func(c engine.Config) engine.Engine { return engine.NewGemini(c) },
	}, signatureOf("thought_signature")},
	"ollama": {"", map[string]func(engine.Config) engine.Engine{
		"": func(c engine.Config) engine.Engine { return engine.NewOllama(c) },
	}, signatureOf("")},
	"hermes": {"/v1", map[string]func(engine.Config) engine.Engine{
		"": func(c engine.Config) engine.Engine { return engine.NewHermes(engine.HermesConfig{Config: c}) },
	}, signatureOf("")},
}

func newEngine(c *Case, cfg Config, server string, client *http.Client) engine.Engine {
	d := dialects[c.Dialect]
	build, ok := d.engines[c.Profile]
	if !ok {
		build = d.engines[""] // no engine of that name speaks this dialect
	}
	base := server + d.prefix
	if cfg.BaseURL != "" {
		base = strings.ReplaceAll(cfg.BaseURL, "{server}", server)
	}
	key := cfg.APIKey
	if key == "" {
		key = "test-key"
	}
	return build(engine.Config{
		APIKey: key, BaseURL: base, HTTPClient: client, MaxAttempts: cfg.MaxRetries + 1,
	})
}

var roles = map[string]chat.Role{
	"system": chat.RoleSystem, "user": chat.RoleUser, "assistant": chat.RoleAssistant, "tool": chat.RoleTool,
}

// mapRequest maps a canonical request. provider_options go to the engine as
// Extra.
func (c *Case) mapRequest(r *Request, engineName string) (*chat.Request, error) {
	out := &chat.Request{
		Model: r.Model, ParallelTools: r.ParallelToolCalls, MaxTokens: r.MaxTokens,
		Temperature: r.Temperature, TopP: r.TopP, Stop: r.Stop,
	}
	for _, m := range r.Messages {
		role, ok := roles[m.Role]
		if !ok {
			return nil, fmt.Errorf("role %q is not defined", m.Role)
		}
		msg := chat.Message{Role: role, Parts: c.mapParts(m.Content)}
		if role == chat.RoleSystem && len(out.Messages) == 0 && out.System == "" {
			out.System = msg.Text()
			continue
		}
		out.Messages = append(out.Messages, msg)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, chat.ToolDef{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	if len(r.ProviderOptions) > 0 {
		out.Extra = chat.Extra{engineName: r.ProviderOptions}
	}
	if t := r.Thinking; t != nil {
		out.Thinking = chat.ThinkingConfig{
			Mode: thinkingMode(t.Enabled), Budget: t.BudgetTokens, Effort: chat.Effort(t.Effort),
		}
	}
	var err error
	if out.ToolChoice, err = mapChoice(r.ToolChoice); err != nil {
		return nil, err
	}
	out.Output, err = mapOutput(r.Output)
	return out, err
}

func thinkingMode(enabled *bool) chat.ThinkingMode {
	switch {
	case enabled == nil:
		return chat.ThinkingDefault
	case *enabled:
		return chat.ThinkingOn
	}
	return chat.ThinkingOff
}

func mapChoice(c *Choice) (toolchoice.Choice, error) {
	if c == nil {
		return toolchoice.Choice{}, nil
	}
	switch c.Mode {
	case "auto":
		return toolchoice.Auto(), nil
	case "none":
		return toolchoice.None(), nil
	case "required":
		return toolchoice.Any(), nil
	case "named":
		return toolchoice.Tool(c.Name), nil
	}
	return toolchoice.Choice{}, fmt.Errorf("tool_choice mode %q is not defined", c.Mode)
}

func mapOutput(o *Output) (*chat.Output, error) {
	switch {
	case o == nil:
		return nil, nil
	case o.Mode == "json_object":
		return &chat.Output{}, nil
	case o.Mode == "json_schema":
		return &chat.Output{Name: o.Name, Schema: o.Schema, Strict: o.Strict}, nil
	}
	return nil, fmt.Errorf("output mode %q is not defined", o.Mode)
}

func (c *Case) mapParts(ps parts) []chat.Part {
	out := make([]chat.Part, 0, len(ps))
	for _, p := range ps {
		switch p := p.(type) {
		case *textPart:
			out = append(out, chat.Text{Text: p.Text})
		case *imagePart:
			out = append(out, chat.Image{MediaType: p.MediaType, Data: p.Data, URL: p.URL})
		case *thinkingPart:
			out = append(out, chat.Thinking{Text: p.Text, Signature: dialects[c.Dialect].thought(p.Text, p.Signature)})
		case *redactedPart:
			out = append(out, chat.Thinking{Signature: chat.Signature{Kind: "redacted", Data: p.Data}})
		case *callPart:
			out = append(out, chat.ToolCall{ID: p.ID, Name: p.Name, Arguments: compactJSON(p.Arguments)})
		case *resultPart:
			out = append(out, chat.ToolResult{CallID: p.CallID, Parts: c.mapParts(p.Content), IsError: p.IsError})
		}
	}
	return out
}

// signatureOf returns a function that makes signatures of a kind; empty ones if
// there is no token or no kind.
func signatureOf(kind string) func(text, signature string) chat.Signature {
	return func(_, signature string) chat.Signature {
		if signature == "" || kind == "" {
			return chat.Signature{}
		}
		return chat.Signature{Kind: kind, Data: signature}
	}
}

// reasoningItem is a thought of the Responses API, which goes back as a whole.
func reasoningItem(text, encrypted string) chat.Signature {
	if encrypted == "" {
		return chat.Signature{}
	}
	type summary struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	item := struct {
		Type      string    `json:"type"`
		Summary   []summary `json:"summary"`
		Encrypted string    `json:"encrypted_content"`
	}{"reasoning", []summary{}, encrypted}
	if text != "" {
		item.Summary = append(item.Summary, summary{"summary_text", text})
	}
	data, _ := json.Marshal(item) // texts always marshal
	return chat.Signature{Kind: "reasoning_item", Data: string(data)}
}

var finishWords = map[string][]chat.FinishReason{
	"stop":           {chat.FinishStop, chat.FinishStopSequence},
	"tool_calls":     {chat.FinishToolCalls},
	"length":         {chat.FinishLength},
	"content_filter": {chat.FinishFiltered},
	"error":          {chat.FinishError, chat.FinishMalformed},
	"other":          {chat.FinishOther, chat.FinishPaused},
}

// errMaxSteps ends a loop of the runner's own.
var errMaxSteps = errors.New("no step is left")

// goErrors are the errors of the standard library that a case can name.
var goErrors = map[string]error{
	"context.Canceled":         context.Canceled,
	"context.DeadlineExceeded": context.DeadlineExceeded,
	"io.EOF":                   io.EOF,
	"io.ErrUnexpectedEOF":      io.ErrUnexpectedEOF,
	"os.ErrDeadlineExceeded":   os.ErrDeadlineExceeded,
	"net.ErrClosed":            net.ErrClosed,
}

// failure is an error with what classes look at.
type failure struct {
	error
	status int
	reply  *chat.Reply
}

func (f failure) isKind(kinds ...error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(f.error, kind) })
}

// ofContext: the caller's context ended the call, whatever else is said.
func (f failure) ofContext() bool { return f.isKind(context.Canceled, context.DeadlineExceeded) }

// wasJudged: the reply was read, and then found not to be what was asked for.
func (f failure) wasJudged(finish chat.FinishReason) bool {
	return f.isKind(chat.ErrToolChoiceUnmet, chat.ErrOutputUnmet) && f.reply != nil && f.reply.Finish == finish
}

// classes says which errors are of a class. sabir tells a 401 and a 403 apart
// by Status, and reports a cut answer in Reply.Finish.
var classes = map[string]func(failure) bool{
	"bad_request": func(f failure) bool { return f.isKind(chat.ErrBadRequest, chat.ErrTooLong) },
	"auth":        func(f failure) bool { return f.isKind(chat.ErrAuth) && f.status != http.StatusForbidden },
	"permission":  func(f failure) bool { return f.isKind(chat.ErrAuth) && f.status == http.StatusForbidden },
	"not_found":   func(f failure) bool { return f.isKind(chat.ErrNotFound) },
	"rate_limit":  func(f failure) bool { return f.isKind(chat.ErrRateLimited, chat.ErrQuota) },
	"overloaded":  func(f failure) bool { return f.isKind(chat.ErrOverloaded) },
	"server": func(f failure) bool {
		return f.isKind(chat.ErrServer) || f.isKind(chat.ErrOverloaded) && f.status == http.StatusServiceUnavailable
	},
	"timeout": func(f failure) bool { return f.isKind(context.DeadlineExceeded, os.ErrDeadlineExceeded) },
	"canceled": func(f failure) bool {
		return f.isKind(context.Canceled)
	},
	"transport": func(f failure) bool { return f.isKind(chat.ErrNetwork) && !f.ofContext() },
	"truncated_stream": func(f failure) bool {
		return !f.ofContext() && (f.isKind(chat.ErrTruncated) || f.isKind(chat.ErrNetwork) && f.status == http.StatusOK)
	},
	"truncated_output":    func(f failure) bool { return f.wasJudged(chat.FinishLength) },
	"decode":              func(f failure) bool { return f.isKind(chat.ErrBadReply) },
	"content_filtered":    func(f failure) bool { return f.isKind(chat.ErrFiltered) || f.wasJudged(chat.FinishFiltered) },
	"malformed_tool_call": func(f failure) bool { return f.isKind(chat.ErrMalformedCall) },
	"tool_args": func(f failure) bool {
		return f.isKind(chat.ErrToolChoiceUnmet) && f.reply != nil &&
			slices.ContainsFunc(f.reply.ToolCalls(), func(c chat.ToolCall) bool { return !c.Sound() })
	},
	"tool_choice_unmet":     func(f failure) bool { return f.isKind(chat.ErrToolChoiceUnmet) },
	"max_steps":             func(f failure) bool { return f.isKind(errMaxSteps) },
	"unsupported":           func(f failure) bool { return f.isKind(chat.ErrUnsupported) },
	"invalid_request_local": func(f failure) bool { return f.isKind(chat.ErrInvalid) },
}

// judgesReply: the error finds fault with what the server answered, not with
// the request.
func judgesReply(err error) bool {
	return errors.Is(err, chat.ErrToolChoiceUnmet) || errors.Is(err, chat.ErrOutputUnmet)
}
