// Mcp lets a model look at files through an MCP server: one in this process,
// over a folder made for it, or any that can be started as a program.
//
//	go run ./examples/mcp -provider anthropic
//	go run ./examples/mcp -provider anthropic -mcp "npx -y @modelcontextprotocol/server-filesystem /tmp"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

func main() {
	command := flag.String("mcp", "", "command of an MCP server; empty: one in this process")
	demo.Main("anthropic", "claude-sonnet-4-5", func(ctx context.Context, w io.Writer, model engine.Engine) error {
		if *command != "" {
			return look(ctx, w, model, mcp.Config{Command: strings.Fields(*command), Stderr: os.Stderr})
		}
		return lookHere(ctx, w, model)
	})
}

// look gives the model the server's tools.
func look(ctx context.Context, w io.Writer, model engine.Engine, server mcp.Config) error {
	session, err := mcp.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer session.Close()
	set, err := session.Set(ctx)
	if err != nil {
		return err
	}
	bot := agent.Agent{Model: model, Tools: set}
	result, err := bot.Run(ctx, chat.User("List the files, please."))
	if err == nil {
		fmt.Fprintln(w, result.Text())
	}
	return err
}

// lookHere serves a folder of its own.
func lookHere(ctx context.Context, w io.Writer, model engine.Engine) (err error) {
	dir, err := os.MkdirTemp("", "sabir")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.WriteFile("poem.txt", []byte("Roses are red."), 0o600); err != nil {
		return err
	}
	server, err := mcp.NewServer(filesIn(root), mcp.ServerConfig{Name: "files"})
	if err != nil {
		return err
	}
	return look(ctx, w, model, mcp.Config{Server: server})
}

type file struct {
	Name string `json:"name" jsonschema:"name of the file"`
}

// filesIn are tools that see nothing outside of a folder.
func filesIn(root *os.Root) *tools.Set {
	return tools.NewSet(
		tools.New("list_files", "Lists the files.", func(context.Context, struct{}) ([]string, error) {
			return fs.Glob(root.FS(), "*")
		}),
		tools.New("read_file", "Reads a file.", func(_ context.Context, in file) (string, error) {
			text, err := root.ReadFile(in.Name)
			return string(text), err
		}),
	)
}
