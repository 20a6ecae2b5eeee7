package sim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// bedrockPersona is Amazon Bedrock's Converse API. It takes a bearer key, or
// signed requests, whose key id counts as the key. Source: aws-sdk-go-v2,
// service/bedrockruntime v1.63.13, read 2026-11-30.
var bedrockPersona = &persona{
	idHeader: "X-Amzn-Requestid", failure: bedrockFailure, noWait: true,
	key: func(x *exchange) string {
		if k := bearer(x.r.Header); k != "" {
			return k
		}
		_, rest, _ := strings.Cut(x.r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=")
		id, _, _ := strings.Cut(rest, "/")
		return id
	},
}

// bedrockRequest is a request body of Converse. Members that aren't known are
// ignored.
type bedrockRequest struct {
	raw      map[string]json.RawMessage
	model    string
	streamed bool
	family   bedrockFamily
	// plain is the request as Messages has it.
	plain *messagesRequest

	System    []bedrockBlock   `json:"system"`
	Messages  []bedrockMessage `json:"messages"`
	Inference struct {
		MaxTokens   *int     `json:"maxTokens"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"topP"`
		Stops       []string `json:"stopSequences"`
	} `json:"inferenceConfig"`
	ToolConfig *struct {
		Tools  []bedrockTool              `json:"tools"`
		Choice map[string]json.RawMessage `json:"toolChoice"`
	} `json:"toolConfig"`
	Output struct {
		Effort     string `json:"effort"`
		TextFormat *struct {
			Type      string `json:"type"`
			Structure struct {
				JSONSchema *struct {
					Name   string `json:"name"`
					Schema string `json:"schema"`
				} `json:"jsonSchema"`
			} `json:"structure"`
		} `json:"textFormat"`
	} `json:"outputConfig"`
	Additional map[string]json.RawMessage `json:"additionalModelRequestFields"`
}

type bedrockMessage struct {
	Role    string         `json:"role"`
	Content []bedrockBlock `json:"content"`
}

// bedrockBlock is a union: one member says what it is.
type bedrockBlock map[string]json.RawMessage

type bedrockTool struct {
	Spec *struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      struct {
			JSON json.RawMessage `json:"json"`
		} `json:"inputSchema"`
		Strict bool `json:"strict"`
	} `json:"toolSpec"`
	CachePoint json.RawMessage `json:"cachePoint"`
}

// bedrockCall and bedrockResult are two kinds of blocks.
type bedrockCall struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type bedrockResult struct {
	ID      string         `json:"toolUseId"`
	Content []bedrockBlock `json:"content"`
	Status  string         `json:"status"`
}

func (b bedrockBlock) call() *bedrockCall {
	var c bedrockCall
	if raw, ok := b["toolUse"]; !ok || json.Unmarshal(raw, &c) != nil {
		return nil
	}
	return &c
}

func (b bedrockBlock) result() *bedrockResult {
	var r bedrockResult
	if raw, ok := b["toolResult"]; !ok || json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return &r
}

// bedrockFamily is what the models of a vendor take. Source: aws-sdk-go-v2,
// bedrockruntime types.go, ToolChoice and ToolResultBlock; vercel/ai,
// packages/amazon-bedrock, normalize-tool-call-id.ts; read 2026-11-30.
type bedrockFamily struct {
	known, claude  bool
	anyTool, named bool
	status         bool // of results
	shortIDs       bool
}

func bedrockModel(id string) bedrockFamily {
	has := func(part string) bool { return strings.Contains(id, part) }
	switch {
	case has("anthropic.claude"):
		return bedrockFamily{known: true, claude: true, anyTool: true, named: true, status: true}
	case has("amazon.nova"):
		return bedrockFamily{known: true, anyTool: true, named: true, status: true}
	case has("mistral."):
		return bedrockFamily{known: true, anyTool: has("mistral-large"), shortIDs: true}
	case has("deepseek."):
		return bedrockFamily{known: true, anyTool: has("deepseek.v3")}
	}
	vendors := strings.Fields("meta. cohere. ai21. openai. qwen. moonshot. nvidia. writer. zai. minimax. google.")
	return bedrockFamily{known: slices.ContainsFunc(vendors, has)}
}

// claudeID is a model's name without what Bedrock puts around it.
func claudeID(id string) string {
	if i := strings.Index(id, "anthropic."); i >= 0 {
		id = id[i+len("anthropic."):]
	}
	name, _, _ := strings.Cut(id, ":")
	return name
}

func serveBedrock(x *exchange) {
	_, rest, _ := strings.Cut(x.r.URL.Path, "/model/")
	cut := strings.LastIndexByte(rest, '/')
	r := &bedrockRequest{model: rest[:max(cut, 0)], streamed: rest[cut+1:] == "converse-stream"}
	r.family = bedrockModel(r.model)
	err := read(x.body, r, &r.raw)
	if err == nil {
		err = r.translate()
	}
	if err != nil {
		x.host.noteModel(r.model, r.streamed)
		x.refuse(&refusal{status: http.StatusBadRequest, typ: "SerializationException", message: err.Error()})
		return
	}
	x.play(r)
}

func (r *bedrockRequest) about() (string, bool) { return r.model, r.streamed }

func (r *bedrockRequest) ask() *ask { return r.plain.ask() }

// bedrockWords are the types of errors by status. Source: aws-sdk-go-v2,
// bedrockruntime types/errors.go, read 2026-11-30.
func bedrockWords(status int) words {
	switch status {
	case http.StatusForbidden:
		return words{"AccessDeniedException", "", "You don't have access to the model with the specified model ID."}
	case http.StatusNotFound:
		return words{"ResourceNotFoundException", "", "Could not resolve the foundation model from the provided model identifier."}
	case http.StatusRequestTimeout:
		return words{"ModelTimeoutException", "", "Model has timed out in processing the request."}
	case http.StatusFailedDependency:
		return words{"ModelErrorException", "", "The model failed while processing the request."}
	case http.StatusTooManyRequests:
		return words{"ThrottlingException", "", "Too many tokens, please wait before trying again."}
	case http.StatusServiceUnavailable:
		return words{"ServiceUnavailableException", "", "Bedrock is unable to process your request."}
	}
	if status >= http.StatusInternalServerError {
		return words{"InternalServerException", "", "The system encountered an unexpected error during processing."}
	}
	return words{"ValidationException", "", "The request is not valid."}
}

// bedrockFailure has the type in a header.
func bedrockFailure(f *refusal, _ string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	if f.status == http.StatusUnauthorized {
		f.status, f.message = http.StatusForbidden, "The security token included in the request is invalid."
		f.typ = "UnrecognizedClientException"
		if f.keyless {
			f.typ, f.message = "MissingAuthenticationTokenException", "Missing Authentication Token"
		}
	}
	f.fill(bedrockWords(f.status))
	if f.header == nil {
		f.header = http.Header{}
	}
	f.header.Set("X-Amzn-Errortype", f.typ+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	return document(object{"message": f.message})
}

// invalid is a ValidationException.
func invalid(format string, args ...any) *refusal {
	f := fault(format, args...)
	f.typ = ""
	return f
}
