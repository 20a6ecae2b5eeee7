package sim

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// persona is what is particular to one provider: where it is mounted, how it
// spells errors and headers, what it refuses, and how it answers.
type persona struct {
	name     string
	prefix   string // between the mount and the endpoint
	idHeader string // of the request's id; empty: none
	// key finds the key in a request; nil: a bearer token.
	key    func(*exchange) string
	open   bool // takes requests without a key
	noWait bool // has no header that says how long to wait
	// failure spells an error: content type and body.
	failure func(f *refusal, id string) (string, []byte)
	// check holds a request against the provider's rules.
	check func(*chatRequest) *refusal
	// thinks reports whether the model thinks before it answers this request.
	thinks func(*chatRequest) bool
	style  chatStyle
	// lax: what isn't known of a Chat Completions request is ignored, and the
	// tool choice with it.
	lax bool
	// textTools: tools and calls are written into the text.
	textTools bool
}

// thoughts says where a provider puts the readable thoughts.
type thoughts int

const (
	thoughtsHidden thoughts = iota
	thoughtsReasoningContent
	thoughtsReasoning
	thoughtsTags
	thoughtsParts
)

// usageMode says where the usage stands in a stream.
type usageMode int

const (
	usageWhenAsked usageMode = iota // a last chunk without choices
	usageInFinish                   // in the chunk with the finish reason
	usageInBoth
	usageEverywhere
)

// chatStyle is how a provider writes Chat Completions.
type chatStyle struct {
	openai        bool // OpenAI's extra members
	thoughts      func(*chatRequest) thoughts
	emptyContent  any // the content beside calls
	callID        func(seed string) string
	indexedCalls  bool // whole replies carry the index of a call
	untypedCalls  bool
	wholeCalls    bool
	callsInFinish bool
	nullArguments bool // a call without arguments has the text null
	usage         usageMode
	crlf          bool
	noDone        bool
	cumulative    bool // each chunk repeats the message so far
	comment       string
}

func personaOf(name string) *persona {
	switch name {
	case "openai", "openai-responses":
		return openaiPersona
	case "anthropic":
		return messagesPersona
	case "deepseek":
		return deepseekPersona
	case "mistral":
		return mistralPersona
	case "perplexity":
		return perplexityPersona
	case "groq":
		return groqPersona
	case "gemini", "vertex":
		return googlePersona(name)
	case "ollama":
		return ollamaPersona
	case "bedrock":
		return bedrockPersona
	case "cohere":
		return coherePersona
	case "aki":
		return akiPersona
	}
	return chatOnlyPersona(name)
}

// chatPersona is who speaks Chat Completions under a provider's name.
func chatPersona(name string) *persona {
	switch name {
	case "ollama":
		return ollamaChatPersona
	case "gemini", "vertex", "bedrock", "cohere", "aki":
		return plainPersona
	}
	return personaOf(name)
}

// chatOnlyPersona is who has only Chat Completions to offer.
func chatOnlyPersona(name string) *persona {
	switch name {
	case "ollama-openai":
		return ollamaChatPersona
	case "hermes":
		return plainHermes
	case "nousresearch":
		return nousPersona
	case "aki-openai":
		return akiOpenAIPersona
	}
	return plainPersona
}

// plainPersona is a compatible server without rules of its own: it takes any
// model and any extra member.
var plainPersona = &persona{
	name:     "plain",
	prefix:   "/v1",
	idHeader: "X-Request-Id",
	failure:  openaiFailure,
	check:    func(*chatRequest) *refusal { return nil },
	thinks:   func(r *chatRequest) bool { return r.asksToThink() },
	style: chatStyle{
		thoughts: always(thoughtsReasoningContent),
		callID:   func(seed string) string { return "call_" + strings.ToLower(hashed(24, seed)) },
	},
}

func always(t thoughts) func(*chatRequest) thoughts {
	return func(*chatRequest) thoughts { return t }
}

// headers are those of every answer. Source: OpenAI, "Rate limits"; Anthropic,
// "Errors"; maruel/genai, providers/groq/client.go; read 2026-11-30.
func (p *persona) headers(h http.Header, id string, status int) {
	if p.idHeader != "" {
		h.Set(p.idHeader, id)
	}
	left := "499"
	if status == http.StatusTooManyRequests {
		left = "0"
	}
	switch p.name {
	case "openai":
		h.Set("Openai-Processing-Ms", "12")
		h.Set("Openai-Version", "2020-10-01")
		fallthrough
	case "groq":
		h.Set("X-Ratelimit-Limit-Requests", "500")
		h.Set("X-Ratelimit-Remaining-Requests", left)
		h.Set("X-Ratelimit-Reset-Requests", "120ms")
		h.Set("X-Ratelimit-Limit-Tokens", "200000")
		h.Set("X-Ratelimit-Remaining-Tokens", "199000")
		h.Set("X-Ratelimit-Reset-Tokens", "1m3.5s")
	case "anthropic":
		h.Set("Anthropic-Ratelimit-Requests-Limit", "500")
		h.Set("Anthropic-Ratelimit-Requests-Remaining", left)
		h.Set("Anthropic-Ratelimit-Requests-Reset", "2026-11-30T12:00:01Z")
		h.Set("Anthropic-Ratelimit-Tokens-Limit", "200000")
		h.Set("Anthropic-Ratelimit-Tokens-Remaining", "199000")
		h.Set("Anthropic-Ratelimit-Tokens-Reset", "2026-11-30T12:00:01Z")
		h.Set("Anthropic-Organization-Id", "00000000-0000-4000-8000-000000000000")
	}
}

// waitHeaders writes how long to wait. OpenAI has retry-after-ms beside
// retry-after, the others only whole seconds. Source: openai-go v3.98.0 and
// anthropic-sdk-go v2.15.0, internal/requestconfig; read 2026-11-30.
func (p *persona) waitHeaders(h http.Header, d time.Duration) {
	if d <= 0 || p.noWait {
		return
	}
	h.Set("Retry-After", strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10))
	if p.style.openai {
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
}
