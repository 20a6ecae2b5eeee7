package engine_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// planned plans a request on the named engine and returns the plan with its
// body decoded.
func planned(t *testing.T, name string, req *chat.Request) (*chat.Plan, map[string]any) {
	t.Helper()
	plan, err := entryOf(t, name).New(engine.Config{}).Plan(req)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(bodyOf(t, plan), &body); err != nil {
		t.Fatal(err)
	}
	return plan, body
}

// at follows a path of members in a decoded body.
func at(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}

func forced(model string) *chat.Request {
	return &chat.Request{
		Model: model, Messages: chat.Prompt("Where?"), Tools: slices.Clone(matrixTools),
		ToolChoice: toolchoice.Tool("place"),
	}
}

// TestToolsNamedLikeAPolicyAreForced: where the wire can name a tool, the name
// is not taken for a policy.
func TestToolsNamedLikeAPolicyAreForced(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"auto", "none", "any", "required"} {
		named := 0
		for _, entry := range engine.Catalog() {
			req := &chat.Request{
				Model: entry.Profile.Example, Messages: chat.Prompt("x"), Thinking: plainest(entry),
				Tools: []chat.ToolDef{{Name: name}, {Name: "other"}}, ToolChoice: toolchoice.Tool(name),
			}
			plan, err := entry.New(placed(engine.Config{})).Plan(req)
			if err != nil {
				t.Errorf("%s: %v", entry.Profile.Name, err)
				continue
			}
			if len(plan.Steps) > 0 {
				continue
			}
			named++
			u, err := url.Parse(plan.URL())
			if err != nil {
				t.Fatal(err)
			}
			v, err := look(entry.Profile.Dialect, u, bodyOf(t, plan))
			if err != nil {
				t.Fatal(err)
			}
			if c, err := toolchoice.Parse(v.choice); err != nil || c != toolchoice.Tool(name) {
				t.Errorf("%s: tool choice %v reads as %v, %v", entry.Profile.Name, v.choice, c, err)
			}
		}
		if named < 9 {
			t.Errorf("%s: only %d engines name a tool on the wire", name, named)
		}
	}
}

