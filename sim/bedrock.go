package sim

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// bedrockPersona is Amazon Bedrock's Converse API. It takes a bearer key, or
// signed requests, whose key id counts as the key. Source: aws-sdk-go-v2,
// service/bedrockruntime v1.63.13, read 2026-11-30.
var bedrockPersona = &core.Persona{
	IDHeader: "X-Amzn-Requestid", Failure: bedrockFailure, NoWait: true,
	Key: func(x *core.Exchange) string {
		if k := core.FindBearer(x.R.Header); k != "" {
			return k
		}
		_, rest, _ := strings.Cut(x.R.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=")
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
	family   models.Bedrock
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

func serveBedrock(x *core.Exchange) {
	_, rest, _ := strings.Cut(x.R.URL.Path, "/model/")
	cut := strings.LastIndexByte(rest, '/')
	r := &bedrockRequest{model: rest[:max(cut, 0)], streamed: rest[cut+1:] == "converse-stream"}
	r.family = models.FindBedrock(r.model)
	err := jsondoc.Decode(x.Body, r, &r.raw)
	if err == nil {
		err = r.translate()
	}
	if err != nil {
		x.Host.RecordModel(r.model, r.streamed)
		x.Refuse(&core.Refusal{Status: http.StatusBadRequest, Type: "SerializationException", Message: err.Error()})
		return
	}
	x.Serve(r)
}

func (r *bedrockRequest) Describe() (string, bool) { return r.model, r.streamed }

func (r *bedrockRequest) ReadTask() *core.Task { return r.plain.ReadTask() }
