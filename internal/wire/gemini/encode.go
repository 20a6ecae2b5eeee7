package gemini

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// EncodeRequest spells a call. Consecutive messages that are the user's on
// this wire become one content, tool results in front, in the order of the
// calls; text that says nothing is left out, and so are thoughts that aren't
// this dialect's. Instructions in the middle of a conversation, which the wire
// has no role for, go as the user's text, in their place.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	if err := checkCall(&c); err != nil {
		return wire.Encoded{}, err
	}
	e := encoder{call: &c}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	if err := e.encodeRequest(); err != nil {
		return wire.Encoded{}, err
	}
	return wire.Encoded{Path: makePath(c.Model, c.Stream), Body: e.w.Buf}, nil
}

// makePath returns where a model is called. A name is taken with its collection
// ("models/…", "tunedModels/…") or without. Source: go-genai transformer.go,
// read 2026-11-30.
func makePath(model string, stream bool) string {
	collection := "models"
	if c, name, ok := strings.Cut(model, "/"); ok && (c == "models" || c == "tunedModels") {
		collection, model = c, name
	}
	p := "/" + collection + "/" + strings.ReplaceAll(url.PathEscape(model), ":", "%3A")
	if stream {
		return p + ":streamGenerateContent?alt=sse"
	}
	return p + ":generateContent"
}

func checkCall(c *wire.Call) error {
	switch t := &c.Thinking; {
	case c.ParallelTools != nil && !*c.ParallelTools:
		return errors.New("gemini: forbidding several calls has no form on this wire")
	case c.Allowed != nil && len(c.Allowed) == 0:
		return errors.New("gemini: an empty subset of the tools has no form on this wire")
	case t.Format != "":
		return errors.New("gemini: a place for thoughts has no form on this wire")
	case t.Budget > 0 && t.Effort != "":
		return errors.New("gemini: a budget and an effort at once have no form on this wire")
	}
	return nil
}

type encoder struct {
	w    rawjson.Writer
	call *wire.Call

	calls   []call // of the model's turn before
	results []result
	// bare: the first call of the turn being written must not go without a
	// token.
	bare bool
}

// encodeRequest writes the body, its members in a fixed order.
func (e *encoder) encodeRequest() error {
	w, c := &e.w, e.call
	messages, token := splitContinuation(c.Messages)
	lead := countLeading(messages)
	w.Object()
	if err := e.encodeSystem(messages[:lead]); err != nil {
		return err
	}
	if err := e.encodeContents(messages[lead:]); err != nil {
		return err
	}
	e.encodeTools()
	if err := e.encodeChoice(); err != nil {
		return err
	}
	e.encodeGenerationConfig()
	wire.WriteMetadata(w, c, "labels")
	w.StrIf("continuationToken", token)
	e.encodeExtras("")
	w.EndObject()
	return nil
}

// nested are the objects that Call.Extra reaches into.
var nested = []string{generationConfig, toolConfig}

const (
	generationConfig = "generationConfig."
	toolConfig       = "toolConfig."
)

// encodeExtras writes the extra members of one object; "" is the body.
func (e *encoder) encodeExtras(object string) {
	for _, m := range e.call.Extra {
		name, inside := strings.CutPrefix(m.Name, object)
		isNested := func(o string) bool { return strings.HasPrefix(m.Name, o) }
		if !inside || object == "" && slices.ContainsFunc(nested, isNested) {
			continue
		}
		e.w.KeyString(name)
		e.w.Raw(m.Value)
	}
}

// encodeGenerationConfig writes the object unless it is empty.
func (e *encoder) encodeGenerationConfig() {
	w, c := &e.w, e.call
	before := e.w
	w.Obj("generationConfig")
	start := len(w.Buf)
	names := wire.Sampling{MaxTokens: "maxOutputTokens", TopP: "topP", Stop: "stopSequences", Seed: "seed"}
	names.Write(w, c)
	e.encodeFormat()
	e.encodeThinking()
	e.encodeExtras(generationConfig)
	if len(w.Buf) == start {
		e.w = before
		return
	}
	w.EndObject()
}

// encodeFormat asks for JSON. There is no place for a name, and a schema is always
// enforced. Source: go-genai types.go, GenerateContentConfig, read 2026-11-30.
func (e *encoder) encodeFormat() {
	w, f := &e.w, e.call.Format
	if f == nil {
		return
	}
	w.Str("responseMimeType", "application/json")
	if len(f.Schema) == 0 {
		return
	}
	w.JSON("responseJsonSchema", f.Schema)
}

// encodeThinking writes the budget or the level; models take one of the two. Source:
// go-genai types.go, ThinkingConfig: 0 is off, -1 leaves it to the model; read
// 2026-11-30.
func (e *encoder) encodeThinking() {
	w, t := &e.w, &e.call.Thinking
	if *t == (wire.Thinking{Replay: t.Replay}) { // thoughts always go back here
		return
	}
	w.Obj("thinkingConfig")
	switch {
	case t.Effort != "":
		w.Str("thinkingLevel", strings.ToUpper(t.Effort))
	case t.Type == "disabled":
		w.Num("thinkingBudget", 0)
	case t.Budget > 0:
		w.Num("thinkingBudget", t.Budget)
	case t.Type != "":
		w.Num("thinkingBudget", -1)
	}
	if t.Display != "" {
		w.Flag("includeThoughts", t.Display != "omitted")
	}
	w.EndObject()
}
