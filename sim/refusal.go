package sim

import (
	"net/http"
	"time"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// refusal is an error answer before it is spelled in a provider's shape.
type refusal struct {
	status                    int
	typ, code, param, message string
	errorCode                 string // Anthropic's details.error_code
	retryAfter                time.Duration
	header                    http.Header
	body                      string
	where                     []any  // Mistral's loc
	input                     any    // Mistral's input
	detailType                string // Mistral's kind of validation error
	keyless                   bool   // there was no key at all
	details                   []any  // Google's
}

// scripted is a script's failure as an answer.
func (f *Failure) scripted() *refusal {
	r := &refusal{
		status: f.Status, typ: f.Type, code: f.Code, param: f.Param, message: f.Message,
		errorCode: f.Code, retryAfter: f.RetryAfter, header: f.Header.Clone(), body: f.Body,
	}
	if r.status == 0 {
		r.status = http.StatusInternalServerError
	}
	return r
}

// fill completes a refusal with what the provider says when nothing else is
// known.
func (f *refusal) fill(typ, code, message string) {
	if f.typ == "" {
		f.typ = typ
		if f.code == "" {
			f.code = code
		}
	}
	if f.message == "" {
		f.message = message
	}
}

// orNull is s, or null where it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

const jsonType = "application/json"

// document marshals an error body.
func document(doc object) (string, []byte) {
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		return "text/plain", []byte(err.Error())
	}
	return jsonType, b
}

// raw is a scripted body.
func (f *refusal) raw() (string, []byte) {
	b := []byte(f.body)
	return http.DetectContentType(b), b
}
