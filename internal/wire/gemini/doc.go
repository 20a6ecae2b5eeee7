// Package gemini speaks generateContent, the dialect of the Gemini API and of
// Gemini on Vertex AI. The base URL of the former ends in /v1beta, that of the
// latter in /publishers/google.
//
// A part's thoughtSignature is a [chat.Signature] of kind "thought_signature"
// on the very part that carried it, and goes back there, as the string it came
// as. A call's id is the API's only if the signature's kind says so ("id",
// "thought_signature+id"); ids that were made up here, or elsewhere, are not
// sent: then results are matched by name and order. A thought without a token
// is marked as this dialect's by the bare kind "thought".
//
// A reply that the API broke off (CONTINUATION) ends in an empty thought of
// kind "continuation_token". Said back as the last message it becomes the
// request's continuationToken, and the reply itself is left out of the
// contents, as the official clients do.
//
// Call.Extra reaches into two objects that the codec writes itself by names
// with a dot: "generationConfig.topK", "toolConfig.retrievalConfig". Metadata
// is sent as labels, which Vertex AI alone takes.
//
// What the dialect has and the vocabulary hasn't is passed over when read:
// pictures that the model made, code that it ran, grounding and safety
// ratings, and all candidates but the first. Text filters find no text here:
// the parts of a reply keep their order, however many texts there are.
//
//	enc, err := gemini.Codec{}.EncodeRequest(call)
//	// POST enc.Body to the base URL + enc.Path, then
//	reply, err := wire.ReadReply(gemini.Codec{}, wire.NewAssembly(wire.Limits{}), body)
package gemini
