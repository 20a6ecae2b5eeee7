package sim

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// host is what an exchange needs of the server.
type host interface {
	// nextTurn takes the next turn of the script. ok is false where the script
	// is all there is, and it is used up.
	nextTurn() (t Turn, ok bool)
	// scriptLength is how many turns the script has.
	scriptLength() int
	// noteModel and noteStatus complete the record of the request.
	noteModel(model string, streamed bool)
	noteStatus(status int)
}

// settings are the options that the dialects heed.
type settings struct {
	lenient   bool
	delay     time.Duration
	chunkSize int
	keys      []string
}

// exchange is one request on its way through the server.
type exchange struct {
	host     host
	settings settings
	w        http.ResponseWriter
	r        *http.Request
	persona  *persona
	id       string
	body     []byte
}

// order is a request of some dialect, read.
type order interface {
	about() (model string, streamed bool)
	// check holds it against the provider's rules.
	check() *refusal
	ask() *ask
	// fill writes an answer to it in the dialect's own form.
	fill(x *exchange, out *answer, t *Turn, seed string) response
}

type response interface {
	whole() object
	stream()
}

// play answers a request: by a refusal, by what the script says, or by the
// default behaviour.
func (x *exchange) play(o order) {
	if x.admit(o) {
		x.answer(o)
	}
}

// admit records a request and refuses it where the provider's rules do.
func (x *exchange) admit(o order) bool {
	x.host.noteModel(o.about())
	if !x.settings.lenient {
		if f := o.check(); f != nil {
			x.refuse(f)
			return false
		}
	}
	return true
}

func (x *exchange) answer(o order) {
	_, streamed := o.about()
	turn, ok := x.take(streamed)
	if !ok {
		return
	}
	a := o.ask()
	out := o.fill(x, a.answer(&turn), &turn, a.seed)
	if streamed {
		out.stream()
	} else {
		x.reply(out.whole())
	}
}

// take takes the next turn of the script. Where that is an error, or there is
// none, the answer is given and ok is false.
func (x *exchange) take(streamed bool) (turn Turn, ok bool) {
	turn, ok = x.host.nextTurn()
	if !ok {
		x.refuse(usedUp(x.host.scriptLength()))
		return turn, false
	}
	if turn.Fail != nil && (turn.Fault.FailAfter == 0 || !streamed) {
		x.refuse(turn.Fail.scripted())
		return turn, false
	}
	return turn, true
}

// bearer is the key of an Authorization header.
func bearer(h http.Header) string {
	k, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if k == h.Get("Authorization") {
		return ""
	}
	return strings.TrimSpace(k)
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
	if len(x.settings.keys) > 0 {
		return slices.Contains(x.settings.keys, x.key())
	}
	return x.persona.open || x.settings.lenient || x.key() != ""
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
	x.host.noteStatus(f.status)
	x.w.WriteHeader(f.status)
	_, _ = x.w.Write(body)
}

// reply answers with a JSON document.
func (x *exchange) reply(doc object) {
	body, err := jsondoc.Marshal(doc)
	if err != nil {
		x.refuse(&refusal{status: http.StatusInternalServerError, message: err.Error()})
		return
	}
	x.persona.headers(x.w.Header(), x.id, http.StatusOK)
	x.w.Header().Set("Content-Type", "application/json")
	x.host.noteStatus(http.StatusOK)
	_, _ = x.w.Write(body)
}

// usedUp is the answer after the end of a script that is all there is.
func usedUp(turns int) *refusal {
	length := strconv.Itoa(turns) + " turns"
	if turns == 1 {
		length = "1 turn"
	}
	return &refusal{
		status: http.StatusBadRequest, code: "script_used_up",
		message: "sim: the script is used up: it has " + length + ", and one more request came",
	}
}
