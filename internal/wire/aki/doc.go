// Package aki speaks AKI.IO's native API, POST /api/call/{model}: one blocking
// call with the conversation in a string of JSON, and the key in the body. The
// key is the engine's to add; the codec only says where.
//
// The wire has text, three sampling settings and no more: no tools, no output
// schema, no stream of events. Tools travel in words; see package hermes. What
// a call holds beyond that is an error.
//
// Source: aki.io/docs, "LLM Request Parameters", "LLM Chat Context", "LLM Chat
// Response" and "LLM Output Format", and the clients in
// github.com/aki-io-labs/aki-io, read 2026-11-30.
package aki
