// Package ollama plays Ollama's own API.
package ollama
