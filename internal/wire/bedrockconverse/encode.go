package bedrockconverse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// additionalFields is the member in which a model takes settings of its own.
const additionalFields = "additionalModelRequestFields"

// EncodeRequest spells a call. Consecutive messages that are the user's on this
// wire become one, tool results in front; text that says nothing is left out,
// and so is reasoning without a signature. An additionalModelRequestFields in
// Extra is joined with what the codec itself puts there. Cache.Key has no place
// here.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	e := &encoder{c: &c, ids: wire.NewToolIDs(c.Messages, c.Quirks.ShortToolIDs)}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	e.checkCall()
	e.encodeRequest()
	if e.err != nil {
		return wire.Encoded{}, fmt.Errorf("bedrock-converse: encode: %w", e.err)
	}
	return wire.Encoded{Path: makePath(&c), Body: e.w.Buf}, nil
}

// makePath puts the model into the path, escaped as the official clients do it: everything but
// unreserved characters, slashes and colons of an ARN among it.
func makePath(c *wire.Call) string {
	operation := "/converse"
	if c.Stream {
		operation = "/converse-stream"
	}
	var b strings.Builder
	b.WriteString("/model/")
	for _, ch := range []byte(c.Model) {
		if 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || '0' <= ch && ch <= '9' ||
			strings.IndexByte("-._~", ch) >= 0 {
			b.WriteByte(ch)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", ch)
	}
	b.WriteString(operation)
	return b.String()
}

type encoder struct {
	w     rawjson.Writer
	c     *wire.Call
	ids   wire.ToolIDs
	names map[string]bool // of the documents so far
	// Where the last block that belongs to the cached messages, and the last
	// of all, end in w.Buf; 0: there is none.
	mark, last int
	err        error // the first thing that the wire can't carry
}

// fail notes what the planner should have refused.
func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) checkCall() {
	c := e.c
	switch {
	case c.Model == "":
		e.err = errors.New("no model")
	case c.Seed != nil:
		e.err = errors.New("a seed has no place on this wire")
	case c.Allowed != nil:
		e.err = errors.New("a subset of the tools has no place on this wire")
	case c.Thinking.Format != "":
		e.err = errors.New("a place for thoughts has no place on this wire")
	case c.Format != nil && len(c.Format.Schema) == 0:
		e.err = errors.New("JSON without a schema has no place on this wire")
	case len(c.Tools) == 0 && usesTools(c.Messages):
		// Source: vercel/ai packages/amazon-bedrock, read 2026-11-30: the API
		// refuses calls and results of a request that offers no tools.
		e.err = errors.New("calls in the conversation need the definitions of the tools")
	}
}

func usesTools(ms []chat.Message) bool {
	for i := range ms {
		for _, p := range ms[i].Parts {
			switch p.(type) {
			case chat.ToolCall, chat.ToolResult:
				return true
			case chat.Text, chat.Thinking, chat.Image, chat.File, chat.Audio:
			}
		}
	}
	return false
}

// encodeRequest writes the body, its members in a fixed order.
func (e *encoder) encodeRequest() {
	w := &e.w
	w.Object()
	lead := countLeading(e.c.Messages)
	e.encodeSystem(e.c.Messages[:lead])
	e.encodeMessages(lead)
	e.markMessages()
	e.encodeSampling()
	e.encodeTools()
	e.encodeAdditional()
	e.encodeOutput()
	wire.WriteMetadata(w, e.c, "requestMetadata")
	wire.WriteExtra(w, e.c.Extra, additionalFields)
	w.EndObject()
}

func (e *encoder) encodeSampling() {
	w, c := &e.w, e.c
	if c.MaxTokens <= 0 && c.Temperature == nil && c.TopP == nil && len(c.Stop) == 0 {
		return
	}
	w.Obj("inferenceConfig")
	names := wire.Sampling{MaxTokens: "maxTokens", TopP: "topP", Stop: "stopSequences"}
	names.Write(w, c)
	w.EndObject()
}

// encodeOutput asks for JSON; the schema travels as text.
func (e *encoder) encodeOutput() {
	w, c := &e.w, e.c
	if c.Format == nil && c.Thinking.Effort == "" {
		return
	}
	w.Obj("outputConfig")
	w.StrIf("effort", c.Thinking.Effort)
	if f := c.Format; f != nil {
		w.Obj("textFormat")
		w.Str("type", "json_schema")
		w.Obj("structure")
		w.Obj("jsonSchema")
		w.Str("schema", string(rawjson.AppendCompact(nil, f.Schema)))
		e.encodeUnlessBlank("name", f.Name)
		e.encodeUnlessBlank("description", f.Description)
		w.EndObject()
		w.EndObject()
		w.EndObject()
	}
	w.EndObject()
}

// encodeUnlessBlank writes a member unless it is blank: the API refuses empty texts.
func (e *encoder) encodeUnlessBlank(name, value string) {
	if !isBlank(value) {
		e.w.Str(name, value)
	}
}

// encodeCachePoint ends a prefix to keep. Source: Bedrock User Guide, "Prompt
// caching", read 2026-11-30: five minutes are the default, an hour is the only
// other time; at most four marks, and there are only four places.
func encodeCachePoint(w *rawjson.Writer, ttl time.Duration) {
	w.Object()
	w.Obj("cachePoint")
	w.Str("type", "default")
	if ttl >= time.Hour {
		w.Str("ttl", "1h")
	}
	w.EndObject()
	w.EndObject()
}

// markMessages puts the marks of the cached messages into what was written:
// which block is the last is known only afterwards.
func (e *encoder) markMessages() {
	var w rawjson.Writer
	w.Buf = append(w.Buf, ',')
	encodeCachePoint(&w, e.c.Cache.TTL)
	last := 0
	if e.c.Cache.Auto {
		last = e.last
	}
	for _, at := range slices.Backward(slices.Compact([]int{e.mark, last})) {
		if at > 0 {
			e.w.Buf = slices.Insert(e.w.Buf, at, w.Buf...)
		}
	}
}
