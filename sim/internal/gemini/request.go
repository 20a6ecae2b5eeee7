package gemini

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// request is a request body of Gemini's generateContent. Source:
// go-genai v1.77.0, types.go, read 2026-11-30.
type request struct {
	raw      map[string]json.RawMessage
	model    string
	streamed bool
	vertex   bool
	version  models.Gemini

	Contents []content `json:"contents"`
	System   *content  `json:"systemInstruction"`
	Tools    []tool    `json:"tools"`
	Config   *struct {
		Calling *callingConfig `json:"functionCallingConfig"`
	} `json:"toolConfig"`
	Generation generationConfig `json:"generationConfig"`
}

type callingConfig struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames"`
}

type generationConfig struct {
	raw map[string]json.RawMessage

	MimeType    string          `json:"responseMimeType"`
	Schema      json.RawMessage `json:"responseSchema"`
	JSONSchema  json.RawMessage `json:"responseJsonSchema"`
	Stops       []string        `json:"stopSequences"`
	MaxTokens   *int            `json:"maxOutputTokens"`
	Temperature *float64        `json:"temperature"`
	TopP        *float64        `json:"topP"`
	Thinking    *struct {
		Budget  *int   `json:"thinkingBudget"`
		Level   string `json:"thinkingLevel"`
		Include bool   `json:"includeThoughts"`
	} `json:"thinkingConfig"`
}

func (g *generationConfig) UnmarshalJSON(b []byte) error {
	type plain generationConfig
	return jsondoc.Decode(b, (*plain)(g), &g.raw)
}

type tool struct {
	raw       map[string]json.RawMessage
	Functions []function `json:"functionDeclarations"`
}

func (t *tool) UnmarshalJSON(b []byte) error {
	type plain tool
	return jsondoc.Decode(b, (*plain)(t), &t.raw)
}

type function struct {
	raw         map[string]json.RawMessage
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
}

func (f *function) UnmarshalJSON(b []byte) error {
	type plain function
	return jsondoc.Decode(b, (*plain)(f), &f.raw)
}

func (f *function) pickSchema() json.RawMessage {
	if !jsondoc.IsNull(f.JSONSchema) {
		return f.JSONSchema
	}
	return lowerTypes(f.Parameters)
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	raw       map[string]json.RawMessage
	Text      *string           `json:"text"`
	Thought   bool              `json:"thought"`
	Signature string            `json:"thoughtSignature"`
	Call      *call             `json:"functionCall"`
	Response  *functionResponse `json:"functionResponse"`
	Inline    json.RawMessage   `json:"inlineData"`
	File      json.RawMessage   `json:"fileData"`
}

func (p *part) UnmarshalJSON(b []byte) error {
	type plain part
	return jsondoc.Decode(b, (*plain)(p), &p.raw)
}

type call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type functionResponse struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// readText is what a result says, and whether it is a failure. Source: go-genai
// v1.77.0, types.go, FunctionResponse, read 2026-11-30.
func (r *functionResponse) readText() (text string, failed bool) {
	m := jsondoc.Members(r.Response)
	for _, key := range []string{"error", "output", "result"} {
		v, ok := m[key]
		if !ok {
			continue
		}
		if s, isText := jsondoc.Text(v); isText {
			return s, key == "error"
		}
		return string(v), key == "error"
	}
	return string(r.Response), false
}

func (c *content) listCalls() (calls []*part) {
	for i := range c.Parts {
		if c.Parts[i].Call != nil {
			calls = append(calls, &c.Parts[i])
		}
	}
	return calls
}

func (c *content) listResults() (results []*functionResponse) {
	for i := range c.Parts {
		if r := c.Parts[i].Response; r != nil {
			results = append(results, r)
		}
	}
	return results
}

func (c *content) readText() string {
	var texts []string
	for _, p := range c.Parts {
		if p.Text != nil && !p.Thought && *p.Text != "" {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (r *request) Describe() (string, bool) { return r.model, r.streamed }

func (r *request) listFunctions() []function {
	var out []function
	for _, t := range r.Tools {
		out = append(out, t.Functions...)
	}
	return out
}

func (r *request) readCalling() callingConfig {
	if r.Config == nil || r.Config.Calling == nil {
		return callingConfig{}
	}
	return *r.Config.Calling
}

func (r *request) readChoice() core.Choice {
	c := r.readCalling()
	switch c.Mode {
	case "ANY":
		return core.Choice{Mode: core.ChoiceAny, Allowed: c.Allowed}
	case "NONE":
		return core.Choice{Mode: core.ChoiceNone}
	}
	return core.Choice{Allowed: c.Allowed}
}

func (r *request) thinks() bool {
	if t := r.Generation.Thinking; t != nil && t.Budget != nil {
		return *t.Budget != 0
	}
	return r.version.Thinks == models.ThinksByDefault
}

func (r *request) ReadTask() *core.Task {
	task := &core.Task{Choice: r.readChoice(), Thinks: r.thinks(), Stops: r.Generation.Stops}
	for _, f := range r.listFunctions() {
		task.Tools = append(task.Tools, core.Tool{Name: f.Name, Description: f.Description, Schema: f.pickSchema()})
	}
	if g := &r.Generation; g.MimeType == "application/json" {
		task.Schema = g.JSONSchema
		if jsondoc.IsNull(task.Schema) {
			task.Schema = lowerTypes(g.Schema)
		}
		if jsondoc.IsNull(task.Schema) {
			task.Schema = core.FindPromptedSchema(r.readTexts())
		}
	}
	if n := r.Generation.MaxTokens; n != nil {
		task.Limit = *n
	}
	for _, c := range r.Contents {
		results := c.listResults()
		for _, res := range results {
			text, failed := res.readText()
			task.Results = append(task.Results, core.Result{Tool: res.Name, Text: text, Failed: failed})
		}
		if c.Role != "model" && len(results) == 0 {
			task.Prompt, task.Results = c.readText(), nil
		}
	}
	for _, part := range []string{"contents", "tools", "systemInstruction"} {
		task.Input += core.CountTokens(string(r.raw[part]))
	}
	task.Seed = core.MakeID(32, string(r.raw["contents"]), string(r.raw["tools"]), string(r.raw["systemInstruction"]))
	return task
}

func (r *request) readTexts() []core.TextMessage {
	var out []core.TextMessage
	if r.System != nil {
		out = append(out, core.TextMessage{Role: "system", Text: r.System.readText()})
	}
	for _, c := range r.Contents {
		out = append(out,
			core.TextMessage{Role: strings.Replace(cmp.Or(c.Role, "user"), "model", "assistant", 1), Text: c.readText()})
	}
	return out
}

// Serve answers a request to generate content, whole or streamed.
func Serve(x *core.Exchange) {
	path := x.R.URL.Path
	name, method, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	r := &request{
		model: name, version: models.FindGemini(name),
		streamed: method == "streamGenerateContent", vertex: x.Persona == Vertex,
	}
	if err := jsondoc.Decode(x.Body, r, &r.raw); err != nil {
		x.Host.RecordModel(r.model, r.streamed)
		x.Refuse(refuseUnreadable(err))
		return
	}
	x.Serve(r)
}

func refuseUnreadable(err error) *core.Refusal {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return refuseArgument(t.Field, "Invalid value at '%s' (a JSON %s)", t.Field, t.Value)
	}
	return refuseArgument("", "Invalid JSON payload received. %s", err)
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	g := &reply{x: x, request: r, answer: out, turn: t, id: core.MakeID(22, x.ID, seed)}
	g.buildCalls(seed)
	return g
}
