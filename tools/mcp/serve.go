package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// Approval is what a server does with the tools that need approval.
type Approval string

// The ways to deal with tools that need approval.
const (
	// Withhold doesn't offer them.
	Withhold Approval = ""
	// AskClient offers them, and has the user at the client's side agree to each
	// call, by elicitation. A client that can't ask can't call them. It protects
	// the user from the model, and not the server from the client.
	AskClient Approval = "ask"
	// Granted runs them like the others.
	Granted Approval = "granted"
)

// ServerConfig says how a set is served.
type ServerConfig struct {
	// Name and Version introduce the server; empty: "sabir" and this module's
	// version.
	Name, Version string
	// Instructions tell the client's model how to use the tools; may be empty.
	Instructions string
	// Approval is for tools with [tools.Options.NeedsApproval] or
	// [tools.Options.ApprovalFor].
	Approval Approval
	// Adjust changes a tool's definition before it is offered, such as to say by
	// its annotations that it only reads; nil: nothing. Its name stays.
	Adjust func(*sdk.Tool)
}

// NewServer makes an MCP server of a set. It serves whatever it is connected to:
//
//	err := server.Run(ctx, &sdk.StdioTransport{})
//	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
//	session, err := mcp.Connect(ctx, mcp.Config{Server: server})
//
// Calls go through [tools.Set.Check] and [tools.Set.Call]: what is wrong with
// one is a result that says so. Options.MaxCalls counts those of all clients
// together. Calls run as they come; Set.MaxParallel bounds those of one
// [tools.Set.Run] only. Tools are listed by name; those of [tools.External] are
// not offered, since nobody would answer. The error is what is wrong with the set
// or the config.
//
// Give tools that can wait for long a Timeout: over HTTP the client's word that a
// call is cancelled can arrive before the call (seen with SDK 1.8.0, 2026-11-30),
// which then runs on, and the end of its session waits for it.
func NewServer(set *tools.Set, cfg ServerConfig) (*sdk.Server, error) {
	if err := set.Err(); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	switch cfg.Approval {
	case Withhold, AskClient, Granted:
	default:
		return nil, fmt.Errorf("mcp: no way to approve is called %q", cfg.Approval)
	}
	server := sdk.NewServer(
		&sdk.Implementation{Name: cmp.Or(cfg.Name, "sabir"), Version: cmp.Or(cfg.Version, moduleVersion())},
		&sdk.ServerOptions{
			Instructions: cfg.Instructions,
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		},
	)
	for _, name := range set.Names() {
		t, _ := set.Lookup(name)
		asks := t.Options.NeedsApproval || t.Options.ApprovalFor != nil
		if t.IsExternal() || asks && cfg.Approval == Withhold {
			continue
		}
		o := offer{set: set, name: name, asks: asks && cfg.Approval == AskClient}
		if err := o.addTo(server, t, cfg.Adjust); err != nil {
			return nil, fmt.Errorf("mcp: tool %q: %w", name, err)
		}
	}
	return server, nil
}

// offer is a tool of the set that is served.
type offer struct {
	set  *tools.Set
	name string
	asks bool
}

// addTo offers the tool. The SDK panics over a definition that it doesn't take.
func (o offer) addTo(server *sdk.Server, t tools.Tool, adjust func(*sdk.Tool)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	def := &sdk.Tool{Name: o.name, Description: t.Def.Description, InputSchema: objectSchema(t.Def.Schema)}
	if t.Options.SideEffects {
		def.Annotations = &sdk.ToolAnnotations{}
	}
	if adjust != nil {
		adjust(def)
		def.Name = o.name
	}
	server.AddTool(def, o.call)
	return nil
}

// objectSchema states the type, which MCP demands and a set doesn't.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var s struct {
		Type json.RawMessage `json:"type"`
	}
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	case json.Unmarshal(raw, &s) != nil || s.Type != nil:
		return raw
	}
	rest := bytes.TrimSpace(raw[1:])
	if len(rest) > 0 && rest[0] == '}' {
		return json.RawMessage(`{"type":"object"}`)
	}
	return append([]byte(`{"type":"object",`), rest...)
}

func (o offer) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	call := chat.ToolCall{ID: "call", Name: o.name, Arguments: req.Params.Arguments}
	if err := o.set.Check(call); err != nil {
		return encodeResult(chat.ErrorResult(call.ID, err.Error())), nil
	}
	if o.asks && len(o.set.Pending([]chat.ToolCall{call})) > 0 {
		if res := askApproval(req, call); res != nil {
			return res, nil
		}
	}
	res := o.set.Call(ctx, call)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return encodeResult(res), nil
}

// approvalKey names the question in the client's answers.
const approvalKey = "approval"

// askApproval returns the question whether a call may run, or the result of one
// that may not; nil if it may.
func askApproval(req *sdk.CallToolRequest, call chat.ToolCall) *sdk.CallToolResult {
	answer, asked := req.Params.InputResponses[approvalKey].(*sdk.ElicitResult)
	switch {
	case !asked:
		args := dropControls(string(call.Arguments))
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{approvalKey: &sdk.ElicitParams{
			Mode:            "form",
			Message:         fmt.Sprintf("May the tool %s run with these arguments? %s", call.Name, args),
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
		}}}
	case answer == nil || answer.Action != "accept":
		return encodeResult(chat.ErrorResult(call.ID, call.Name+" was not run: the user did not agree"))
	}
	return nil
}

func encodeResult(r chat.ToolResult) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: r.IsError, Content: make([]sdk.Content, 0, len(r.Parts))}
	for i, p := range r.Parts {
		c, err := encodePart(p, i)
		if err != nil {
			return encodeResult(chat.ErrorResult(r.CallID, err.Error()))
		}
		res.Content = append(res.Content, c)
	}
	return res
}

func encodePart(p chat.Part, i int) (sdk.Content, error) {
	switch p := p.(type) {
	case chat.Text:
		return &sdk.TextContent{Text: p.Text}, nil
	case chat.Image:
		if len(p.Data) == 0 {
			return &sdk.ResourceLink{URI: p.URL, Name: "image", MIMEType: p.MediaType}, nil
		}
		return &sdk.ImageContent{Data: p.Data, MIMEType: p.MediaType}, nil
	case chat.Audio:
		return &sdk.AudioContent{Data: p.Data, MIMEType: p.MediaType}, nil
	case chat.File:
		return encodeFile(p, i)
	case chat.Thinking, chat.ToolCall, chat.ToolResult:
	}
	return nil, fmt.Errorf("result: a tool can't return %T as a part", p)
}

// encodeFile returns the document, or a link to it. A document needs an address
// in MCP: it gets one that leads nowhere else.
func encodeFile(f chat.File, i int) (sdk.Content, error) {
	switch name := cmp.Or(f.Name, fmt.Sprintf("file%d", i+1)); {
	case len(f.Data) > 0:
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
			URI: "result:///" + name, MIMEType: f.MediaType, Blob: f.Data,
		}}, nil
	case f.URL != "":
		return &sdk.ResourceLink{URI: f.URL, Name: name, MIMEType: f.MediaType}, nil
	}
	return nil, errors.New("result: a file by its ID is known to its provider only")
}
