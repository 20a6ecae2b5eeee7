package sim

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// geminiRequest is a request body of Gemini's generateContent. Source:
// go-genai v1.77.0, types.go, read 2026-11-30.
type geminiRequest struct {
	raw      map[string]json.RawMessage
	model    string
	streamed bool
	vertex   bool
	version  models.Gemini

	Contents []geminiContent `json:"contents"`
	System   *geminiContent  `json:"systemInstruction"`
	Tools    []geminiTool    `json:"tools"`
	Config   *struct {
		Calling *geminiCalling `json:"functionCallingConfig"`
	} `json:"toolConfig"`
	Generation geminiGeneration `json:"generationConfig"`
}

type geminiCalling struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames"`
}

type geminiGeneration struct {
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

func (g *geminiGeneration) UnmarshalJSON(b []byte) error {
	type plain geminiGeneration
	return jsondoc.Decode(b, (*plain)(g), &g.raw)
}

type geminiTool struct {
	raw       map[string]json.RawMessage
	Functions []geminiFunction `json:"functionDeclarations"`
}

func (t *geminiTool) UnmarshalJSON(b []byte) error {
	type plain geminiTool
	return jsondoc.Decode(b, (*plain)(t), &t.raw)
}

type geminiFunction struct {
	raw         map[string]json.RawMessage
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
}

func (f *geminiFunction) UnmarshalJSON(b []byte) error {
	type plain geminiFunction
	return jsondoc.Decode(b, (*plain)(f), &f.raw)
}

// schema is the one of the two that is there.
func (f *geminiFunction) schema() json.RawMessage {
	if !jsondoc.IsNull(f.JSONSchema) {
		return f.JSONSchema
	}
	return lowerTypes(f.Parameters)
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	raw       map[string]json.RawMessage
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature string          `json:"thoughtSignature"`
	Call      *geminiCall     `json:"functionCall"`
	Response  *geminiResponse `json:"functionResponse"`
	Inline    json.RawMessage `json:"inlineData"`
	File      json.RawMessage `json:"fileData"`
}

func (p *geminiPart) UnmarshalJSON(b []byte) error {
	type plain geminiPart
	return jsondoc.Decode(b, (*plain)(p), &p.raw)
}

type geminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// text is what a result says, and whether it is a failure. Source: go-genai
// v1.77.0, types.go, FunctionResponse, read 2026-11-30.
func (r *geminiResponse) text() (text string, failed bool) {
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

// calls and results are those of a content.
func (c *geminiContent) calls() (calls []*geminiPart) {
	for i := range c.Parts {
		if c.Parts[i].Call != nil {
			calls = append(calls, &c.Parts[i])
		}
	}
	return calls
}

func (c *geminiContent) results() (results []*geminiResponse) {
	for i := range c.Parts {
		if r := c.Parts[i].Response; r != nil {
			results = append(results, r)
		}
	}
	return results
}

func (c *geminiContent) text() string {
	var texts []string
	for _, p := range c.Parts {
		if p.Text != nil && !p.Thought && *p.Text != "" {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (r *geminiRequest) Describe() (string, bool) { return r.model, r.streamed }

func (r *geminiRequest) functions() []geminiFunction {
	var out []geminiFunction
	for _, t := range r.Tools {
		out = append(out, t.Functions...)
	}
	return out
}

func (r *geminiRequest) calling() geminiCalling {
	if r.Config == nil || r.Config.Calling == nil {
		return geminiCalling{}
	}
	return *r.Config.Calling
}

func (r *geminiRequest) choice() core.Choice {
	c := r.calling()
	switch c.Mode {
	case "ANY":
		return core.Choice{Mode: core.ChoiceAny, Allowed: c.Allowed}
	case "NONE":
		return core.Choice{Mode: core.ChoiceNone}
	}
	return core.Choice{Allowed: c.Allowed}
}

// thinks reports whether the model thinks before it answers.
func (r *geminiRequest) thinks() bool {
	if t := r.Generation.Thinking; t != nil && t.Budget != nil {
		return *t.Budget != 0
	}
	return r.version.Thinks == models.ThinksByDefault
}

func (r *geminiRequest) ReadTask() *core.Task {
	a := &core.Task{Choice: r.choice(), Thinks: r.thinks(), Stops: r.Generation.Stops}
	for _, f := range r.functions() {
		a.Tools = append(a.Tools, core.Tool{Name: f.Name, Description: f.Description, Schema: f.schema()})
	}
	if g := &r.Generation; g.MimeType == "application/json" {
		a.Schema = g.JSONSchema
		if jsondoc.IsNull(a.Schema) {
			a.Schema = lowerTypes(g.Schema)
		}
		if jsondoc.IsNull(a.Schema) {
			a.Schema = core.FindPromptedSchema(r.texts())
		}
	}
	if n := r.Generation.MaxTokens; n != nil {
		a.Limit = *n
	}
	for _, c := range r.Contents {
		results := c.results()
		for _, res := range results {
			text, failed := res.text()
			a.Results = append(a.Results, core.Result{Tool: res.Name, Text: text, Failed: failed})
		}
		if c.Role != "model" && len(results) == 0 {
			a.Prompt, a.Results = c.text(), nil
		}
	}
	for _, part := range []string{"contents", "tools", "systemInstruction"} {
		a.Input += core.CountTokens(string(r.raw[part]))
	}
	a.Seed = core.MakeID(32, string(r.raw["contents"]), string(r.raw["tools"]), string(r.raw["systemInstruction"]))
	return a
}

func (r *geminiRequest) texts() []core.TextMessage {
	var out []core.TextMessage
	if r.System != nil {
		out = append(out, core.TextMessage{Role: "system", Text: r.System.text()})
	}
	for _, c := range r.Contents {
		out = append(out, core.TextMessage{Role: strings.Replace(cmp.Or(c.Role, "user"), "model", "assistant", 1), Text: c.text()})
	}
	return out
}

func serveGemini(x *core.Exchange) {
	path := x.R.URL.Path
	name, method, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	r := &geminiRequest{
		model: name, version: models.FindGemini(name),
		streamed: method == "streamGenerateContent", vertex: x.Persona == vertexPersona,
	}
	if err := jsondoc.Decode(x.Body, r, &r.raw); err != nil {
		x.Host.RecordModel(r.model, r.streamed)
		x.Refuse(unreadableGemini(err))
		return
	}
	x.Serve(r)
}

func unreadableGemini(err error) *core.Refusal {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return invalidArgument(t.Field, "Invalid value at '%s' (a JSON %s)", t.Field, t.Value)
	}
	return invalidArgument("", "Invalid JSON payload received. %s", err)
}

func (r *geminiRequest) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	g := &geminiReply{x: x, request: r, answer: out, turn: t, id: core.MakeID(22, x.ID, seed)}
	g.build(seed)
	return g
}

// lowerTypes turns an OpenAPI schema, whose types are in capitals, into a JSON
// Schema.
func lowerTypes(raw json.RawMessage) json.RawMessage {
	if jsondoc.IsNull(raw) {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	lowerIn(v)
	out, err := jsondoc.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

func lowerIn(v any) {
	switch v := v.(type) {
	case []any:
		for _, sub := range v {
			lowerIn(sub)
		}
	case map[string]any:
		if t, ok := v["type"].(string); ok && slices.Contains(schema.TypeNames, strings.ToLower(t)) {
			v["type"] = strings.ToLower(t)
		}
		if v["nullable"] == true {
			if t, ok := v["type"].(string); ok {
				v["type"] = []any{t, "null"}
			}
		}
		for _, sub := range v {
			lowerIn(sub)
		}
	}
}
