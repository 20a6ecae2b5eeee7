package openairesponses

import (
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeEvent reads one frame. A stream is complete with its terminal event,
// which holds the whole response again. The events that repeat one part of it
// (….done but for items) are not needed, and some servers don't send them.
// Source: openai-go responses/response.go, read 2026-11-30; recorded streams of
// llama.cpp's server and Ollama.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if string(f.Data) == "[DONE]" { // no end mark on this wire
		return nil
	}
	d := takeDecoder(f.Data)
	defer d.release(len(f.Data))
	if string(f.Event) == "error" {
		return failures.Inside(f.Data)
	}
	if d.s.Kind() != rawjson.Object {
		return failure.Unreadable(f.Data, nil)
	}
	e := readEvent(&d.s)
	if err := d.s.End(); err != nil {
		return failure.Unreadable(f.Data, err)
	}
	typ := wire.Unquote(&d.typ, e.typ)
	if len(typ) == 0 {
		typ = f.Event
	}
	if string(typ) == "error" || holdsError(e.err) {
		return failureInside(f.Data)
	}
	return d.decodeStep(a, typ, &e)
}

// decodeStep feeds one event. Types that aren't known are skipped.
func (d *decoder) decodeStep(a *wire.Assembly, typ []byte, e *event) error {
	switch string(typ) {
	case "response.output_text.delta":
		d.decodeTextDelta(a, e)
	case "response.refusal.delta":
		a.Refused = true
		d.decodeTextDelta(a, e)
	case "response.reasoning_summary_text.delta":
		d.decodeThoughtDelta(a, e, max(e.summary, 0))
	case "response.reasoning_text.delta":
		d.decodeThoughtDelta(a, e, firstContent+max(e.contentIndex, 0))
	case "response.function_call_arguments.delta":
		d.decodeArgumentsDelta(a, e, callItem)
	case "response.custom_tool_call_input.delta":
		d.decodeArgumentsDelta(a, e, customItem)
	case "response.output_item.added":
		d.openItem(a, e)
	case "response.output_item.done":
		in := d.readItem(e.item)
		d.decodeItem(a, d.itemKey(e, in.id), &in)
	case "response.created", "response.queued", "response.in_progress":
		r := d.readInnerResponse(e)
		keepFirst(&a.ID, r.id)
		keepFirst(&a.Model, r.model)
	case "response.completed", "response.incomplete", "response.failed":
		r := d.readInnerResponse(e)
		keepFirst(&r.status, string(typ[len("response."):]))
		a.Stop()
		return d.decodeResponse(a, &r)
	}
	return nil
}

func (d *decoder) readInnerResponse(e *event) response {
	if isNull(e.response) {
		return response{}
	}
	d.sub.Reset(e.response)
	return readResponse(&d.sub)
}

// itemKey returns what an event says about its item; id is raw.
func (d *decoder) itemKey(e *event, id []byte) itemKey {
	const most = 1 << 30
	index := min(max(e.outputIndex, -1), most)
	return itemKey{index: int(index), hasIndex: e.hasIndex, id: wire.Unquote(&d.id, id)}
}

// findTarget returns the item that a delta belongs to; nil if that is of another kind.
func (d *decoder) findTarget(a *wire.Assembly, e *event, kind uint8) *openedItem {
	key := d.itemKey(e, e.itemID)
	it := itemsOf(a).findItem(key)
	switch {
	case it == nil: // its beginning was never told
		return itemsOf(a).openItem(a, key, kind)
	case it.kind != kind:
		return nil
	}
	return it
}

// openItem opens an item. What it holds already comes again.
func (d *decoder) openItem(a *wire.Assembly, e *event) {
	in := d.readItem(e.item)
	if in.kind == noItem {
		return
	}
	key := d.itemKey(e, in.id)
	it := itemsOf(a).findItem(key)
	if it == nil || it.kind != in.kind || it.done || !it.isNamed(key.id) {
		it = itemsOf(a).openItem(a, key, in.kind)
	}
	if in.kind == callItem || in.kind == customItem {
		d.startCall(a, it, &in)
	}
}

func (d *decoder) decodeTextDelta(a *wire.Assembly, e *event) {
	it := d.findTarget(a, e, messageItem)
	if b := d.unquoteText(e.delta); it != nil && len(b) > 0 {
		a.Text(slotOf(it, e.contentIndex), b)
	}
}

// decodeThoughtDelta feeds a piece of a thought. Where both a summary and the
// content come, the first one counts.
func (d *decoder) decodeThoughtDelta(a *wire.Assembly, e *event, part int64) {
	it := d.findTarget(a, e, reasoningItem)
	b := d.unquoteText(e.delta)
	if it == nil || len(b) == 0 {
		return
	}
	n := int(min(part, 2*firstContent-1))
	if a.Has(it.slot) && n != it.part {
		if (n >= firstContent) != (it.part >= firstContent) {
			return
		}
		a.Think(it.slot, []byte(betweenThoughts))
	}
	it.part = n
	a.Think(it.slot, b)
}

func (d *decoder) decodeArgumentsDelta(a *wire.Assembly, e *event, kind uint8) {
	it := d.findTarget(a, e, kind)
	if b := d.unquoteText(e.delta); it != nil && len(b) > 0 {
		a.Args(it.slot, b)
	}
}
