// Package compact shortens the conversations of long runs, so that they stay
// within the model's context window:
//
//	bot := agent.Agent{
//		Model:   model,
//		Tools:   tools.NewSet(search),
//		Compact: compact.Compactor{Window: 200_000, Model: small},
//	}
//
// See docs/adr/0025.
package compact
