// Package ollama speaks Ollama's own chat API, POST /api/chat: one JSON object
// per reply, or one per line of a stream.
//
// The wire has no tool choice, no switch for parallel calls, no cache marks and
// no metadata; a call that holds one of them is an error. Arguments travel as
// objects, pictures as base64 beside the text of a message.
//
// Source: github.com/ollama/ollama, api/types.go, server/routes.go and docs,
// state of 2026-08-21, read 2026-11-30.
package ollama
