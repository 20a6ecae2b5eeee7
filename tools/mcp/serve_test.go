package mcp_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

type city struct {
	City string `json:"city"`
	Days int    `json:"days,omitempty"`
}

func weather(_ context.Context, in city) (string, error) { return "rain in " + in.City, nil }

// through is a set that was served and taken back.
func through(t *testing.T, set *tools.Set, cfg mcp.ServerConfig, client mcp.Config) *tools.Set {
	t.Helper()
	server, err := mcp.NewServer(set, cfg)
	if err != nil {
		t.Fatal(err)
	}
	client.Server = server
	return setOf(t, open(t, client))
}

// TestThereAndBack: a set that was served and taken back is the same to a
// model.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	parts := []chat.Part{
		chat.Text{Text: "a"},
		chat.Image{MediaType: "image/png", Data: []byte("p")},
		chat.File{Name: "d.pdf", MediaType: "application/pdf", Data: []byte("%PDF")},
	}
	set := tools.NewSet(
		tools.New("weather", "Tells the weather.", weather),
		tools.Raw("plain", "Takes nothing.", nil, func(context.Context, json.RawMessage) ([]chat.Part, error) { return parts, nil }),
		tools.New("fails", "Fails.", func(context.Context, struct{}) (string, error) { return "", context.DeadlineExceeded }),
		tools.New("crashes", "Crashes.", func(context.Context, struct{}) (string, error) { return strings.Repeat("x", -1), nil }),
	)
	back := through(t, set, mcp.ServerConfig{}, mcp.Config{})
	for _, d := range back.Defs() { // the SDK lists by name
		tool, _ := set.Lookup(d.Name)
		want := tool.Def
		if want.Schema == nil {
			want.Schema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
		}
		if d.Description != want.Description || string(d.Schema) != string(want.Schema) {
			t.Errorf("definition %s %s, want %s %s", d.Name, d.Schema, want.Name, want.Schema)
		}
	}
	for _, c := range []chat.ToolCall{
		{ID: "1", Name: "weather", Arguments: json.RawMessage(`{"city":"Ghent"}`)},
		{ID: "2", Name: "weather", Arguments: json.RawMessage(`{"city":7}`)},
		{ID: "3", Name: "plain"},
		{ID: "4", Name: "fails"},
		{ID: "5", Name: "crashes"},
	} {
		got, want := back.Call(t.Context(), c), set.Call(t.Context(), c)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.Name, got, want)
		}
	}
}

// TestServerChecksArguments: a client that doesn't look at the schema is told,
// and its user isn't asked about a call that can't run.
func TestServerChecksArguments(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(tools.New("weather", "", weather).With(tools.Options{NeedsApproval: true}))
	server, err := mcp.NewServer(set, mcp.ServerConfig{Name: "w", Version: "2", Approval: mcp.AskClient})
	if err != nil {
		t.Fatal(err)
	}
	c, err := open(t, mcp.Config{Server: server, Elicit: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		t.Error("the user was asked")
		return &sdk.ElicitResult{Action: "accept"}, nil
	}}).SDK(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "weather", Arguments: map[string]any{"days": 1}})
	if err != nil || !res.IsError || !strings.HasPrefix(res.Content[0].(*sdk.TextContent).Text, "arguments: city: ") {
		t.Errorf("result %+v, %v", res, err)
	}
	if info := c.InitializeResult().ServerInfo; info.Name != "w" || info.Version != "2" {
		t.Errorf("server %+v", info)
	}
}

func TestServedSchemas(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``:                              `{"type":"object","properties":{},"additionalProperties":false}`,
		`{"type":"object"}`:             `{"type":"object"}`,
		`{ }`:                           `{"type":"object"}`,
		"{\n\"properties\":{\"a\":{}}}": `{"type":"object","properties":{"a":{}}}`,
	} {
		tool := tools.Raw("t", "", json.RawMessage(raw), func(context.Context, json.RawMessage) (string, error) { return "", nil })
		got := through(t, tools.NewSet(tool), mcp.ServerConfig{}, mcp.Config{}).Defs()[0].Schema
		if string(got) != want {
			t.Errorf("%q is served as %s, want %s", raw, got, want)
		}
	}
}

func TestServedHints(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(
		tools.New("reads", "", weather),
		tools.New("writes", "", weather).With(tools.Options{SideEffects: true}),
	)
	adjust := func(d *sdk.Tool) {
		if d.Name == "reads" {
			d.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true}
		}
		d.Name = "other"
	}
	back := through(t, set, mcp.ServerConfig{Adjust: adjust}, mcp.Config{})
	for name, want := range map[string]bool{"reads": false, "writes": true} {
		if tool, ok := back.Lookup(name); !ok || tool.Options.SideEffects != want {
			t.Errorf("%s: %+v", name, tool.Options)
		}
	}
}

