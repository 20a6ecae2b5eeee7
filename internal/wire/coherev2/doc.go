// Package coherev2 speaks the Chat API v2 of Cohere, and of the servers that
// imitate it.
//
// A reply has one thought, one plan for the tools it calls, one text and a list
// of calls, whatever the number of its content items. The plan is a
// [chat.Thinking] whose signature is of kind "tool_plan" and goes back into the
// member it came from; other thoughts are of kind "thinking". Neither has a
// token. Citations are passed over.
//
//	enc, err := coherev2.Codec{}.EncodeRequest(call)
//	// POST enc.Body to the base URL + enc.Path, then
//	reply, err := wire.ReadReply(coherev2.Codec{}, wire.NewAssembly(wire.Limits{}), body)
//
// Source of the whole dialect unless said otherwise: docs.cohere.com, "Chat"
// and "Chat with Streaming"; cohere-openapi.yaml; cohere-go v2.18.0; read
// 2026-11-30.
package coherev2
