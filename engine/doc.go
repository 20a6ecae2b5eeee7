// Package engine talks to providers. Each provider has its own small type, a
// [Profile] that says what is particular to it, and a constructor that takes a
// [Config]:
//
//	eng := engine.NewGroq(engine.Config{Model: "llama-3.3-70b-versatile"})
//	reply, err := eng.Chat(ctx, &chat.Request{Messages: chat.Prompt("Hello")})
//
// Every request goes through one planner, which decides what to send or
// refuses with a reason; [Engine.Plan] shows its decision without network.
// Engines are safe for concurrent use.
package engine