func TestSetsThatCantBeServed(t *testing.T) {
	t.Parallel()
	header := json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}`)
	raw := func(context.Context, json.RawMessage) (string, error) { return "", nil }
	for want, set := range map[string]*tools.Set{
		`mcp: tool "t": the name occurs twice`: tools.NewSet(tools.New("t", "", weather), tools.New("t", "", weather)),
		`mcp: tool "t": AddTool "t": invalid`:  tools.NewSet(tools.Raw("t", "", header, raw)),
	} {
		if _, err := mcp.NewServer(set, mcp.ServerConfig{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := mcp.NewServer(nil, mcp.ServerConfig{Approval: "always"}); err == nil {
		t.Error("an unknown approval was taken")
	}
	if _, err := mcp.NewServer(nil, mcp.ServerConfig{}); err != nil {
		t.Errorf("no set: %v", err)
	}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	const refused = "error: pay was not run: the user did not agree"
	for name, tt := range map[string]struct {
		approval mcp.Approval
		action   string
		names    []string
		want     string
		runs     int
	}{
		"withheld":  {mcp.Withhold, "accept", []string{"look"}, `error: there is no tool "pay"; the tools are look`, 0},
		"granted":   {mcp.Granted, "decline", []string{"look", "pay"}, "paid", 1},
		"agreed":    {mcp.AskClient, "accept", []string{"look", "pay"}, "paid", 1},
		"declined":  {mcp.AskClient, "decline", []string{"look", "pay"}, refused, 0},
		"dismissed": {mcp.AskClient, "cancel", []string{"look", "pay"}, refused, 0},
	} {
		for _, version := range protocols {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				runs, asked := 0, ""
				set := tools.NewSet(
					tools.New("look", "", weather),
					tools.New("pay", "", func(context.Context, city) (string, error) { runs++; return "paid", nil }).
						With(tools.Options{NeedsApproval: true}),
				)
				back := through(t, set, mcp.ServerConfig{Approval: tt.approval}, mcp.Config{
					ProtocolVersion: version,
					Elicit: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
						asked = req.Params.Message
						return &sdk.ElicitResult{Action: tt.action}, nil
					},
				})
				if got := back.Names(); !slices.Equal(got, tt.names) {
					t.Errorf("names %q", got)
				}
				if got := run(t.Context(), back, "pay", `{"city":"Ghent"}`); got != tt.want {
					t.Errorf("result %q, want %q", got, tt.want)
				}
				if runs != tt.runs {
					t.Errorf("ran %d times, want %d", runs, tt.runs)
				}
				if tt.approval == mcp.AskClient && asked != `May the tool pay run with these arguments? {"city":"Ghent"}` {
					t.Errorf("asked %q", asked)
				}
			})
		}
	}
}

// TestApprovalNeedsSomebody: a client that can't ask doesn't get through.
func TestApprovalNeedsSomebody(t *testing.T) {
	t.Parallel()
	ran := false
	set := tools.NewSet(tools.New("pay", "", func(context.Context, city) (string, error) { ran = true; return "", nil }).
		With(tools.Options{NeedsApproval: true}))
	for _, version := range protocols {
		back := through(t, set, mcp.ServerConfig{Approval: mcp.AskClient}, mcp.Config{ProtocolVersion: version})
		got := run(t.Context(), back, "pay", `{"city":"Ghent"}`)
		if !strings.HasPrefix(got, "error: ") || ran {
			t.Errorf("%s: result %q, ran: %v", version, got, ran)
		}
	}
}

// TestApprovalOfSomeCalls: a tool that needs approval for some calls is held back
// like one that always does, and the user is asked about those calls only.
func TestApprovalOfSomeCalls(t *testing.T) {
	t.Parallel()
	const free, dear = `{"city":"Ghent"}`, `{"city":"Ghent","days":9}`
	runs, asked := 0, 0
	set := tools.NewSet(tools.New("pay", "", func(context.Context, city) (string, error) { runs++; return "paid", nil }).
		With(tools.Options{ApprovalFor: func(args json.RawMessage) bool { return string(args) == dear }}))
	if names := through(t, set, mcp.ServerConfig{}, mcp.Config{}).Names(); len(names) > 0 {
		t.Errorf("withheld, %q are offered", names)
	}
	back := through(t, set, mcp.ServerConfig{Approval: mcp.AskClient}, mcp.Config{
		Elicit: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked++
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	})
	if got := run(t.Context(), back, "pay", free); got != "paid" || asked != 0 {
		t.Errorf("result %q, asked %d times", got, asked)
	}
	if got := run(t.Context(), back, "pay", dear); !strings.HasPrefix(got, "error: pay was not run") || asked != 1 || runs != 1 {
		t.Errorf("result %q, asked %d times, ran %d times", got, asked, runs)
	}
}

// TestExternalIsNotServed: nobody would answer its calls.
func TestExternalIsNotServed(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(tools.External("ask_user", "", nil), tools.New("look", "", weather))
	if got := through(t, set, mcp.ServerConfig{Approval: mcp.Granted}, mcp.Config{}).Names(); !slices.Equal(got, []string{"look"}) {
		t.Errorf("names %q", got)
	}
}

func TestServedParts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		part chat.Part
		want string
	}{
		"image by address": {chat.Image{URL: "https://example.org/i.png"}, `[resource, name: "image", uri: "https://example.org/i.png"]`},
		"file by address":  {chat.File{URL: "https://example.org/f"}, `[resource, name: "file1", uri: "https://example.org/f"]`},
		"file by ID":       {chat.File{ID: "f1"}, "error: result: a file by its ID is known to its provider only"},
		"audio":            {chat.Audio{MediaType: "audio/wav", Data: []byte("a")}, `[audio, type: "audio/wav", bytes: "1", shown: "no"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := tools.NewSet(tools.New("t", "", func(context.Context, struct{}) (chat.Part, error) { return tt.part, nil }))
			if got := run(t.Context(), through(t, set, mcp.ServerConfig{}, mcp.Config{}), "t", `{}`); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestServedCallIsCancelled: a client that gives up ends the tool.
func TestServedCallIsCancelled(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), make(chan struct{})
	set := tools.NewSet(tools.New("wait", "", func(ctx context.Context, _ struct{}) (string, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return "", ctx.Err()
	}))
	back := through(t, set, mcp.ServerConfig{}, mcp.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, _ = back.Run(ctx, calls("wait", `{}`))
	<-ended
}
