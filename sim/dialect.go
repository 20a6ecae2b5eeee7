package sim

import (
	"encoding/json"
	"net/http"
	"strings"
)

// dialect is a language that the server speaks.
type dialect struct {
	// matches reports whether a path is one of its endpoints.
	matches func(path string) bool
	// home plays it where the path begins with the endpoint itself.
	home string
	// persona is who answers under a provider's name.
	persona func(name string) *persona
	serve   func(*exchange)
}

func ends(suffixes ...string) func(string) bool {
	return func(path string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(path, s) {
				return true
			}
		}
		return false
	}
}

func holds(part string) func(string) bool {
	return func(path string) bool { return strings.Contains(path, part) }
}

func only(p *persona) func(string) *persona { return func(string) *persona { return p } }

// dialects are all that the server speaks. The first that matches is taken.
var dialects = []dialect{
	{ends("/v1/messages"), "anthropic", only(messagesPersona), (*exchange).serveMessages},
	{ends("/chat/completions"), "openai", chatPersona, (*exchange).serveChat},
	{ends("/responses"), "openai", only(openaiPersona), (*exchange).serveResponses},
	{ends(":generateContent", ":streamGenerateContent"), "gemini", googlePersona, (*exchange).serveGemini},
	{ends("/api/chat"), "ollama", only(ollamaPersona), (*exchange).serveOllama},
	{ends("/converse", "/converse-stream"), "bedrock", only(bedrockPersona), (*exchange).serveBedrock},
	{ends("/v2/chat"), "cohere", only(coherePersona), (*exchange).serveCohere},
	{holds("/api/call/"), "aki", only(akiPersona), (*exchange).serveAKI},
}

// dialectOf finds who is spoken to, and in which language; nil: in none.
func dialectOf(path string) (provider string, d *dialect) {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for i := range dialects {
		if d = &dialects[i]; d.matches(path) {
			if rootless(name) {
				name = d.home
			}
			return name, d
		}
	}
	if rootless(name) {
		name = "openai"
	}
	return name, nil
}

// rootless reports whether a path begins with the endpoint itself.
func rootless(first string) bool {
	switch first {
	case "", "v1", "v1beta", "v2", "api", "chat", "model", "models", "responses":
		return true
	}
	return false
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
	model, streamed := o.about()
	x.srv.update(x.number, func(r *Request) { r.Model, r.Stream = model, streamed })
	if !x.srv.opts.Lenient {
		if f := o.check(); f != nil {
			x.refuse(f)
			return
		}
	}
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
	turn, ok = x.srv.next()
	if !ok {
		x.refuse(usedUp(x.srv.opts.Turns))
		return turn, false
	}
	if turn.Fail != nil && (turn.Fault.FailAfter == 0 || !streamed) {
		x.refuse(turn.Fail.scripted())
		return turn, false
	}
	return turn, true
}

// read decodes a body twice: into what is known of it, and into its members.
func read(body []byte, known any, raw *map[string]json.RawMessage) error {
	if err := json.Unmarshal(body, known); err != nil {
		return err
	}
	return json.Unmarshal(body, raw)
}

// bearer is the key of an Authorization header.
func bearer(h http.Header) string {
	k, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if k == h.Get("Authorization") {
		return ""
	}
	return strings.TrimSpace(k)
}
