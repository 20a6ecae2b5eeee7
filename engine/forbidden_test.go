package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestForbiddenPairNeverReachesTheWire sends random requests, by every way that
// a choice or thinking could come in, and looks at the bodies that were really
// sent. What is forbidden is read from the claims, which were written from the
// providers' own sources, not taken from the profiles.
func TestForbiddenPairNeverReachesTheWire(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			if !claims.Knows(entry.Profile.Name) {
				t.Fatal("nothing is claimed of this engine: add rows to internal/claims/claims.json, from the provider's sources")
			}
			requests, sent, refused := max(600, 75*len(modelsOf(entry))), 0, 0
			seen := map[mistake]bool{}
			for seed := range uint64(requests) {
				if sendRandom(t, entry, seed, seen) {
					sent++
				} else {
					refused++
				}
			}
			if sent < requests/20 || refused < requests/20 {
				t.Errorf("sent %d, refused %d: the requests are too alike to prove anything", sent, refused)
			}
			for known, why := range mistaken {
				if known.engine == entry.Profile.Name && !seen[known] {
					t.Errorf("mended, so take it off the list mistaken: %v: %s", known, why)
				}
			}
		})
	}
}

// sendRandom reports whether something was sent.
func sendRandom(t *testing.T, entry engine.Entry, seed uint64, seen map[mistake]bool) (sent bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	req := randomRequest(rng, entry)
	eng := onServer(entry, server{
		answer: answer{text: `{"text":"x"}`},
		seen: func(u *url.URL, body []byte) {
			sent = true
			v, err := look(entry.Profile.Dialect, u, body)
			if err != nil {
				t.Error(err)
			}
			if why := forbidden(entry, req, v, body, seen); why != "" {
				t.Errorf("seed %d: %s\nrequest %s\nbody %s", seed, why, asJSON(req), body)
			}
		},
	})
	if seed%2 == 0 {
		_, _ = eng.Chat(t.Context(), req)
	} else {
		_, _, _ = collect(t.Context(), eng, req)
	}
	return sent
}

func randomRequest(rng *rand.Rand, entry engine.Entry) *chat.Request {
	pick := func(n int) bool { return rng.IntN(n) == 0 }
	models := modelsOf(entry)
	req := &chat.Request{
		Model:    models[rng.IntN(len(models))],
		Messages: randomHistory(rng, entry.Profile.Name),
		Thinking: chat.ThinkingConfig{
			Mode: []chat.ThinkingMode{"", chat.ThinkingOff, chat.ThinkingOn, chat.ThinkingAdaptive}[rng.IntN(4)],
			Show: pick(3),
		},
		Adapt: chat.Adapt{ThinkingOff: pick(4), ChoiceToAuto: pick(4)},
	}
	if req.Thinking.Mode != chat.ThinkingOff {
		req.Thinking.Effort = []chat.Effort{"", "", chat.EffortLow, chat.EffortMax}[rng.IntN(4)]
		req.Thinking.Budget = []int{0, 0, 500, 3000}[rng.IntN(4)]
	}
	if !pick(5) {
		randomTools(rng, req)
	}
	if pick(4) {
		req.Output = []*chat.Output{matrixOutput, {}, {Schema: []byte(`{"type":"array","items":{"type":"string"}}`)}}[rng.IntN(3)]
	}
	if pick(3) {
		req.MaxTokens = []int{8, 64, 2000, 9000}[rng.IntN(4)]
	}
	if pick(5) {
		req.Temperature = new(0.5)
	}
	if pick(4) {
		req.Extra = randomExtra(rng, entry)
	}
	return req
}

func randomTools(rng *rand.Rand, req *chat.Request) {
	pick := func(n int) bool { return rng.IntN(n) == 0 }
	req.Tools = slices.Clone(matrixTools[:1+rng.IntN(2)])
	req.Tools[0].Strict = pick(3)
	req.ToolChoice = []toolchoice.Choice{
		{}, toolchoice.Auto(), toolchoice.None(), toolchoice.Any(), toolchoice.Any(), toolchoice.Tool("place"), toolchoice.Tool("place"),
	}[rng.IntN(7)]
	if pick(4) {
		req.AllowedTools = []string{"place"}
	}
	if pick(4) {
		req.ParallelTools = new(pick(2))
	}
}

