package openairesponses

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
	if d.s.Kind() != rawjson.Object {
		return failure.Unreadable(body, nil)
	}
	r := readResponse(&d.s)
	switch err := d.s.End(); {
	case err != nil:
		return failure.Unreadable(body, err)
	case isNull(r.output) && r.status == "": // no response at all
		return failureInside(body)
	}
	return d.decodeResponse(a, &r)
}

// decodeResponse reads a response that is as far as it will ever be.
func (d *decoder) decodeResponse(a *wire.Assembly, r *response) error {
	keepFirst(&a.ID, r.id)
	keepFirst(&a.Model, r.model)
	if !isNull(r.usage) {
		d.str.Reset(r.usage)
		a.Usage = readUsage(&d.str)
	}
	d.decodeItems(a, r.output)
	if r.hasFailed() {
		return failedResponse(r.err)
	}
	a.Finish(r.finishReason())
	return nil
}

func (r *response) hasFailed() bool {
	switch r.status {
	case "failed":
		return true
	case "completed", "incomplete":
		return false
	}
	return holdsError(r.err)
}

func holdsError(raw []byte) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "{}":
		return false
	}
	return true
}

// finishReason is why the response ended. Servers were seen that call an answer
// completed although the token limit cut it (llama.cpp's server, Ollama): that
// can't be known. Source: openai-go responses/response.go, read 2026-11-30.
func (r *response) finishReason() (f chat.FinishReason, raw string) {
	switch r.status {
	case "completed", "":
		return chat.FinishStop, "completed"
	case "incomplete":
	default: // cancelled, queued, in_progress
		return chat.FinishOther, r.status
	}
	switch r.reason {
	case "":
		return chat.FinishOther, r.status
	case "max_output_tokens", "max_tokens":
		return chat.FinishLength, r.reason
	case "content_filter":
		return chat.FinishFiltered, r.reason
	case "steered":
		return chat.FinishPaused, r.reason
	}
	return chat.FinishOther, r.reason
}

// decodeItems reads a response's output: whole items, of which a stream has brought
// a part or all before.
func (d *decoder) decodeItems(a *wire.Assembly, output []byte) {
	if isNull(output) {
		return
	}
	d.list.Reset(output)
	var raws [][]byte
	for range d.list.Elems() {
		raws = append(raws, d.list.Raw())
	}
	for i, raw := range raws {
		it := d.readItem(raw)
		d.decodeItem(a, itemKey{index: i, hasIndex: true, id: wire.Unquote(&d.id, it.id)}, &it)
	}
}

func keepFirst(to *string, s string) {
	if *to == "" {
		*to = s
	}
}

// decodeItem reads a whole item, and feeds what isn't there yet.
func (d *decoder) decodeItem(a *wire.Assembly, key itemKey, in *item) {
	if in.kind == noItem {
		return
	}
	it := itemsOf(a).findItem(key)
	if it == nil || it.kind != in.kind {
		it = itemsOf(a).openItem(a, key, in.kind)
	}
	it.done = true
	switch in.kind {
	case messageItem:
		d.decodeMessage(a, it, in)
	case reasoningItem:
		d.decodeThought(a, it, in)
	case callItem, customItem:
		d.decodeCall(a, it, in)
	case otherItem:
		d.signPart(a, it, it.slot, signItem, d.compactItem(in.raw))
	}
}

// signPart puts an item's token on a part, once.
func (d *decoder) signPart(a *wire.Assembly, it *openedItem, slot int, kind string, data []byte) {
	if !it.signed {
		it.signed = true
		a.Sign(slot, kind, data)
	}
}

// compactItem is an item without white space, so that streamed or not, an item is kept
// as the same bytes.
func (d *decoder) compactItem(raw []byte) []byte {
	d.buf = rawjson.AppendCompact(d.buf[:0], raw)
	return d.buf
}

