// Package bedrockconverse speaks the Converse dialect of Amazon Bedrock: one
// form for the models of many makers. The model stands in the path, and a
// stream comes in AWS's binary framing, see [frame.EventStream].
//
// What the dialect has and the vocabulary hasn't is passed over when read:
// citations (the text around them is kept), images that a model made, and the
// calls and results of tools that run at the provider. What a turn needs to be
// said back is kept: reasoning with its signature and redacted reasoning, as
// [chat.Thinking] whose signature is of kind "signature" or "redacted".
//
//	enc, err := bedrockconverse.Codec{}.EncodeRequest(call)
//	// POST enc.Body to the base URL + enc.Path, then
//	reply, err := wire.ReadReply(bedrockconverse.Codec{}, wire.NewAssembly(wire.Limits{}), body)
//
// Source of the whole dialect unless said otherwise: aws-sdk-go-v2
// service/bedrockruntime v1.63.13, read 2026-11-30.
package bedrockconverse