// randomExtra tries to smuggle in what the planner owns, in the words of one of
// the dialects.
func randomExtra(rng *rand.Rand, entry engine.Entry) chat.Extra {
	all := []map[string]json.RawMessage{
		{"tool_choice": json.RawMessage(`"required"`)},
		{"tool_choice": json.RawMessage(`{"type":"any"}`)},
		{"thinking": json.RawMessage(`{"type":"enabled","budget_tokens":2048}`)},
		{"reasoning_effort": json.RawMessage(`"high"`)},
		{"reasoning": json.RawMessage(`{"effort":"none"}`)},
		{"output_config": json.RawMessage(`{"effort":"high"}`)},
		{"text": json.RawMessage(`{"format":{"type":"json_object"}}`)},
		{"toolConfig": json.RawMessage(`{"functionCallingConfig":{"mode":"ANY"}}`)},
		{"toolConfig.functionCallingConfig": json.RawMessage(`{"mode":"ANY"}`)},
		{"generationConfig": json.RawMessage(`{"responseMimeType":"application/json"}`)},
		{"generationConfig.responseMimeType": json.RawMessage(`"application/json"`)},
		{"generationConfig.response_mime_type": json.RawMessage(`"application/json"`)},
		{"toolConfig.function_calling_config": json.RawMessage(`{"mode":"ANY"}`)},
		{"toolConfig": json.RawMessage(`{"toolChoice":{"any":{}}}`)},
		{"additionalModelRequestFields": json.RawMessage(`{"thinking":{"type":"enabled","budget_tokens":2048}}`)},
		{"additionalModelRequestFields": json.RawMessage(`{"tool_choice":{"type":"any"}}`)},
		{"Think": json.RawMessage(`true`)},
		{"Format": json.RawMessage(`"json"`)},
		{"Reasoning_Effort": json.RawMessage(`"high"`)},
		{"reasoningEffort": json.RawMessage(`"high"`)},
		{"prompt_mode": json.RawMessage(`"reasoning"`)},
		{"chat_template_kwargs": json.RawMessage(`{"enable_thinking":true}`)},
		{"format": json.RawMessage(`"json"`)},
		{"think": json.RawMessage(`true`)},
		{"response_format": json.RawMessage(`{"type":"json_object"}`)},
		{"tools": json.RawMessage(`[]`)},
		{"service_tier": json.RawMessage(`"flex"`)},
	}
	members := all[rng.IntN(len(all))]
	return chat.Extra{entry.Profile.Dialect.String(): members, entry.Profile.Name: members}
}

func randomHistory(rng *rand.Rand, engineName string) []chat.Message {
	msgs := chat.Prompt("Where is the Gravensteen?")
	if rng.IntN(3) > 0 {
		return msgs
	}
	sig := chat.Signature{Engine: []string{engineName, "elsewhere"}[rng.IntN(2)], Kind: "signature", Data: "c2ln"}
	call := chat.ToolCall{ID: "abcdefgh1", Name: "place", Arguments: []byte(`{"city":"Ghent"}`)}
	if rng.IntN(2) == 0 {
		call.Synthetic = true
		call.Signature = chat.Signature{Engine: sig.Engine, Kind: "rewrite", Data: `{"city":"Ghent"}`}
	}
	return append(msgs,
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Thinking{Text: "hm", Signature: sig}, call}},
		chat.Results(chat.TextResult("abcdefgh1", "there")),
		chat.User("And now?"))
}

// duplicateKeys finds a top-level member that stands twice.
func duplicateKeys(body []byte) string {
	dec := json.NewDecoder(strings.NewReader(string(body)))
	seen := map[string]bool{}
	if _, err := dec.Token(); err != nil {
		return err.Error()
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err.Error()
		}
		name := fmt.Sprint(key)
		name = strings.ToLower(name) // some servers don't care
		if seen[name] {
			return name
		}
		seen[name] = true
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return err.Error()
		}
	}
	return ""
}
