package core

import (
	"net/http"
	"time"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Refusal is an error answer before it is spelled in a provider's shape.
type Refusal struct {
	Status                     int
	Type, Code, Param, Message string
	ErrorCode                  string // Anthropic's details.error_code
	RetryAfter                 time.Duration
	Header                     http.Header
	Body                       string
	Where                      []any  // Mistral's loc
	Input                      any    // Mistral's input
	DetailType                 string // Mistral's kind of validation error
	Keyless                    bool   // there was no key at all
	Details                    []any  // Google's
}

// MakeRefusal is a script's failure as an answer.
func (f *Failure) MakeRefusal() *Refusal {
	r := &Refusal{
		Status: f.Status, Type: f.Type, Code: f.Code, Param: f.Param, Message: f.Message,
		ErrorCode: f.Code, RetryAfter: f.RetryAfter, Header: f.Header.Clone(), Body: f.Body,
	}
	if r.Status == 0 {
		r.Status = http.StatusInternalServerError
	}
	return r
}

// FillWords completes a refusal with what the provider says when nothing else is
// known.
func (f *Refusal) FillWords(typ, code, message string) {
	if f.Type == "" {
		f.Type = typ
		if f.Code == "" {
			f.Code = code
		}
	}
	if f.Message == "" {
		f.Message = message
	}
}

// OrNull is s, or null where it is empty.
func OrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// JSONType is the content type of JSON.
const JSONType = "application/json"

// EncodeDocument marshals an error body.
func EncodeDocument(doc object) (string, []byte) {
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		return "text/plain", []byte(err.Error())
	}
	return JSONType, b
}

// ScriptedBody is the body that the script gives.
func (f *Refusal) ScriptedBody() (string, []byte) {
	b := []byte(f.Body)
	return http.DetectContentType(b), b
}
