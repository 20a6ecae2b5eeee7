// Package mcp gives a model the tools of MCP servers, and gives MCP clients the
// tools of a [tools.Set]. It is built on the official SDK,
// github.com/modelcontextprotocol/go-sdk/mcp.
//
//	files, err := mcp.Connect(ctx, mcp.Config{
//		Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", dir},
//	})
//	if err != nil {
//		return err
//	}
//	defer files.Close()
//	set, err := files.Set(ctx)
//	if err != nil {
//		return err
//	}
//	bot := agent.Agent{Model: client, Tools: set}
//
// [NewServer] is the other direction.
//
// # Trust
//
// Names, descriptions, schemas, hints, results and instructions are the
// server's words, and the model reads them. A server that isn't trusted can
// write instructions for the model into any of them. Choose tools with
// Config.Filter, demand approval with Config.Options, and don't print such texts
// to a terminal as they are. A tool's definition doesn't change under a run:
// see [Session.Tools].
package mcp
