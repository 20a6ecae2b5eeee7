// Package sabir is one API over many LLM providers, for people who build
// agents. What a caller asks for happens on every provider, or is refused with
// a reason before anything is sent.
//
// A [Client] is an engine plus middleware:
//
//	client := sabir.New(engine.NewAnthropic(engine.Config{Model: "claude-sonnet-4-5"}))
//	reply, err := client.Ask(ctx, "Where is the Gravensteen?")
//
// The vocabulary of requests and replies is in package chat, tool policy in
// toolchoice, tools made from Go functions in tools, providers in engine.
package sabir