func TestAdapt(t *testing.T) {
	t.Parallel()
	t.Run("thinking off", func(t *testing.T) {
		t.Parallel()
		req := forced("deepseek-v4-flash")
		req.Adapt.ThinkingOff = true
		plan, body := planned(t, "deepseek", req)
		if at(body, "thinking", "type") != "disabled" || at(body, "tool_choice", "type") != "function" {
			t.Errorf("body %s", bodyOf(t, plan))
		}
		if len(plan.Warnings) != 1 || plan.Steps[0].Kind != chat.StepThinkingOff {
			t.Errorf("steps %v, warnings %v", plan.Steps, plan.Warnings)
		}
	})
	t.Run("choice to auto", func(t *testing.T) {
		t.Parallel()
		req := forced("deepseek-v4-flash")
		req.Adapt.ChoiceToAuto = true
		plan, body := planned(t, "deepseek", req)
		if body["tool_choice"] != "auto" || len(plan.Warnings) != 1 {
			t.Errorf("body %s, warnings %v", bodyOf(t, plan), plan.Warnings)
		}
	})
	t.Run("not where thinking can't be off", func(t *testing.T) {
		t.Parallel()
		req := forced("magistral-medium-latest")
		req.Adapt.ThinkingOff = true
		_, err := engine.NewMistral(engine.Config{}).Plan(req)
		if !errors.Is(err, chat.ErrUnsupported) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("drop", func(t *testing.T) {
		t.Parallel()
		req := &chat.Request{Model: "claude-opus-4-8", Messages: chat.Prompt("x"), Seed: new(int64(7)), Temperature: new(0.2)}
		if _, err := engine.NewAnthropic(engine.Config{}).Plan(req); !errors.Is(err, chat.ErrUnsupported) {
			t.Fatalf("error %v", err)
		}
		req.Adapt.Drop = []string{"Seed", "Temperature"}
		plan, body := planned(t, "anthropic", req)
		if body["temperature"] != nil || len(plan.Warnings) != 2 {
			t.Errorf("body %s, warnings %v", bodyOf(t, plan), plan.Warnings)
		}
	})
}

func TestThinkingPlacement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, engine, model string
		think               chat.ThinkingConfig
		max                 int
		thinking            any // want of the thinking member
		effort              any // want of reasoning_effort or output_config.effort
		maxTokens           any
		warnings            int
	}{
		{"budget", "anthropic", "claude-sonnet-4-5", chat.ThinkingConfig{Budget: 2048}, 4096, map[string]any{"type": "enabled", "budget_tokens": 2048.0}, nil, 4096.0, 0},
		{"budget raised", "anthropic", "claude-sonnet-4-5", chat.ThinkingConfig{Budget: 10}, 4096, map[string]any{"type": "enabled", "budget_tokens": 1024.0}, nil, 4096.0, 1},
		{"limit made room", "anthropic", "claude-sonnet-4-5", chat.ThinkingConfig{Budget: 20000}, 0, map[string]any{"type": "enabled", "budget_tokens": 20000.0}, nil, 28192.0, 0},
		{"effort as budget", "anthropic", "claude-sonnet-4-5", chat.ThinkingConfig{Effort: chat.EffortLow}, 8000, map[string]any{"type": "enabled", "budget_tokens": 2048.0}, nil, 8000.0, 1},
		{"on", "anthropic", "claude-sonnet-4-5", chat.ThinkingConfig{Mode: chat.ThinkingOn}, 4000, map[string]any{"type": "enabled", "budget_tokens": 2000.0}, nil, 4000.0, 0},
		{"adaptive", "anthropic", "claude-opus-4-8", chat.ThinkingConfig{Effort: chat.EffortMax, Show: true}, 0, map[string]any{"type": "adaptive", "display": "summarized"}, "max", 8192.0, 0},
		{"budget as effort", "anthropic", "claude-opus-4-8", chat.ThinkingConfig{Budget: 5000}, 0, map[string]any{"type": "adaptive"}, "medium", 8192.0, 1},
		{"off where on", "anthropic", "claude-opus-5", chat.ThinkingConfig{Mode: chat.ThinkingOff}, 0, map[string]any{"type": "disabled"}, nil, 8192.0, 0},
		{"off where off", "anthropic", "claude-sonnet-4-5", chat.ThinkingConfig{Mode: chat.ThinkingOff}, 0, nil, nil, 8192.0, 0},
		{"effort", "openai", "gpt-5.2", chat.ThinkingConfig{Effort: chat.EffortXHigh}, 0, nil, "xhigh", nil, 0},
		{"effort clamped", "openai", "gpt-5.2", chat.ThinkingConfig{Effort: chat.EffortMax}, 0, nil, "xhigh", nil, 1},
		{"effort raised", "openai", "o3", chat.ThinkingConfig{Effort: chat.EffortMinimal}, 0, nil, "low", nil, 1},
		{"off by effort", "openai", "gpt-5.6", chat.ThinkingConfig{Mode: chat.ThinkingOff}, 0, nil, "none", nil, 0},
		{"object", "deepseek", "deepseek-v4-pro", chat.ThinkingConfig{Effort: chat.EffortMedium}, 0, map[string]any{"type": "enabled"}, "medium", nil, 0},
		{"words of qwen", "groq", "qwen/qwen3-32b", chat.ThinkingConfig{Mode: chat.ThinkingOn}, 0, nil, "default", nil, 0},
		{"unknown model", "openai-compatible", "m", chat.ThinkingConfig{Effort: chat.EffortHigh}, 0, nil, "high", nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan, body := planned(t, tt.engine, &chat.Request{
				Model: tt.model, Messages: chat.Prompt("x"), Thinking: tt.think, MaxTokens: tt.max,
			})
			effort := body["reasoning_effort"]
			if tt.engine == "anthropic" {
				effort = at(body, "output_config", "effort")
			}
			if got, want := asJSON(body["thinking"]), asJSON(tt.thinking); got != want {
				t.Errorf("thinking %s, want %s", got, want)
			}
			if effort != tt.effort {
				t.Errorf("effort %v, want %v", effort, tt.effort)
			}
			if tt.maxTokens != nil && body["max_tokens"] != tt.maxTokens {
				t.Errorf("max_tokens %v, want %v", body["max_tokens"], tt.maxTokens)
			}
			if len(plan.Warnings) != tt.warnings {
				t.Errorf("warnings %v, want %d", plan.Warnings, tt.warnings)
			}
		})
	}
}

func TestBudgetMustLeaveRoom(t *testing.T) {
	t.Parallel()
	for _, req := range []*chat.Request{
		{Thinking: chat.ThinkingConfig{Budget: 4096}, MaxTokens: 4096},
		{Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn}, MaxTokens: 1000},
	} {
		req.Model, req.Messages = "claude-sonnet-4-5", chat.Prompt("x")
		if _, err := engine.NewAnthropic(engine.Config{}).Plan(req); !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
	}
}

func TestRefusalsNameTheWayOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		engine string
		req    *chat.Request
		words  []string
	}{
		{"deepseek", forced("deepseek-v4-flash"), []string{"tool(place)", "by default", "chat.ThinkingOff", `chat.AskFor("place")`}},
		{"openai", forced("gpt-5.6"), []string{"while the model reasons", "Responses engine"}},
		{"perplexity", &chat.Request{Model: "sonar", Messages: chat.Prompt("x"), Tools: matrixTools}, []string{"calls no tools", "force one by name"}},
		{"groq", &chat.Request{Model: "llama-3.3-70b-versatile", Messages: chat.Prompt("x"), Metadata: nil, Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn}}, []string{"does not think"}},
	} {
		_, err := entryOf(t, tt.engine).New(engine.Config{}).Plan(tt.req)
		if !errors.Is(err, chat.ErrUnsupported) {
			t.Errorf("%s: error %v", tt.engine, err)
			continue
		}
		for _, word := range tt.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", tt.engine, err, word)
			}
		}
	}
}

