package sim

import (
	"net/http"
	"strings"
)

func ollamaWords(status int) string {
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

// ollamaFailure: the whole error is a text; paths and methods that don't exist
// are answered without JSON. Source: ollama/ollama, docs/api/errors.mdx;
// recordings with 0.17.4; read 2026-11-30.
func ollamaFailure(f *refusal, _ string) (string, []byte) {
	switch {
	case f.body != "":
		return f.raw()
	case strings.HasPrefix(f.message, "Invalid URL"):
		return "text/plain", []byte("404 page not found")
	case f.status == http.StatusMethodNotAllowed:
		return "text/plain", []byte("405 method not allowed")
	case f.message == "":
		f.message = ollamaWords(f.status)
	}
	return document(object{"error": f.message})
}

func ollamaChatFailure(f *refusal, id string) (string, []byte) {
	if f.body != "" || strings.HasPrefix(f.message, "Invalid URL") || f.status == http.StatusMethodNotAllowed {
		return ollamaFailure(f, id)
	}
	f.typ, f.code, f.param = "api_error", "", ""
	if f.status == http.StatusBadRequest {
		f.typ = "invalid_request_error"
	}
	if f.message == "" {
		f.message = ollamaWords(f.status)
	}
	return document(object{"error": openaiError(f)})
}

func ollamaCallID(seed string) string { return "call_" + strings.ToLower(hashed(8, seed)) }
