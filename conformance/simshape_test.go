package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/sabir-go/sabir/sim"
)

// answerTypes are the official types of a reply and of an event of a stream.
// The AWS SDK's types don't say how they are spelled.
var answerTypes = map[string][2]reflect.Type{
	"openai-chat":      {reflect.TypeFor[openai.ChatCompletion](), reflect.TypeFor[openai.ChatCompletionChunk]()},
	"openai-responses": {reflect.TypeFor[responses.Response](), reflect.TypeFor[responses.ResponseStreamEventUnion]()},
	"anthropic":        {reflect.TypeFor[anthropic.Message](), reflect.TypeFor[anthropic.MessageStreamEventUnion]()},
	"gemini":           {reflect.TypeFor[genai.GenerateContentResponse](), reflect.TypeFor[genai.GenerateContentResponse]()},
	"ollama":           {reflect.TypeFor[api.ChatResponse](), reflect.TypeFor[api.ChatResponse]()},
}

// TestSimSpeaksOfficialTypes: what the simulator sends has no member that the
// official types don't know, and all that they require.
func TestSimSpeaksOfficialTypes(t *testing.T) {
	t.Parallel()
	asks := []ask{{}, {tools: true}, {schema: true}, {thoughts: true}}
	eachClient(t, func(t *testing.T, c client, stream bool) {
		t.Helper()
		types, ok := answerTypes[c.name]
		if !ok {
			return
		}
		for _, a := range asks {
			var turns []sim.Turn
			if a.thoughts {
				turns = []sim.Turn{sim.Thinks("Two harbours.", sim.Calls(toolName, map[string]string{"city": "Ghent"}))}
			}
			p := c.at(t, sim.Options{Turns: turns}, a)
			heard := &listener{next: p.http.Transport}
			p.http.Transport = heard
			c.ok(t, p, stream)
			docs := documents(heard.body.String(), stream)
			if len(docs) == 0 {
				t.Errorf("nothing heard for %+v", a)
			}
			kind := types[0]
			if stream {
				kind = types[1]
			}
			for _, doc := range docs {
				c.fits(t, kind, doc)
			}
		}
	})
}

func (c client) fits(t *testing.T, kind reflect.Type, doc string) {
	t.Helper()
	object, err := decoded([]byte(doc))
	if err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	for _, bad := range (shape{nulls: true}).misfits(kind, object, "answer") {
		if !c.unlisted(bad) {
			t.Errorf("%s in %s", bad, doc)
		}
	}
}

// unlisted are members that providers send though the types don't have them,
// or don't send though the types require them, with the reason.
var unlisted = map[string]map[string]string{
	"openai-responses": {
		".store: unknown":           "on the wire, not in the Go type; pydantic-ai, cassettes/test_openai_responses, read 2026-11-30",
		".access_programs: missing": "new in v3.99.0; no recording has it",
	},
	"anthropic": {
		".caller: unknown": "ToolUseBlock has it, the union of all blocks leaves it out",
	},
}

func (c client) unlisted(misfit string) bool {
	return slices.ContainsFunc(sortedKeys(unlisted[c.name]), func(piece string) bool { return strings.Contains(misfit, piece) })
}

// documents are the JSON documents of a body.
func documents(body string, stream bool) []string {
	if !stream {
		return []string{body}
	}
	var docs []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		if json.Valid([]byte(line)) {
			docs = append(docs, line)
		}
	}
	return docs
}

// listener keeps the bodies of answers.
type listener struct {
	next http.RoundTripper
	body bytes.Buffer
}

func (l *listener) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(res.Body, &l.body), res.Body}
	return res, nil
}
