package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// voice is how the servers of these tests speak a dialect: what a provider
// sends, composed from its reference. A new dialect needs its entry in voices.
type voice struct {
	// path is where requests go, streamPath where those for a stream do; empty:
	// to the same. {model} stands for the model.
	path, streamPath string
	// kind is a stream's Content-Type, file the ending of a recorded one.
	kind, file string

	whole func(answer) string
	// A stream is begin, then textBegin, deltas and textEnd if there is a text,
	// then the calls, then the frames of end, the last of which may be missing.
	begin     string
	textBegin string
	delta     func(text string) string
	textEnd   func(text string) string
	call      func(block, i int, name string) string
	end       func(answer) []string
	optional  int

	// half is a stream that breaks off with a call c1 of place, whose arguments
	// are halfArgs by then.
	half, halfArgs string
	// inside are the errors that can stand in a 200, by their kind. Some wires
	// can't tell kinds apart.
	inside map[error]string
	// event is an error inside of a stream, made from its body.
	event func(body string) string
	// nonsense is what no server of this dialect would send.
	nonsense string
}

// voices has one entry per dialect.
var voices = map[profile.Dialect]voice{
	profile.OpenAIChat:         openAIVoice,
	profile.AnthropicMessages:  anthropicVoice,
	profile.OpenAIResponsesAPI: responsesVoice,
	profile.GeminiAPI:          geminiVoice,
	profile.OllamaAPI:          ollamaVoice,
	profile.AKINative:          akiVoice,
	profile.BedrockConverse:    bedrockVoice,
	profile.CohereV2:           cohereVoice,
}

func voiceOf(t *testing.T, d profile.Dialect) voice {
	t.Helper()
	v, ok := voices[d]
	if !ok {
		t.Fatalf("dialect %s has no voice in these tests", d)
	}
	return v
}

// answer is what a model says.
type answer struct {
	text  string
	calls []string // names; arguments are placeArgs, ids call_0, call_1, …
}

const placeArgs = `{"city":"Ghent"}`

func callID(i int) string { return fmt.Sprintf("call_%d", i) }

// in is the answer in a dialect's form.
func (a answer) in(d profile.Dialect, stream bool) string {
	v := voices[d]
	if !stream {
		return v.whole(a)
	}
	var b strings.Builder
	b.WriteString(v.begin)
	block := 0
	if a.text != "" {
		b.WriteString(v.textBegin + v.delta(a.text) + v.textEnd(a.text))
		block++
	}
	for i, name := range a.calls {
		b.WriteString(v.call(block+i, i, name))
	}
	return b.String() + strings.Join(v.end(a), "")
}

// by is the answer as a model of that engine would write it: some call tools
// in words.
func (a answer) by(entry engine.Entry) answer {
	if entry.Profile.Tools != toolchoice.Hermes || len(a.calls) == 0 {
		return a
	}
	parts := make([]string, 0, len(a.calls)+1)
	if a.text != "" {
		parts = append(parts, a.text)
	}
	for _, name := range a.calls {
		parts = append(parts, "<tool_call>\n{\"name\": \""+name+"\", \"arguments\": "+placeArgs+"}\n</tool_call>")
	}
	return answer{text: strings.Join(parts, "\n")}
}

func opening(d profile.Dialect) string { return voices[d].begin + voices[d].textBegin }

func delta(d profile.Dialect, text string) string { return voices[d].delta(text) }

func ending(d profile.Dialect, text string) string {
	return voices[d].textEnd(text) + strings.Join(voices[d].end(answer{text: text}), "")
}

// inPieces streams a text two bytes at a time.
func inPieces(d profile.Dialect, text string) string {
	var b strings.Builder
	for len(text) > 0 {
		n := min(2, len(text))
		b.WriteString(delta(d, text[:n]))
		text = text[n:]
	}
	return b.String()
}

// streamed is a whole stream of a text in pieces.
func streamed(d profile.Dialect, text string) string {
	return opening(d) + inPieces(d, text) + ending(d, text)
}

