package openaichat

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeReply reads a whole reply.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	d := takeDecoder(body)
	defer d.release(len(body))
	d.whole = true
	c, err := d.decodeChunk(a, body)
	switch {
	case err != nil:
		return err
	case c.err != nil, c.failed, c.told && !c.chosen:
		return failures.Inside(body)
	case !c.chosen:
		return failure.BadReply("no choices", nil)
	}
	finishDetails(a)
	return nil
}

// decodeChunk reads a reply, or one step of a stream, into the assembly.
func (d *decoder) decodeChunk(a *wire.Assembly, body []byte) (chunk, error) {
	var c chunk
	s := &d.s
	if s.Kind() != rawjson.Object {
		return c, failure.Unreadable(body, nil)
	}
	for key := range s.Members() {
		switch string(key) {
		case "id":
			keepFirst(&a.ID, readText(s))
		case "model":
			keepFirst(&a.Model, readText(s))
		case "choices":
			c.chosen = d.decodeChoices(a) || c.chosen
		case "usage":
			d.decodeUsage(s, a)
		case "x_groq":
			d.decodeGroq(&c, a)
		case "error":
			c.setError(s.Raw())
		case "base_resp":
			c.failed = readBaseResp(s) || c.failed
		case "object", "type":
			c.failed = string(readText(s)) == "error" || c.failed
		case "message", "detail":
			c.told = true
		}
	}
	if err := s.End(); err != nil {
		return c, failure.Unreadable(body, err)
	}
	return c, nil
}

// readBaseResp reads MiniMax's own member and reports whether it tells of an
// error. Source: platform.minimax.io, "Error Codes", read 2026-12-01.
func readBaseResp(s *rawjson.Scanner) bool {
	failed := false
	for key := range s.Members() {
		if string(key) == "status_code" {
			failed = s.Int() != 0
		}
	}
	return failed
}

// setError notes an error member, unless it says that there is none.
func (c *chunk) setError(raw []byte) {
	switch string(raw) {
	case "", "null", "false", `""`, "{}":
	default:
		c.err = raw
	}
}

// decodeGroq reads Groq's own member, which carries the usage of a stream and why a
// stream was stopped early. Source: groq-go chat_completion, read 2026-11-30.
func (d *decoder) decodeGroq(c *chunk, a *wire.Assembly) {
	s := &d.s
	for key := range s.Members() {
		switch string(key) {
		case "usage":
			d.decodeUsage(s, a)
		case "error":
			c.setError(s.Raw())
		}
	}
}

// decodeUsage takes the last value: some servers count up through the stream. An
// object of zeros says nothing.
func (d *decoder) decodeUsage(s *rawjson.Scanner, a *wire.Assembly) {
	if u := readUsage(s); u != (usage{}) {
		a.Usage = u.toUsage()
	}
}

// decodeChoices reads the first choice (others are asked for by nobody here) and
// reports whether there was one.
func (d *decoder) decodeChoices(a *wire.Assembly) bool {
	found := false
	for range d.s.Elems() {
		found = d.decodeChoice(a) || found
	}
	return found
}

func (d *decoder) decodeChoice(a *wire.Assembly) bool {
	var c choice
	s := &d.s
	for key := range s.Members() {
		switch string(key) {
		case "index":
			c.indexed, c.index = true, s.Int()
		case "delta":
			if c.indexed && c.index == 0 && s.Kind() == rawjson.Object {
				c.read = true
				d.decodeMessage(s, a)
			} else {
				c.delta = s.Raw()
			}
		case "message":
			c.message = s.Raw()
		case "finish_reason":
			c.finish = s.Raw()
		case "usage":
			c.usage = s.Raw()
		}
	}
	if c.index != 0 || s.Err() != nil {
		return false
	}
	d.applyDeferred(&c, a)
	return true
}

// applyDeferred feeds what was put off until the choice's index was known. A message
// beside a delta repeats the whole text so far (Perplexity); one without is
// the whole answer, unless there were deltas before.
func (d *decoder) applyDeferred(c *choice, a *wire.Assembly) {
	body := c.delta
	if isNull(body) && !c.read && (d.whole || a.Empty()) {
		body = c.message
		d.whole = true
	}
	if !isNull(body) && !c.read {
		d.sub.Reset(body)
		d.decodeMessage(&d.sub, a)
	}
	if a.Empty() {
		a.Text(textSlot, nil) // there was a choice: the reply isn't nothing
	}
	if !isNull(c.usage) {
		d.sub.Reset(c.usage)
		d.decodeUsage(&d.sub, a)
	}
	if !isNull(c.finish) {
		d.sub.Reset(c.finish)
		noteFinish(a, readText(&d.sub))
	}
}

// noteFinish notes the finish reason. An empty one, which some servers send with
// every delta, is none.
func noteFinish(a *wire.Assembly, word []byte) {
	if len(word) == 0 {
		return
	}
	raw := string(word)
	a.Finish(finishOf(raw), raw)
	a.End()
}

