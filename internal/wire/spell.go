package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
)

// Parameters is a tool's schema, or one without properties: most wires require
// a schema, also of a tool that takes nothing.
func Parameters(t *chat.ToolDef) json.RawMessage {
	if len(t.Schema) > 0 {
		return t.Schema
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

// ObjectArguments is a call's arguments as an object, for wires that take
// nothing else. Arguments that are none go wrapped in one, so that the model
// sees what it wrote. Source: platform.claude.com, "Fine-grained tool
// streaming", handling invalid JSON, read 2026-11-30.
func ObjectArguments(c *chat.ToolCall) json.RawMessage {
	switch args := bytes.TrimSpace(c.Arguments); {
	case len(args) == 0 || string(args) == "null":
		return json.RawMessage("{}")
	case args[0] == '{' && rawjson.Valid(args):
		return args
	default:
		var w rawjson.Writer
		w.Object()
		w.Str("INVALID_JSON", string(args))
		w.EndObject()
		return w.Buf
	}
}

// WriteBase64 writes a string of prefix and encoded data, encoded into the body
// without a detour.
func WriteBase64(w *rawjson.Writer, prefix string, data []byte) {
	w.String(prefix)
	w.Buf = base64.StdEncoding.AppendEncode(w.Buf[:len(w.Buf)-1], data) // into the quotes
	w.Buf = append(w.Buf, '"')
}

// WriteDataURL writes a string of a data URL.
func WriteDataURL(w *rawjson.Writer, mediaType string, data []byte) {
	WriteBase64(w, "data:"+mediaType+";base64,", data)
}

// WriteStrings writes a list of strings.
func WriteStrings(w *rawjson.Writer, list []string) {
	w.Array()
	for _, s := range list {
		w.String(s)
	}
	w.EndArray()
}

// WriteMetadata writes the call's metadata as the member of that name, in the
// order of their keys; nothing if there are none.
func WriteMetadata(w *rawjson.Writer, c *Call, name string) {
	if len(c.Metadata) == 0 {
		return
	}
	w.Obj(name)
	for _, k := range slices.Sorted(maps.Keys(c.Metadata)) {
		w.KeyString(k)
		w.String(c.Metadata[k])
	}
	w.EndObject()
}

// Sampling names a dialect's members for the limit of the output and for
// sampling. One without a name isn't written. The temperature has the same name
// everywhere.
type Sampling struct{ MaxTokens, TopP, Stop, Seed string }

// Write writes the members that the call sets.
func (s Sampling) Write(w *rawjson.Writer, c *Call) {
	if c.MaxTokens > 0 && s.MaxTokens != "" {
		w.Num(s.MaxTokens, c.MaxTokens)
	}
	if c.Temperature != nil {
		w.Key("temperature")
		w.Float(*c.Temperature)
	}
	if c.TopP != nil && s.TopP != "" {
		w.Key(s.TopP)
		w.Float(*c.TopP)
	}
	if len(c.Stop) > 0 && s.Stop != "" {
		w.Key(s.Stop)
		WriteStrings(w, c.Stop)
	}
	if c.Seed != nil && s.Seed != "" {
		w.Key(s.Seed)
		w.Int64(*c.Seed)
	}
}

// WriteExtra writes the caller's own members, but for those that a codec joins
// with an object of its own. The planner has refused members that are in the
// body already.
func WriteExtra(w *rawjson.Writer, extra []Member, joined ...string) {
	for _, m := range extra {
		if !slices.Contains(joined, m.Name) {
			w.KeyString(m.Name)
			w.Raw(m.Value)
		}
	}
}