// streams reports whether the engine can stream at all.
func streams(entry engine.Entry) bool { return entry.Profile.Can.Has(profile.Streaming) }

// wantsStream reports whether a request asks for a stream: by its address or by
// a member of its body.
func wantsStream(u *url.URL, body []byte) bool {
	var b struct {
		Stream *bool `json:"stream"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return false
	}
	if b.Stream == nil && strings.HasSuffix(u.Path, "/api/chat") { // Ollama streams unless told not to
		return true
	}
	return b.Stream != nil && *b.Stream ||
		strings.HasSuffix(u.Path, ":streamGenerateContent") || strings.HasSuffix(u.Path, "/converse-stream")
}

// placed fills in what the addresses of some providers need.
func placed(cfg engine.Config) engine.Config {
	if cfg.Region == "" {
		cfg.Region = "eu-west-1"
	}
	if cfg.Project == "" {
		cfg.Project = "harbour-7"
	}
	return cfg
}

// addressOf is where a request goes.
func addressOf(entry engine.Entry, base, model string, stream bool) string {
	v := voices[entry.Profile.Dialect]
	if base == "" {
		cfg := placed(engine.Config{})
		base = strings.NewReplacer("{region}", cfg.Region, "{project}", cfg.Project).Replace(entry.Profile.BaseURL)
	}
	path := v.path
	if stream && streams(entry) && v.streamPath != "" {
		path = v.streamPath
	}
	if strings.HasSuffix(base, "/v1") { // what the base has already is not repeated
		path = strings.TrimPrefix(path, "/v1")
	}
	return base + strings.ReplaceAll(path, "{model}", escaped(model))
}

// escaped is a model in a path. AWS escapes colons, too.
func escaped(model string) string { return strings.ReplaceAll(url.PathEscape(model), ":", "%3A") }

// addresses matches where an engine's requests may go, whatever the model.
func addresses(entry engine.Entry, base string) *regexp.Regexp {
	const model = "MODEL"
	both := regexp.QuoteMeta(addressOf(entry, base, model, false)) + "|" + regexp.QuoteMeta(addressOf(entry, base, model, true))
	return regexp.MustCompile("^(" + strings.ReplaceAll(both, model, "[^/?]+") + ")$")
}

// respond answers with a document, or with a stream if that was asked for.
func respond(d profile.Dialect, reply, stream string) httpmock.Responder {
	return func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if wantsStream(r.URL, body) {
			return stream200(d, stream)(r)
		}
		return document(200, reply)(r)
	}
}

// says answers with what a model said.
func says(entry engine.Entry, a answer) httpmock.Responder {
	d := entry.Profile.Dialect
	a = a.by(entry)
	if !streams(entry) {
		return document(200, a.in(d, false))
	}
	return respond(d, a.in(d, false), a.in(d, true))
}

func document(status int, body string) httpmock.Responder {
	return httpmock.NewStringResponder(status, body).HeaderSet(http.Header{"Content-Type": {"application/json"}})
}

// stream200 answers with a stream.
func stream200(d profile.Dialect, body string) httpmock.Responder {
	return httpmock.NewStringResponder(200, body).HeaderSet(http.Header{"Content-Type": {voices[d].kind}})
}

// server answers every request with the same answer.
type server struct {
	entry  engine.Entry
	answer answer
	seen   func(u *url.URL, body []byte)
}

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if s.seen != nil {
		s.seen(r.URL, body)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return says(s.entry, s.answer)(r)
}

func onServer(e engine.Entry, s server) engine.Engine {
	s.entry = e
	return e.New(placed(engine.Config{APIKey: "k", HTTPClient: &http.Client{Transport: s}}))
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// oneOf are the usual kinds of an error inside a 200.
func oneOf(rate, overload, bad, other string) map[error]string {
	return map[error]string{chat.ErrRateLimited: rate, chat.ErrOverloaded: overload, chat.ErrBadRequest: bad, chat.ErrServer: other}
}
