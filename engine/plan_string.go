package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// Engine is the name of the engine that made the plan.
func (p *Plan) Engine() string { return p.profile.Name }

// Model is the model that will be asked.
func (p *Plan) Model() string { return p.model }

// ToolWireFormat is how tools and tool choice are spelled.
func (p *Plan) ToolWireFormat() toolchoice.WireFormat { return p.profile.Tools }

// Method is the HTTP method.
func (p *Plan) Method() string { return http.MethodPost }

// URL is where the request goes, without a password that the base URL may hold.
func (p *Plan) URL() string { return redactURL(p.url()) }

func (p *Plan) url() string { return join(p.base(), p.encoded.Path) }

// join appends a dialect's path to a base URL. A query of the base's stays
// behind it; what the base already has of the path is not repeated.
func join(base, path string) string {
	base, query, _ := strings.Cut(base, "?")
	base = strings.TrimRight(base, "/")
	url := strings.TrimSuffix(base, overlap(base, path)) + path
	switch {
	case query == "":
		return url
	case strings.Contains(path, "?"):
		return url + "&" + query
	}
	return url + "?" + query
}

// Body is the request body, byte for byte what Chat sends. It is the caller's
// own copy.
func (p *Plan) Body() []byte { return slices.Clone(p.encoded.Body) }

// StreamBody is the request body that Stream sends. It differs from Body in the
// members that ask for a stream.
func (p *Plan) StreamBody() ([]byte, error) {
	q := *p
	err := q.encode(true)
	return q.encoded.Body, err
}

// overlap is the beginning of a path that a base URL ends with: the whole
// operation, or its first segment, /v1 or /api. No API nests its own.
func overlap(base, path string) string {
	operation, _, _ := strings.Cut(path, "?")
	if strings.HasSuffix(base, operation) {
		return operation
	}
	if end := strings.IndexByte(path[1:], '/'); end > 0 && strings.HasSuffix(base, path[:end+1]) {
		if first := path[:end+1]; first == "/v1" || first == "/v2" || first == "/api" {
			return first
		}
	}
	return ""
}

// Steps are the rewrites taken.
func (p *Plan) Steps() []chat.PlanStep { return slices.Clone(p.steps) }

// Warnings are the settings that were changed or left out.
func (p *Plan) Warnings() []chat.Warning { return slices.Clone(p.warnings) }

// String tells the plan in plain words, for a terminal.
func (p *Plan) String() string {
	var b strings.Builder
	line := func(head, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", head, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s will ask %s\n", p.profile.Name, p.model)
	line("send", "%s %s", p.Method(), p.URL())
	line("tools", "%s", p.toolWords())
	line("tool choice", "%s", p.choiceWords())
	if t := p.call.Thinking; t.Type+t.Effort != "" {
		line("thinking", "%s", strings.TrimSpace(t.Type+" "+t.Effort))
	}
	for _, s := range p.steps {
		line("rewritten", "%s", s.Detail)
	}
	for _, w := range p.warnings {
		line("changed", "%s: %s", w.Field, w.Message)
	}
	line("body", "%s", p.encoded.Body)
	return b.String()
}

func (p *Plan) toolWords() string {
	if len(p.call.Tools) == 0 {
		return "none sent"
	}
	return strings.Join(names(p.call.Tools), ", ")
}

func (p *Plan) choiceWords() string {
	asked := p.expect.choice
	switch {
	case p.call.Choice != nil:
		return fmt.Sprintf("%s, sent as %s", asked, p.call.Choice)
	case asked.IsZero():
		return "left to the provider"
	}
	return asked.String() + ", not sent as such"
}
