package core

import (
	"net/http"
	"strings"
)

// OllamaWords are what Ollama says with a status, on both of its dialects.
func OllamaWords(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "unauthorized"
	case http.StatusNotFound:
		return "model not found"
	case http.StatusTooManyRequests:
		return "too many requests, slow down"
	case http.StatusServiceUnavailable:
		return "server busy, please try again.  maximum pending requests exceeded"
	case http.StatusInternalServerError:
		return "llama runner process has terminated"
	}
	return strings.ToLower(http.StatusText(status))
}

// EncodeOllamaFailure spells an error as Ollama does: the whole error is a text;
// paths and methods that don't exist are answered without JSON. Source:
// ollama/ollama, docs/api/errors.mdx; recordings with 0.17.4; read 2026-11-30.
func EncodeOllamaFailure(f *Refusal, _ string) (string, []byte) {
	switch {
	case f.Body != "":
		return f.ScriptedBody()
	case strings.HasPrefix(f.Message, "Invalid URL"):
		return "text/plain", []byte("404 page not found")
	case f.Status == http.StatusMethodNotAllowed:
		return "text/plain", []byte("405 method not allowed")
	case f.Message == "":
		f.Message = OllamaWords(f.Status)
	}
	return EncodeDocument(object{"error": f.Message})
}

// MakeOllamaCallID makes the id of a call.
func MakeOllamaCallID(seed string) string { return "call_" + strings.ToLower(MakeID(8, seed)) }
