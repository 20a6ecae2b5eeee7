package sim

import (
	"errors"
	"io"
	"net/http"
)

// maxBody is the largest request body. Source: Anthropic API reference,
// "Errors", 413 request_too_large above 32 MB, read 2026-11-30.
const maxBody = 32 << 20

// ServeHTTP answers POST requests to the endpoints of every dialect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.enter()()
	name, d := findDialect(r.URL.Path)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	n := s.record(Request{
		Provider: name, Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body,
	})
	x := &exchange{
		host: &recorded{s, n}, settings: settings{lenient: s.opts.Lenient, delay: s.opts.Delay, chunkSize: s.opts.ChunkSize, keys: s.opts.Keys},
		w: w, r: r, persona: findProvider(name).persona, id: requestID(n), body: body,
	}
	if d != nil {
		x.persona = d.persona(name)
	}
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
		d.serve(x, name)
	}
}

func tooLarge(err error) *refusal {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{status: http.StatusRequestEntityTooLarge, message: "Request exceeds the maximum size"}
	}
	return &refusal{status: http.StatusBadRequest, message: "The request body could not be read"}
}

// recorded is the server as one exchange sees it: with the number of its
// request.
type recorded struct {
	server *Server
	number int
}

func (r *recorded) nextTurn() (Turn, bool) { return r.server.next() }

func (r *recorded) scriptLength() int { return len(r.server.opts.Turns) }

func (r *recorded) noteModel(model string, streamed bool) {
	r.server.update(r.number, func(rec *Request) { rec.Model, rec.Stream = model, streamed })
}

func (r *recorded) noteStatus(status int) {
	r.server.update(r.number, func(rec *Request) { rec.Status = status })
}
