// Package toolchoice holds the policy that says which tools a model may, must
// or must not call, and its spelling on each provider's wire.
//
// A [Choice] is a small closed value. [Choice.To] spells it for one
// [WireFormat], [Parse] reads every provider's spelling back:
//
//	c := toolchoice.Tool("place")
//	raw, err := c.To(toolchoice.Anthropic) // {"type":"tool","name":"place"}
//	same, err := toolchoice.Parse(raw)     // same == c
//
// What a wire can't say is an error, never a quiet "auto". Whether a provider
// obeys a choice, and what to do where it has no way to say it, isn't decided
// here.
//
// All functions are safe for concurrent use.
package toolchoice
