// Package profile holds what is particular to a provider, as data: its address
// and key, the dialect that it speaks, and what it accepts for which model. The
// planner decides by it; nothing here talks to anybody.
//
//	acme := profile.Profile{
//		Name:    "acme",
//		BaseURL: "https://api.acme.example/v1",
//		Auth:    profile.Bearer("ACME_API_KEY"),
//		Dialect: profile.OpenAIChat,
//		Tools:   toolchoice.OpenAI,
//		Can:     profile.Streaming | profile.ToolUse,
//	}
package profile
