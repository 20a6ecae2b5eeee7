package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools/schema"
)

// fitArguments returns a call's arguments as functions get them: an object that
// fits the schema. Nothing, and null, stand for no arguments; null for an
// optional property that can't be null stands for its absence, since models
// that were trained on strict schemas write it so.
func (t Tool) fitArguments(raw json.RawMessage) (json.RawMessage, error) {
	args := json.RawMessage(bytes.TrimSpace(raw))
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	err := t.valid.Validate(args)
	if err == nil {
		return args, nil
	}
	mended, dropErr := schema.DropNulls(t.argumentSchema(), args)
	if dropErr != nil || t.valid.Validate(mended) != nil {
		return nil, err
	}
	return mended, nil
}

func (t Tool) argumentSchema() json.RawMessage {
	if len(t.Def.Schema) == 0 {
		return json.RawMessage(noArguments)
	}
	return t.Def.Schema
}

// argumentError is the model's fault: it is told, and nothing stops.
type argumentError struct{ err error }

func (e *argumentError) Error() string { return "arguments: " + e.err.Error() }

func (e *argumentError) Unwrap() error { return e.err }

// decodeArguments keeps the digits of numbers where the type leaves them open.
func decodeArguments(args json.RawMessage, in any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	err := d.Decode(in)
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: the %s can't be used here, %s is needed", cmp.Or(te.Field, "the value"), te.Value, te.Type)
	}
	return err
}

// inputMember holds a union: arguments are a plain object on every wire.
const inputMember = "input"

func decodeInput[In any](args json.RawMessage) (in In, err error) {
	err = decodeArguments(args, &in)
	return in, err
}

func decodeWrapped[In any](args json.RawMessage) (In, error) {
	outer, err := decodeInput[struct {
		Input In `json:"input"` // inputMember
	}](args)
	return outer.Input, err
}

func encodeResult(out any) (chat.ToolResult, error) {
	switch out := out.(type) {
	case string:
		return chat.TextResult("", out), nil
	case json.RawMessage:
		return chat.TextResult("", string(out)), nil
	case chat.ToolResult:
		return out, checkParts(out.Parts)
	case *chat.ToolResult:
		if out != nil {
			return *out, checkParts(out.Parts)
		}
	case []chat.Part:
		return chat.ToolResult{Parts: out}, checkParts(out)
	case chat.Part:
		return encodeResult([]chat.Part{out})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return chat.ToolResult{}, fmt.Errorf("result: %w", err)
	}
	return chat.TextResult("", string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}

// checkParts refuses the parts that only a model writes.
func checkParts(parts []chat.Part) error {
	for _, p := range parts {
		switch p.(type) {
		case chat.Text, chat.Image, chat.File, chat.Audio:
		case chat.Thinking, chat.ToolCall, chat.ToolResult:
			return fmt.Errorf("result: a tool can't return %T as a part", p)
		default:
			return fmt.Errorf("result: a part is %T", p)
		}
	}
	return nil
}
