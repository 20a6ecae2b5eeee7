package anthropic

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

const (
	path          = "/v1/messages"
	versionHeader = "Anthropic-Version"
	// version is pinned to the older of the two that are served. 2026-10-21
	// refuses temperature, top_p and top_k even at their defaults, also for
	// the models that take them; and it is the older one that imitators know.
	// Source: platform.claude.com, "Migrating to 2026-10-21", read 2026-11-30.
	version = "2023-06-01"
)

// EncodeRequest spells a call. Consecutive messages that are the user's on
// this wire become one, tool results in front; blocks that the API refuses
// because they say nothing are left out, and so is thinking without a
// signature. Of Metadata only user_id has a place here; Cache.Key has none.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	if err := checkCall(&c); err != nil {
		return wire.Encoded{}, err
	}
	e := encoder{call: &c, ids: wire.NewToolIDs(c.Messages, false)}
	e.w.Buf = make([]byte, 0, wire.SizeOf(&c))
	if err := e.encodeRequest(); err != nil {
		return wire.Encoded{}, err
	}
	return wire.Encoded{Path: path, Header: http.Header{versionHeader: {version}}, Body: e.w.Buf}, nil
}

func checkCall(c *wire.Call) error {
	switch {
	case c.Seed != nil:
		return errors.New("anthropic: a seed has no form on this wire")
	case c.Allowed != nil:
		return errors.New("anthropic: a subset of the tools has no form on this wire")
	case c.Thinking.Format != "":
		return errors.New("anthropic: a place for thoughts has no form on this wire")
	case c.Format != nil && len(c.Format.Schema) == 0:
		return errors.New("anthropic: JSON without a schema has no form on this wire")
	}
	return nil
}

type encoder struct {
	w    rawjson.Writer
	call *wire.Call
	ids  wire.ToolIDs
	// mark is where the last block that belongs to the cached messages ends
	// in w.Buf; 0: there is none.
	mark    int
	calls   []string // ids of the calls in the assistant turn before
	results []result // of the user turn being written
}

// encodeRequest writes the body, its members in a fixed order.
func (e *encoder) encodeRequest() error {
	w, c := &e.w, e.call
	w.Object()
	w.Str("model", c.Model)
	w.NumIf("max_tokens", c.MaxTokens)
	lead := countLeading(c.Messages)
	if err := e.encodeSystem(c.Messages[:lead]); err != nil {
		return err
	}
	if err := e.encodeMessages(lead); err != nil {
		return err
	}
	e.encodeTools()
	if err := e.encodeChoice(); err != nil {
		return err
	}
	e.encodeThinking()
	e.encodeOutputConfig()
	e.encodeSampling()
	if id := c.Metadata["user_id"]; id != "" {
		w.Obj("metadata")
		w.Str("user_id", id)
		w.EndObject()
	}
	if c.Cache.Auto {
		e.encodeCacheMark()
	}
	if c.Stream {
		w.Flag("stream", true)
	}
	wire.WriteExtra(w, c.Extra)
	w.EndObject()
	e.markMessages()
	return nil
}

// encodeCacheMark marks the object being written. Source: platform.claude.com,
// "Prompt caching", read 2026-11-30: five minutes are the default, an hour is
// the only other time; at most four marks, and there are only four places.
func (e *encoder) encodeCacheMark() {
	w := &e.w
	w.Obj("cache_control")
	w.Str("type", "ephemeral")
	if e.call.Cache.TTL >= time.Hour {
		w.Str("ttl", "1h")
	}
	w.EndObject()
}

// markMessages puts the mark of the cached messages into what was written:
// which block is the last is known only at the end.
func (e *encoder) markMessages() {
	if e.mark == 0 {
		return
	}
	m := encoder{call: e.call, ids: e.ids}
	m.encodeCacheMark()
	brace := e.mark - 1
	e.w.Buf = slices.Insert(e.w.Buf, brace, append([]byte{','}, m.w.Buf...)...)
}

func (e *encoder) encodeTools() {
	w, c := &e.w, e.call
	if len(c.Tools) == 0 {
		return
	}
	w.List("tools")
	for i := range c.Tools {
		e.encodeTool(&c.Tools[i], c.Cache.Tools && i == len(c.Tools)-1)
	}
	w.EndArray()
}

func (e *encoder) encodeTool(t *chat.ToolDef, mark bool) {
	w := &e.w
	w.Object()
	w.Str("name", t.Name)
	w.StrIf("description", t.Description)
	w.JSON("input_schema", wire.Parameters(t)) // required, also for a tool that takes nothing
	if t.Strict {
		w.Flag("strict", true)
	}
	if mark {
		e.encodeCacheMark()
	}
	w.EndObject()
}

// encodeChoice writes the choice. Several calls are forbidden by a member of it,
// so a choice has to be stated for that; the none choice refuses the member.
// Source: anthropic-sdk-go message.go, ToolChoiceUnion, read 2026-11-30.
func (e *encoder) encodeChoice() error {
	c := *e.call
	serial := c.ParallelTools != nil && !*c.ParallelTools
	if serial && c.Choice.IsZero() && len(c.Tools) > 0 {
		c.Choice = toolchoice.Auto()
	}
	choice, err := c.SpellChoice()
	if err != nil {
		return fmt.Errorf("anthropic: %w", err)
	}
	if choice == nil {
		return nil
	}
	e.w.Key("tool_choice")
	if !serial || c.Choice.Mode() == toolchoice.ModeNone {
		e.w.Raw(choice)
		return nil
	}
	e.w.Raw(choice[:len(choice)-1]) // without the brace
	e.w.Flag("disable_parallel_tool_use", true)
	e.w.EndObject()
	return nil
}

func (e *encoder) encodeThinking() {
	w, t := &e.w, &e.call.Thinking
	if t.Type == "" {
		return
	}
	w.Obj("thinking")
	w.Str("type", t.Type)
	w.NumIf("budget_tokens", t.Budget)
	w.StrIf("display", t.Display)
	w.EndObject()
}

func (e *encoder) encodeOutputConfig() {
	w, c := &e.w, e.call
	if c.Thinking.Effort == "" && c.Format == nil {
		return
	}
	w.Obj("output_config")
	w.StrIf("effort", c.Thinking.Effort)
	if c.Format != nil { // it has no place for a name; the schema is always enforced
		w.Obj("format")
		w.Str("type", "json_schema")
		w.JSON("schema", c.Format.Schema)
		w.EndObject()
	}
	w.EndObject()
}

func (e *encoder) encodeSampling() {
	names := wire.Sampling{TopP: "top_p", Stop: "stop_sequences"} // the limit stands at the beginning
	names.Write(&e.w, e.call)
}
