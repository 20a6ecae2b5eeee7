package sim

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
)

// maxBody is the largest request body. Source: Anthropic API reference,
// "Errors", 413 request_too_large above 32 MB, read 2026-11-30.
const maxBody = 32 << 20

// exchange is one request on its way through the server.
type exchange struct {
	srv     *Server
	w       http.ResponseWriter
	r       *http.Request
	persona *persona
	number  int
	id      string
	body    []byte
}

// ServeHTTP answers POST requests to the endpoints of every dialect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.enter()()
	name, d := dialectOf(r.URL.Path)
	x := &exchange{srv: s, w: w, r: r, persona: personaOf(name)}
	if d != nil {
		x.persona = d.persona(name)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	x.body = body
	x.number = s.record(Request{
		Provider: name, Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body,
	})
	x.id = requestID(x.number)
	switch {
	case err != nil:
		x.refuse(tooLarge(err))
	case d == nil:
		x.refuse(&refusal{status: http.StatusNotFound, message: "Invalid URL (" + r.Method + " " + r.URL.Path + ")"})
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		x.refuse(&refusal{status: http.StatusMethodNotAllowed, message: "Not allowed to " + r.Method + " on " + r.URL.Path})
	case !x.keyFits():
		x.refuse(&refusal{status: http.StatusUnauthorized, keyless: x.key() == ""})
	default:
		d.serve(x)
	}
}

func tooLarge(err error) *refusal {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{status: http.StatusRequestEntityTooLarge, message: "Request exceeds the maximum size"}
	}
	return &refusal{status: http.StatusBadRequest, message: "The request body could not be read"}
}

// key is the API key of the request: a bearer token, or what the provider
// takes instead.
func (x *exchange) key() string {
	if x.persona.key != nil {
		return x.persona.key(x)
	}
	return bearer(x.r.Header)
}

func (x *exchange) keyFits() bool {
	opts := &x.srv.opts
	if len(opts.Keys) > 0 {
		return slices.Contains(opts.Keys, x.key())
	}
	return x.persona.open || opts.Lenient || x.key() != ""
}

// refuse answers with an error in the provider's shape.
func (x *exchange) refuse(f *refusal) {
	contentType, body := x.persona.failure(f, x.id)
	h := x.w.Header()
	x.persona.headers(h, x.id, f.status)
	x.persona.waitHeaders(h, f.retryAfter)
	maps.Copy(h, f.header)
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", contentType)
	}
	x.srv.update(x.number, func(r *Request) { r.Status = f.status })
	x.w.WriteHeader(f.status)
	_, _ = x.w.Write(body)
}

// reply answers with a JSON document.
func (x *exchange) reply(doc object) {
	body, err := marshal(doc)
	if err != nil {
		x.refuse(&refusal{status: http.StatusInternalServerError, message: err.Error()})
		return
	}
	x.persona.headers(x.w.Header(), x.id, http.StatusOK)
	x.w.Header().Set("Content-Type", "application/json")
	x.srv.update(x.number, func(r *Request) { r.Status = http.StatusOK })
	_, _ = x.w.Write(body)
}
