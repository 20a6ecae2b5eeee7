package core

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Host is what an exchange needs of the server.
type Host interface {
	// NextTurn takes the next turn of the script. ok is false where the script
	// is all there is, and it is used up.
	NextTurn() (t Turn, ok bool)
	ScriptLength() int
	// RecordModel and RecordStatus complete the record of the request.
	RecordModel(model string, streamed bool)
	RecordStatus(status int)
}

// Settings are the options that the dialects heed.
type Settings struct {
	Lenient   bool
	Delay     time.Duration
	ChunkSize int
	Keys      []string
}

// Exchange is one request on its way through the server.
type Exchange struct {
	Host     Host
	Settings Settings
	W        http.ResponseWriter
	R        *http.Request
	Persona  *Persona
	ID       string
	Body     []byte
}

// FindBearer finds the key in an Authorization header.
func FindBearer(h http.Header) string {
	k, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if k == h.Get("Authorization") {
		return ""
	}
	return strings.TrimSpace(k)
}

// FindKey finds the API key of the request: a bearer token, or what the provider
// takes instead.
func (x *Exchange) FindKey() string {
	if x.Persona.Key != nil {
		return x.Persona.Key(x)
	}
	return FindBearer(x.R.Header)
}

// HasValidKey reports whether the request may be answered.
func (x *Exchange) HasValidKey() bool {
	if len(x.Settings.Keys) > 0 {
		return slices.Contains(x.Settings.Keys, x.FindKey())
	}
	return x.Persona.Open || x.Settings.Lenient || x.FindKey() != ""
}

// Refuse answers with an error in the provider's shape.
func (x *Exchange) Refuse(f *Refusal) {
	contentType, body := x.Persona.Failure(f, x.ID)
	h := x.W.Header()
	x.Persona.writeHeaders(h, x.ID, f.Status)
	x.Persona.writeWaitHeaders(h, f.RetryAfter)
	maps.Copy(h, f.Header)
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", contentType)
	}
	x.Host.RecordStatus(f.Status)
	x.W.WriteHeader(f.Status)
	_, _ = x.W.Write(body)
}

// Send answers with a JSON document.
func (x *Exchange) Send(doc object) {
	body, err := jsondoc.Marshal(doc)
	if err != nil {
		x.Refuse(&Refusal{Status: http.StatusInternalServerError, Message: err.Error()})
		return
	}
	x.Persona.writeHeaders(x.W.Header(), x.ID, http.StatusOK)
	x.W.Header().Set("Content-Type", "application/json")
	x.Host.RecordStatus(http.StatusOK)
	_, _ = x.W.Write(body)
}
