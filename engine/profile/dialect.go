package profile

// Dialect is a request-reply language that one or more providers speak.
type Dialect uint8

// The dialects.
const (
	OpenAIChat Dialect = iota + 1
	AnthropicMessages
	OpenAIResponsesAPI
	GeminiAPI
	OllamaAPI
	AKINative
	BedrockConverse
	CohereV2
)

var dialectNames = [...]string{
	OpenAIChat:         "openai-chat",
	AnthropicMessages:  "anthropic",
	OpenAIResponsesAPI: "openai-responses",
	GeminiAPI:          "gemini",
	OllamaAPI:          "ollama",
	AKINative:          "aki",
	BedrockConverse:    "bedrock-converse",
	CohereV2:           "cohere-v2",
}

// String is the dialect's name, as used in chat.Extra; empty for none.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return ""
}
