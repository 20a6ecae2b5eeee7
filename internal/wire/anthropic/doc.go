// Package anthropic speaks the Messages dialect: Anthropic's own API and the
// servers that imitate it, such as llama.cpp's and Ollama's.
//
// What the dialect has and the vocabulary hasn't is passed over when read:
// citations on text, and the blocks of tools that run at the provider
// (server_tool_use and their results), which sabir never offers. What a turn
// needs to be said back is kept: thinking with its signature and redacted
// thinking, as [chat.Thinking] whose signature is of kind "signature" or
// "redacted".
//
//	enc, err := anthropic.Codec{}.EncodeRequest(call)
//	// POST enc.Body to the base URL + enc.Path, then
//	reply, err := wire.ReadReply(anthropic.Codec{}, wire.NewAssembly(wire.Limits{}), body)
package anthropic
