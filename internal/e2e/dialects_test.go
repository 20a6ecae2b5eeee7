//go:build e2e

package e2e_test

import (
	"context"

	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// dialect is one way to the same script.
type dialect struct {
	name string
	base string // what follows the mock's address in the base URL
	// model is one that sabir and the mock take for one that can think.
	model string
	new   func(engine.Config) engine.Engine
	// choice is where the body has the tool choice, and spelled what stands
	// there; a choice that isn't listed is left out of the body.
	choice  []string
	spelled map[toolchoice.Choice]string
	// noForce: a forced tool travels as a schema, because the wire has no choice.
	noForce bool
	// noUsage: the mock doesn't count tokens here, whatever the script says.
	noUsage bool
	// whole: a call comes in one frame, so that it can't be cut in the middle.
	whole bool
}

var (
	weatherTool = toolchoice.Tool(weather.Name)

	openAIWords = map[toolchoice.Choice]string{
		toolchoice.Auto(): `"auto"`,
		toolchoice.Any():  `"required"`,
		weatherTool:       `{"type":"function","function":{"name":"get_weather"}}`,
	}

	chatCompletions = dialect{
		name: "chat completions", base: "/v1", model: "gpt-5.4",
		new:    func(c engine.Config) engine.Engine { return engine.NewOpenAICompatible(c) },
		choice: []string{"tool_choice"}, spelled: openAIWords,
	}
	// azure names the deployment in the path, the version in a query that stays
	// behind whatever is appended, and wants the key in a header of its own.
	// Source: learn.microsoft.com, Azure OpenAI REST API reference, read 2026-11-30.
	azure = dialect{
		name: "azure", base: "/openai/deployments/gpt-5.4?api-version=2024-10-21", model: "gpt-5.4",
		new: func(c engine.Config) engine.Engine {
			c.Header.Set("Api-Key", c.APIKey)
			c.APIKey = ""
			return engine.NewOpenAICompatible(c)
		},
		choice: []string{"tool_choice"}, spelled: openAIWords,
	}
	responses = dialect{
		name: "responses", base: "/v1", model: "gpt-5.4",
		new:    func(c engine.Config) engine.Engine { return engine.NewOpenAIResponses(c) },
		choice: []string{"tool_choice"},
		spelled: map[toolchoice.Choice]string{
			toolchoice.Auto(): `"auto"`,
			toolchoice.Any():  `"required"`,
			weatherTool:       `{"type":"function","name":"get_weather"}`,
		},
	}
	messages = dialect{
		name: "messages", model: "claude-sonnet-4-5",
		new:    func(c engine.Config) engine.Engine { return engine.NewAnthropic(c) },
		choice: []string{"tool_choice"},
		spelled: map[toolchoice.Choice]string{
			toolchoice.Auto(): `{"type":"auto"}`,
			toolchoice.Any():  `{"type":"any"}`,
			weatherTool:       `{"type":"tool","name":"get_weather"}`,
		},
	}
	gemini = dialect{
		name: "gemini", base: "/v1beta", model: "gemini-2.5-flash",
		new:    func(c engine.Config) engine.Engine { return engine.NewGemini(c) },
		choice: []string{"toolConfig", "functionCallingConfig"}, spelled: geminiWords, whole: true,
	}
	vertex = dialect{
		name: "vertex", base: "/v1/projects/{project}/locations/{region}/publishers/google", model: "gemini-2.5-flash",
		new: func(c engine.Config) engine.Engine {
			key := c.APIKey
			c.APIKey, c.Project, c.Region = "", "nobody", "europe-west1"
			c.Token = func(context.Context) (string, error) { return key, nil }
			return engine.NewVertex(c)
		},
		choice: []string{"toolConfig", "functionCallingConfig"}, spelled: geminiWords, whole: true,
	}
	geminiWords = map[toolchoice.Choice]string{
		toolchoice.Auto(): `{"mode":"AUTO"}`,
		toolchoice.Any():  `{"mode":"ANY"}`,
		weatherTool:       `{"mode":"ANY","allowedFunctionNames":["get_weather"]}`,
	}
	bedrock = dialect{
		name: "bedrock", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
		new:    func(c engine.Config) engine.Engine { return engine.NewBedrock(c) },
		choice: []string{"toolConfig", "toolChoice"},
		spelled: map[toolchoice.Choice]string{
			toolchoice.Auto(): `{"auto":{}}`,
			toolchoice.Any():  `{"any":{}}`,
			weatherTool:       `{"tool":{"name":"get_weather"}}`,
		},
	}
	// cohere has no word for auto and none for a name: that tool is sent alone.
	cohere = dialect{
		name: "cohere", model: "command-a-03-2025",
		new:    func(c engine.Config) engine.Engine { return engine.NewCohere(c) },
		choice: []string{"tool_choice"},
		spelled: map[toolchoice.Choice]string{
			toolchoice.Any(): `"REQUIRED"`,
			weatherTool:      `"REQUIRED"`,
		},
	}
	ollama = dialect{
		name: "ollama", model: "qwen3",
		new:     func(c engine.Config) engine.Engine { return engine.NewOllama(c) },
		noForce: true, noUsage: true, whole: true,
	}
	sonar = dialect{
		name: "perplexity", base: "/v1", model: "sonar",
		new:     func(c engine.Config) engine.Engine { return engine.NewPerplexity(c) },
		noForce: true,
	}

	dialects = []dialect{chatCompletions, azure, responses, messages, gemini, vertex, bedrock, cohere, ollama}
)

// having are the dialects for which a property holds.
func having(keep func(dialect) bool) []dialect {
	var out []dialect
	for _, d := range dialects {
		if keep(d) {
			out = append(out, d)
		}
	}
	return out
}

func canForce(d dialect) bool { return !d.noForce }

// canThink: the mock puts thoughts where the API has them.
func canThink(d dialect) bool { return d.name != "ollama" && d.name != "cohere" }

func inPieces(d dialect) bool { return !d.whole }