// decodeMessage reads the parts of a message. One without text is no part of ours.
func (d *decoder) decodeMessage(a *wire.Assembly, it *openedItem, in *item) {
	parts := d.readContents(in.content)
	for i, c := range parts {
		slot := slotOf(it, int64(i))
		if rest := a.Rest(slot, d.unquoteText(c.text)); len(rest) > 0 {
			a.Text(slot, rest)
		}
		a.Refused = a.Refused || c.refusal
	}
	if it.signed {
		return
	}
	data := d.makeLabel(in)
	for i, c := range parts {
		if slot := slotOf(it, int64(i)); len(data) > 0 && a.Has(slot) {
			it.signed = true
			kind := signMessage
			if c.refusal {
				kind = signRefusal
			}
			a.Sign(slot, kind, data)
		}
	}
}

// makeLabel makes the token of a message's texts: what is to be said back with them.
// Source: openai-go responses/response.go (phase), read 2026-11-30.
func (d *decoder) makeLabel(in *item) []byte {
	if isNull(in.id) && isNull(in.phase) {
		return nil
	}
	w := rawjson.Writer{Buf: d.buf[:0]}
	w.Object()
	for _, m := range []struct {
		name string
		raw  []byte
	}{{"id", in.id}, {"status", in.status}, {"phase", in.phase}} {
		if !isNull(m.raw) {
			w.JSON(m.name, m.raw)
		}
	}
	w.EndObject()
	d.buf = w.Buf
	return d.buf
}

func (d *decoder) readContents(raw []byte) []content {
	if isNull(raw) {
		return nil
	}
	d.list.Reset(raw)
	var out []content
	for range d.list.Elems() {
		out = append(out, readContent(&d.list))
	}
	return out
}

// slotOf is the slot of an item's n-th part.
func slotOf(it *openedItem, n int64) int {
	return it.slot + int(min(max(n, 0), itemSlots-1))
}

// A thought comes as parts of a summary or, from servers with open models, as
// parts of its content. It is one part of ours, with an empty line between.
const (
	betweenThoughts = "\n\n"
	// firstContent tells the parts of the content from those of the summary.
	firstContent = 1 << 20
)

// decodeThought reads a thought. Without encrypted content there is nothing to say
// back. Source: openai-go responses/response.go, read 2026-11-30.
func (d *decoder) decodeThought(a *wire.Assembly, it *openedItem, in *item) {
	whole := d.joinThought(in.summary)
	if len(whole) == 0 {
		whole = d.joinThought(in.content)
	}
	if rest := a.Rest(it.slot, whole); len(rest) > 0 {
		a.Think(it.slot, rest)
	}
	if len(d.unquoteText(in.encrypted)) > 0 {
		d.signPart(a, it, it.slot, signReasoning, d.compactItem(in.raw))
	}
}

func (d *decoder) joinThought(parts []byte) []byte {
	d.buf = d.buf[:0]
	for _, c := range d.readContents(parts) {
		text := d.unquoteText(c.text)
		if len(d.buf) > 0 && len(text) > 0 {
			d.buf = append(d.buf, betweenThoughts...)
		}
		d.buf = append(d.buf, text...)
	}
	return d.buf
}

// decodeCall reads a call. Its result is known by call_id, not by the item's id.
func (d *decoder) decodeCall(a *wire.Assembly, it *openedItem, in *item) {
	d.startCall(a, it, in)
	if rest := a.Rest(it.slot, d.unquoteText(in.arguments)); len(rest) > 0 {
		a.Args(it.slot, rest)
	}
	kind := signCall
	if in.kind == customItem {
		kind = signCustom
	}
	if id := d.unquoteText(in.id); len(id) > 0 || kind == signCustom {
		d.signPart(a, it, it.slot, kind, id)
	}
}

func (d *decoder) startCall(a *wire.Assembly, it *openedItem, in *item) {
	id := string(d.unquoteText(in.callID))
	a.StartCall(it.slot, id, string(d.unquoteText(in.name)))
}
