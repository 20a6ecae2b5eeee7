package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestForbiddenPairNeverReachesTheWire sends thousands of random requests, by
// every way that a choice or thinking could come in, and looks at the bodies
// that were really sent. What is forbidden is written down here once more,
// from the providers' own rules, not taken from the profiles.
func TestForbiddenPairNeverReachesTheWire(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		name := entry.Profile.Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent, refused := 0, 0
			for seed := range uint64(4000) {
				rng := rand.New(rand.NewPCG(seed, 7))
				req := randomRequest(rng, name, append([]string{entry.Profile.Example}, matrixModels[name]...))
				eng := onServer(entry, server{
					answer: answer{text: `{"text":"x"}`},
					seen: func(body []byte) {
						sent++
						if why := forbidden(name, body); why != "" {
							t.Errorf("seed %d: %s\nrequest %+v\nbody %s", seed, why, req, body)
						}
					},
				})
				before := sent
				if seed%2 == 0 {
					_, _ = eng.Chat(t.Context(), req)
				} else {
					_, _, _ = collect(t.Context(), eng, req)
				}
				if sent == before {
					refused++
				}
			}
			if sent < 200 || refused < 200 {
				t.Errorf("sent %d, refused %d: the requests are too alike to prove anything", sent, refused)
			}
		})
	}
}

func randomRequest(rng *rand.Rand, engineName string, models []string) *chat.Request {
	pick := func(n int) bool { return rng.IntN(n) == 0 }
	req := &chat.Request{
		Model:    models[rng.IntN(len(models))],
		Messages: randomHistory(rng, engineName),
		Thinking: chat.Think{
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
	if pick(4) {
		req.Output = []*chat.Output{matrixOutput, {}, {Schema: []byte(`{"type":"array","items":{"type":"string"}}`)}}[rng.IntN(3)]
	}
	if pick(3) {
		req.MaxTokens = []int{64, 2000, 9000}[rng.IntN(3)]
	}
	if pick(4) {
		req.Extra = randomExtra(rng)
	}
	return req
}

// randomExtra tries to smuggle in what the planner owns.
func randomExtra(rng *rand.Rand) chat.Extra {
	members := []map[string]json.RawMessage{
		{"tool_choice": json.RawMessage(`"required"`)},
		{"tool_choice": json.RawMessage(`{"type":"any"}`)},
		{"thinking": json.RawMessage(`{"type":"enabled","budget_tokens":2048}`)},
		{"reasoning_effort": json.RawMessage(`"high"`)},
		{"output_config": json.RawMessage(`{"effort":"high"}`)},
		{"service_tier": json.RawMessage(`"flex"`)},
	}[rng.IntN(6)]
	return chat.Extra{"openai-chat": members, "anthropic": members}
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

// forbidden says why a body must not have been sent.
func forbidden(engineName string, body []byte) string {
	var b struct {
		Model      string `json:"model"`
		ToolChoice any    `json:"tool_choice"`
		Tools      []any  `json:"tools"`
		Thinking   struct {
			Type string `json:"type"`
		} `json:"thinking"`
		Effort string `json:"reasoning_effort"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return err.Error()
	}
	if keys := duplicateKeys(body); keys != "" {
		return "member sent twice: " + keys
	}
	forced := isForced(b.ToolChoice)
	switch engineName {
	case "anthropic":
		always := strings.Contains(b.Model, "-5-5") && !strings.Contains(b.Model, "haiku") ||
			strings.Contains(b.Model, "fable") || strings.Contains(b.Model, "any-other")
		switch {
		case forced && b.Thinking.Type == "enabled":
			return "forced with thinking enabled"
		case forced && always:
			return "forced on a model that always thinks"
		}
	case "deepseek":
		if forced && b.Thinking.Type != "disabled" {
			return "forced while thinking, which is on unless disabled"
		}
	case "openai":
		late := slices.ContainsFunc([]string{"gpt-5.5", "gpt-5.6", "gpt-6"}, func(p string) bool { return strings.HasPrefix(b.Model, p) })
		byDefault := late && !strings.HasPrefix(b.Model, "gpt-5.5")
		if late && len(b.Tools) > 0 && (b.Effort != "" && b.Effort != "none" || byDefault && b.Effort == "") {
			return "tools while reasoning"
		}
	case "perplexity":
		if len(b.Tools) > 0 || b.ToolChoice != nil {
			return "tools on a wire without"
		}
	case "mistral":
		thinks := b.Effort == "high" || strings.HasPrefix(b.Model, "magistral")
		if forced && thinks {
			return "forced while thinking, which no source says is taken"
		}
	}
	return ""
}

func isForced(choice any) bool {
	switch c := choice.(type) {
	case string:
		return c == "required" || c == "any"
	case map[string]any:
		switch c["type"] {
		case "any", "tool", "function":
			return true
		case "allowed_tools":
			inner, _ := c["allowed_tools"].(map[string]any)
			return inner["mode"] == "required"
		}
	}
	return false
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