// finishOf is the canonical finish. Sources: openai-openapi; Mistral's
// openapi.yaml (model_length, error); TGI (eos_token); api-docs.deepseek.com
// (insufficient_system_resource); all read 2026-11-30.
func finishOf(raw string) chat.FinishReason {
	switch raw {
	case "stop", "eos", "eos_token", "end_turn":
		return chat.FinishStop
	case "stop_sequence":
		return chat.FinishStopSequence
	case "tool_calls", "function_call":
		return chat.FinishToolCalls
	case "length", "max_tokens", "model_length":
		return chat.FinishLength
	case "content_filter":
		return chat.FinishFiltered
	case "error", "insufficient_system_resource":
		return chat.FinishError
	}
	return chat.FinishOther
}

func keepFirst(to *string, b []byte) {
	if *to == "" && len(b) > 0 {
		*to = string(b)
	}
}

// readText reads a string; anything else is skipped and reads as nothing.
func readText(s *rawjson.Scanner) []byte {
	if s.Kind() == rawjson.String {
		return s.Bytes()
	}
	s.Skip()
	return nil
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// decodeMessage reads a message or a delta: they have the same members.
func (d *decoder) decodeMessage(s *rawjson.Scanner, a *wire.Assembly) {
	thought := false // some servers send the thought under both names
	var details []byte
	for key := range s.Members() {
		switch string(key) {
		case "content":
			d.decodeContent(s, a)
		case "refusal":
			decodeRefusal(a, readText(s))
		case "reasoning_content":
			if b := readText(s); len(b) > 0 && !thought {
				thought = true
				a.Think(thoughtSlot, b)
				a.Sign(thoughtSlot, signReasoning, nil)
			}
		case "reasoning":
			if b := readText(s); len(b) > 0 && !thought {
				thought = true
				a.Think(thoughtSlot, b)
			}
		case "reasoning_details":
			details = s.Raw()
		case "tool_calls":
			d.decodeCalls(s, a)
		case "function_call":
			d.decodeFunctionCall(s, a)
		}
	}
	if s.Err() == nil {
		d.decodeDetails(details, a, !thought)
	}
}

// decodeContent reads a string, null, or a list of parts (Mistral's models that think).
// Source: docs.mistral.ai, "Reasoning", read 2026-11-30.
func (d *decoder) decodeContent(s *rawjson.Scanner, a *wire.Assembly) {
	if s.Kind() != rawjson.Array {
		if b := readText(s); len(b) > 0 {
			a.Text(textSlot, b)
		}
		return
	}
	for range s.Elems() {
		if s.Kind() != rawjson.Object {
			a.Text(textSlot, readText(s))
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "text":
				a.Text(textSlot, readText(s))
			case "thinking":
				decodeThinking(s, a)
			case "refusal":
				decodeRefusal(a, readText(s))
			}
		}
	}
}

func decodeThinking(s *rawjson.Scanner, a *wire.Assembly) {
	if s.Kind() != rawjson.Array {
		a.Think(thoughtSlot, readText(s))
		return
	}
	for range s.Elems() {
		for key := range s.Members() {
			if string(key) == "text" {
				a.Think(thoughtSlot, readText(s))
			}
		}
	}
}

// decodeRefusal takes the text of a refusal, which comes instead of content.
func decodeRefusal(a *wire.Assembly, b []byte) {
	if len(b) > 0 {
		a.Refused = true
		a.Text(textSlot, b)
	}
}

func (d *decoder) decodeCalls(s *rawjson.Scanner, a *wire.Assembly) {
	for n := range s.Elems() {
		c := readCall(s)
		if s.Err() != nil {
			return
		}
		key := wire.CallKey{Index: int(c.index), HasIndex: c.hasIndex, Sibling: n > 0}
		if d.whole { // every element is a call, whatever its index says
			key.Index, key.HasIndex = n, true
		}
		d.decodeCall(&c, key, a)
	}
}

// decodeFunctionCall reads the single call of the API as it was before tools.
func (d *decoder) decodeFunctionCall(s *rawjson.Scanner, a *wire.Assembly) {
	var c toolCall
	if c.readFunction(s); s.Err() == nil && (c.name != nil || c.arguments != nil) {
		d.decodeCall(&c, wire.CallKey{Index: -1, HasIndex: true}, a)
	}
}

func (d *decoder) decodeCall(c *toolCall, key wire.CallKey, a *wire.Assembly) {
	args := wire.Unquote(&d.arg, c.arguments)
	key.ID, key.Name, key.Empty = wire.Unquote(&d.id, c.id), wire.Unquote(&d.name, c.name), len(args) == 0
	slot := a.CallSlot(key)
	if c.custom {
		a.Sign(slot, signCustom, nil)
	}
	a.Args(slot, args)
	if sig := wire.Unquote(&d.arg, c.signature); len(sig) > 0 {
		a.Sign(slot, signThought, sig)
	}
}