func TestCacheWarnsOfAChangedChoice(t *testing.T) {
	t.Parallel()
	eng := onServer(entryOf(t, "anthropic"), server{answer: answer{calls: []string{"place"}}})
	req := forced("claude-sonnet-4-5")
	req.Cache.Auto = true
	for i, choice := range []toolchoice.Choice{toolchoice.Auto(), toolchoice.Auto(), toolchoice.Any()} {
		req.ToolChoice = choice
		for range 2 { // looking changes nothing
			if _, err := eng.Plan(req); err != nil {
				t.Fatal(err)
			}
		}
		reply, err := eng.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(reply.Warnings), i/2; got != want {
			t.Errorf("call %d: warnings %v, want %d", i, reply.Warnings, want)
		}
	}
}

func TestExtrasThatOnlyCostAreLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	plan, body := planned(t, "groq", &chat.Request{
		Model: "llama-3.3-70b-versatile", Messages: chat.Prompt("x"),
		Metadata: map[string]string{"run": "1"}, Cache: chat.PromptCache{Auto: true, Key: "k"},
	})
	if body["metadata"] != nil || body["prompt_cache_key"] != nil || body["cache_control"] != nil {
		t.Errorf("body %s", bodyOf(t, plan))
	}
	if len(plan.Warnings) != 3 {
		t.Errorf("warnings %v", plan.Warnings)
	}
}

func TestMetadataThatIsNotTakenIsSaid(t *testing.T) {
	t.Parallel()
	plan, body := planned(t, "anthropic", &chat.Request{
		Model: "claude-sonnet-4-5", Messages: chat.Prompt("x"), Metadata: map[string]string{"user_id": "u", "run": "1"},
	})
	if asJSON(body["metadata"]) != `{"user_id":"u"}` || len(plan.Warnings) != 1 || plan.Warnings[0].Field != `Metadata["run"]` {
		t.Errorf("metadata %v, warnings %v", body["metadata"], plan.Warnings)
	}
}

func TestThoughtsThatNeverShow(t *testing.T) {
	t.Parallel()
	plan, _ := planned(t, "openai", &chat.Request{
		Model: "gpt-5", Messages: chat.Prompt("x"), Thinking: chat.ThinkingConfig{Show: true},
	})
	if w := plan.Warnings; len(w) != 1 || w[0].Field != "Thinking.Show" {
		t.Errorf("warnings %v", w)
	}
}

func TestStreamBodyDiffersOnlyInTheStream(t *testing.T) {
	t.Parallel()
	plan, body := planned(t, "openai", forced("gpt-4.1"))
	raw, err := plan.StreamBody()
	if err != nil {
		t.Fatal(err)
	}
	var streamed map[string]any
	if err := json.Unmarshal(raw, &streamed); err != nil {
		t.Fatal(err)
	}
	if streamed["stream"] != true {
		t.Errorf("body %s", raw)
	}
	delete(streamed, "stream")
	delete(streamed, "stream_options")
	if asJSON(streamed) != asJSON(body) {
		t.Errorf("stream body %s, body %s", raw, bodyOf(t, plan))
	}
}

func TestExtraMembersGoToTheirOwn(t *testing.T) {
	t.Parallel()
	req := &chat.Request{Model: "m", Messages: chat.Prompt("x"), Extra: chat.Extra{
		"openai-chat": {"service_tier": json.RawMessage(`"flex"`), "logit_bias": json.RawMessage(`{}`)},
		"groq":        {"service_tier": json.RawMessage(`"on_demand"`)},
		"anthropic":   {"speed": json.RawMessage(`"fast"`)},
	}}
	for _, tt := range []struct{ engine, tier, speed string }{
		{"openai", "flex", ""}, {"groq", "on_demand", ""}, {"anthropic", "", "fast"},
	} {
		_, body := planned(t, tt.engine, req)
		tier, _ := body["service_tier"].(string)
		speed, _ := body["speed"].(string)
		if tier != tt.tier || speed != tt.speed {
			t.Errorf("%s: tier %q, speed %q", tt.engine, tier, speed)
		}
	}
}

func TestPlanDoesNotChangeTheRequest(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		req := forced(entry.Profile.Example)
		req.Tools[0].Strict = true
		req.Tools = append(req.Tools[:2:2], chat.ToolDef{Name: "open", Schema: []byte(`{"type":"object"}`), Strict: true})
		req.AllowedTools = []string{"place", "open"}
		req.Adapt.ThinkingOff = true
		before := asJSON(req)
		if _, err := entry.New(engine.Config{}).Plan(req); err != nil {
			t.Errorf("%s: %v", entry.Profile.Name, err)
		}
		if after := asJSON(req); after != before {
			t.Errorf("%s changed the request\n%s\n%s", entry.Profile.Name, before, after)
		}
	}
}
