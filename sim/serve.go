package sim

import (
	"errors"
	"io"
	"net/http"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// maxBody is the largest request body. Source: Anthropic API reference,
// "Errors", 413 request_too_large above 32 MB, read 2026-11-30.
const maxBody = 32 << 20

// ServeHTTP answers POST requests to the endpoints of every dialect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.beginHandler()()
	name, d := findDialect(r.URL.Path)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	n := s.recordRequest(Request{
		Provider: name, Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body,
	})
	x := &core.Exchange{
		Host:     &recorded{s, n},
		Settings: core.Settings{Lenient: s.opts.Lenient, Delay: s.opts.Delay, ChunkSize: s.opts.ChunkSize, Keys: s.opts.Keys},
		W:        w, R: r, Persona: findProvider(name).persona, ID: core.MakeRequestID(n), Body: body,
	}
	if d != nil {
		x.Persona = d.persona(name)
	}
	switch {
	case err != nil:
		x.Refuse(refuseBody(err))
	case d == nil:
		x.Refuse(&core.Refusal{Status: http.StatusNotFound, Message: "Invalid URL (" + r.Method + " " + r.URL.Path + ")"})
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		x.Refuse(&core.Refusal{
			Status: http.StatusMethodNotAllowed, Message: "Not allowed to " + r.Method + " on " + r.URL.Path,
		})
	case !x.HasValidKey():
		x.Refuse(&core.Refusal{Status: http.StatusUnauthorized, Keyless: x.FindKey() == ""})
	default:
		d.serve(x, name)
	}
}

func refuseBody(err error) *core.Refusal {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &core.Refusal{Status: http.StatusRequestEntityTooLarge, Message: "Request exceeds the maximum size"}
	}
	return &core.Refusal{Status: http.StatusBadRequest, Message: "The request body could not be read"}
}

// recorded is the server as one exchange sees it: with the number of its
// request.
type recorded struct {
	server *Server
	number int
}

func (r *recorded) NextTurn() (core.Turn, bool) {
	t, ok := r.server.nextTurn()
	return convertTurn(t), ok
}

func (r *recorded) ScriptLength() int { return len(r.server.opts.Turns) }

func (r *recorded) RecordModel(model string, streamed bool) {
	r.server.updateRequest(r.number, func(rec *Request) { rec.Model, rec.Stream = model, streamed })
}

func (r *recorded) RecordStatus(status int) {
	r.server.updateRequest(r.number, func(rec *Request) { rec.Status = status })
}
