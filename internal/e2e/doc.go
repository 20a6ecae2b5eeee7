// Package e2e runs sabir's public API against a server that others wrote: the
// npm package @copilotkit/aimock, which speaks Chat Completions (also under
// Azure's addresses), Responses, Messages, Gemini (also under Vertex AI's),
// Bedrock Converse, Cohere and Ollama. It validates loosely; strictness is the
// simulator's affair. The tests need the build tag e2e and the server's address:
//
//	./check e2e
package e2e
