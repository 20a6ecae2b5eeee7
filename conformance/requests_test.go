package conformance

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
)

// geminiBody is the body of generateContent. The client has no type for it: it
// puts it together from these.
type geminiBody struct {
	Contents          []*genai.Content        `json:"contents,omitempty"`
	SystemInstruction *genai.Content          `json:"systemInstruction,omitempty"`
	Tools             []*genai.Tool           `json:"tools,omitempty"`
	ToolConfig        *genai.ToolConfig       `json:"toolConfig,omitempty"`
	GenerationConfig  *genai.GenerationConfig `json:"generationConfig,omitempty"`
	SafetySettings    []*genai.SafetySetting  `json:"safetySettings,omitempty"`
	CachedContent     string                  `json:"cachedContent,omitempty"`
	Labels            map[string]string       `json:"labels,omitempty"`
}

// official are the types of a request, by dialect.
var official = map[profile.Dialect]reflect.Type{
	profile.OpenAIChat:         reflect.TypeFor[openai.ChatCompletionNewParams](),
	profile.OpenAIResponsesAPI: reflect.TypeFor[responses.ResponseNewParams](),
	profile.AnthropicMessages:  reflect.TypeFor[anthropic.MessageNewParams](),
	profile.GeminiAPI:          reflect.TypeFor[geminiBody](),
	profile.OllamaAPI:          reflect.TypeFor[api.ChatRequest](),
}

// noOfficial are the dialects without an official client in Go here.
var noOfficial = []profile.Dialect{profile.AKINative, profile.CohereV2}

// TestRequests holds every body that sabir would send, for every engine, model,
// choice, thinking, output, setting and conversation, against the official
// types of the dialect: they have a place for every member, and what the
// official client reads and writes again is the same.
func TestRequests(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(matrix(), settings(), conversations(), replays(t))
	for _, entry := range engine.Catalog() {
		if slices.Contains(noOfficial, entry.Profile.Dialect) {
			continue
		}
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			c := newChecker(t, entry)
			for _, model := range append([]string{entry.Profile.Example}, models[entry.Profile.Name]...) {
				for _, row := range rows {
					req := *row.req
					req.Model = model
					c.check(model+": "+row.label, &req)
				}
			}
			c.report()
		})
	}
}

// checker holds the bodies of one engine against a type.
type checker struct {
	t     *testing.T
	entry engine.Entry
	eng   engine.Engine
	sent  int
	// problems are misfits with the first request that has them.
	problems map[string]string
	used     map[string]bool
	// bodies are those seen: many requests come to the same.
	bodies map[string]bool
}

func newChecker(t *testing.T, entry engine.Entry) *checker {
	t.Helper()
	return &checker{
		t: t, entry: entry, problems: map[string]string{}, used: map[string]bool{}, bodies: map[string]bool{},
		eng: entry.New(engine.Config{APIKey: "k", Region: "us-east-1", Project: "p"}),
	}
}

func (c *checker) check(label string, req *chat.Request) {
	plan, err := c.eng.Plan(req)
	if errors.Is(err, chat.ErrUnsupported) {
		return
	}
	if err != nil {
		c.t.Errorf("%s: %v", label, err)
		return
	}
	c.sent++
	streamed, err := plan.StreamBody()
	if err != nil {
		c.t.Errorf("%s: %v", label, err)
		return
	}
	for _, body := range [][]byte{bodyOf(c.t, plan), streamed} {
		key := plan.URL() + string(body)
		if c.bodies[key] {
			continue
		}
		c.bodies[key] = true
		if c.entry.Profile.Dialect == profile.BedrockConverse {
			c.note(label, bedrockMisfits(c.t, plan, body))
			continue
		}
		c.note(label, c.misfits(body))
		c.note(label, readBack(c.entry.Profile.Dialect, body))
	}
}

// misfits leaves out "stream": the clients of OpenAI and Anthropic add it when
// they send.
func (c *checker) misfits(body []byte) []string {
	object, err := decoded(body)
	if err != nil {
		return []string{err.Error()}
	}
	if _, ok := object["stream"].(bool); ok && c.entry.Profile.Dialect != profile.OllamaAPI {
		delete(object, "stream")
	}
	return shape{}.misfits(official[c.entry.Profile.Dialect], object, "body")
}

func decoded(body []byte) (map[string]any, error) {
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	var object map[string]any
	return object, dec.Decode(&object)
}

func (c *checker) note(label string, bad []string) {
	for _, b := range bad {
		if known := c.known(b); known != "" {
			c.used[known] = true
		} else if c.problems[b] == "" {
			c.problems[b] = label
		}
	}
}

// known is the entry in the table of differences that covers a misfit.
func (c *checker) known(misfit string) string {
	for _, table := range []map[string]string{beyond[c.entry.Profile.Name], forgotten[c.entry.Profile.Dialect]} {
		for _, k := range sortedKeys(table) {
			if strings.Contains(misfit, k) {
				return k
			}
		}
	}
	return ""
}

func (c *checker) report() {
	for _, b := range sortedKeys(c.problems) {
		c.t.Errorf("%s (%s)", b, c.problems[b])
	}
	for _, k := range sortedKeys(beyond[c.entry.Profile.Name]) {
		if !c.used[k] {
			c.t.Errorf("no request has %q any more", k)
		}
	}
	if c.sent < 30 {
		c.t.Errorf("only %d requests were planned, the rest refused", c.sent)
	}
	c.t.Logf("%d requests, %d bodies", c.sent, len(c.bodies))
}

func bodyOf(t *testing.T, p *chat.Plan) []byte {
	t.Helper()
	body, err := p.Body()
	if err != nil {
		t.Fatal(err)
	}
	return body
}
