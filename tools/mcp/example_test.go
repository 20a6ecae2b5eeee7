package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

// A set becomes a server, and the server's tools a set, here in one process.
func ExampleNewServer() {
	double := tools.New("double", "Doubles a number.", func(_ context.Context, in struct {
		N int `json:"n"`
	},
	) (int, error) {
		return 2 * in.N, nil
	})
	server, err := mcp.NewServer(tools.NewSet(double), mcp.ServerConfig{Name: "arithmetic"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	session, err := mcp.Connect(ctx, mcp.Config{Server: server, Prefix: "math_"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	set, err := session.Set(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := set.Call(ctx, chat.ToolCall{ID: "c1", Name: "math_double", Arguments: json.RawMessage(`{"n":21}`)})
	fmt.Println(set.Names(), result.Parts[0].(chat.Text).Text)
	// Output: [math_double] 42
}

// What changes something needs approval, as far as the server says so; a tool
// that it says nothing about is taken for one.
func ExampleConfig_options() {
	cfg := mcp.Config{
		Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/tmp"},
		Options: func(t *sdk.Tool) tools.Options {
			o := mcp.DefaultOptions(t)
			o.NeedsApproval = o.SideEffects
			return o
		},
	}
	read := &sdk.Tool{Name: "read", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}
	fmt.Println(cfg.Options(read).NeedsApproval, cfg.Options(&sdk.Tool{Name: "write"}).NeedsApproval)
	// Output: false true
}
