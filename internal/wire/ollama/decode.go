package ollama

import (
	"net/http"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeReply reads a whole reply.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	d := takeDecoder(body)
	defer d.release(len(body))
	l, err := d.decodeLine(a, body)
	switch {
	case err != nil:
		return err
	case l.failed:
		return failures.Inside(body)
	case !l.message && !l.done:
		return failure.BadReply("no message", nil)
	case l.going: // the first line of a stream that nobody asked for
		return &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Message: "the reply is not done"}
	}
	a.End()
	return nil
}

// decodeLine reads a reply, or one line of a stream, into the assembly.
// Source: api/types.go, ChatResponse, read 2026-11-30.
func (d *decoder) decodeLine(a *wire.Assembly, body []byte) (line, error) {
	var l line
	s := &d.s
	if s.Kind() != rawjson.Object {
		return l, failure.Unreadable(body, nil)
	}
	for key := range s.Members() {
		switch string(key) {
		case "model":
			if b := readText(s); a.Model == "" {
				a.Model = string(b)
			}
		case "message":
			l.message = s.Kind() == rawjson.Object
			d.decodeMessage(a)
		case "done":
			l.done = s.Kind() == rawjson.Bool && s.Bool()
			l.going = !l.done
		case "done_reason":
			l.reason = string(readText(s))
		case "prompt_eval_count":
			readCount(&a.Usage.Input, s)
		case "eval_count":
			readCount(&a.Usage.Output, s)
		case "load_duration":
			a.Timing.Load = time.Duration(s.Int())
		case "prompt_eval_duration":
			a.Timing.Prompt = time.Duration(s.Int())
		case "eval_duration":
			a.Timing.Generation = time.Duration(s.Int())
		case "error":
			l.failed = s.Kind() != rawjson.Null
		}
	}
	if err := s.End(); err != nil {
		return l, failure.Unreadable(body, err)
	}
	if l.done && !l.failed {
		a.Finish(finishOf(l.reason), l.reason)
	}
	return l, nil
}

func (d *decoder) decodeMessage(a *wire.Assembly) {
	s := &d.s
	for key := range s.Members() {
		switch string(key) {
		case "content":
			if b := readText(s); len(b) > 0 {
				a.Text(wire.TextSlot, b)
			}
		case "thinking":
			if b := readText(s); len(b) > 0 {
				a.Think(wire.ThoughtSlot, b)
			}
		case "tool_calls":
			d.decodeCalls(a)
		}
	}
}

// decodeCalls reads calls, each of which comes whole. Their index is the one within
// their line on some servers, within the reply on others; it says nothing.
func (d *decoder) decodeCalls(a *wire.Assembly) {
	s := &d.s
	for range s.Elems() {
		c := readCall(s)
		if s.Err() != nil {
			return
		}
		// Without white space, so that both forms of a reply say the same.
		d.buf = rawjson.AppendCompact(d.buf[:0], wire.Unquote(&d.arg, c.arguments))
		id, name := wire.Unquote(&d.id, c.id), wire.Unquote(&d.name, c.name)
		if a.Heard(string(id), string(name), string(d.buf)) {
			continue
		}
		slot := a.CallSlot(wire.CallKey{Index: a.Calls(), HasIndex: true, ID: id, Name: name})
		a.Args(slot, d.buf)
	}
}

// finishOf is the canonical finish. A reply that is done and gives no reason is
// one of a server from before there were reasons. load and unload answer a
// request without messages; nothing was generated.
// Source: llm/server.go, DoneReason; server/routes.go; read 2026-11-30.
func finishOf(reason string) chat.FinishReason {
	switch reason {
	case "stop", "":
		return chat.FinishStop
	case "length":
		return chat.FinishLength
	}
	return chat.FinishOther
}

// readCount takes a count that says something.
func readCount(to *int, s *rawjson.Scanner) {
	const most = 1 << 40
	if n := s.Int(); n > 0 {
		*to = int(min(n, most))
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
