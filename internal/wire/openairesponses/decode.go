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
	defer d.release()
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
