package bedrock

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/messages"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// Persona is Amazon Bedrock's Converse API. It takes a bearer key, or
// signed requests, whose key id counts as the key. Source: aws-sdk-go-v2,
// service/bedrockruntime v1.63.13, read 2026-11-30.
var Persona = &core.Persona{
	IDHeader: "X-Amzn-Requestid", Failure: encodeFailure, NoWait: true,
	Key: func(x *core.Exchange) string {
		if k := core.FindBearer(x.R.Header); k != "" {
			return k
		}
		_, rest, _ := strings.Cut(x.R.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=")
		id, _, _ := strings.Cut(rest, "/")
		return id
	},
}

// request is a request body of Converse. Members that aren't known are
// ignored.
type request struct {
	raw      map[string]json.RawMessage
	model    string
	streamed bool
	family   models.Bedrock
	// plain is the request as Messages has it.
	translated *messages.Request

	System    []block   `json:"system"`
	Messages  []message `json:"messages"`
	Inference struct {
		MaxTokens   *int     `json:"maxTokens"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"topP"`
		Stops       []string `json:"stopSequences"`
	} `json:"inferenceConfig"`
	ToolConfig *struct {
		Tools  []tool                     `json:"tools"`
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

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a union: one member says what it is.
type block map[string]json.RawMessage

type tool struct {
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

// toolUse and toolResult are two kinds of blocks.
type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	ID      string  `json:"toolUseId"`
	Content []block `json:"content"`
	Status  string  `json:"status"`
}

func (b block) readCall() *toolUse {
	var c toolUse
	if raw, ok := b["toolUse"]; !ok || json.Unmarshal(raw, &c) != nil {
		return nil
	}
	return &c
}

func (b block) readResult() *toolResult {
	var r toolResult
	if raw, ok := b["toolResult"]; !ok || json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return &r
}

// Serve answers a Converse request, whole or streamed.
func Serve(x *core.Exchange) {
	_, rest, _ := strings.Cut(x.R.URL.Path, "/model/")
	cut := strings.LastIndexByte(rest, '/')
	r := &request{model: rest[:max(cut, 0)], streamed: rest[cut+1:] == "converse-stream"}
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

func (r *request) Describe() (string, bool) { return r.model, r.streamed }

func (r *request) ReadTask() *core.Task { return r.translated.ReadTask() }
