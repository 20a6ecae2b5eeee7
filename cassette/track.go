package cassette

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/stream"
	"github.com/sabir-go/sabir/internal/terms"
)

// asked is by what a call is found again.
type asked struct {
	Engine string          `json:"engine"`
	Model  string          `json:"model,omitempty"`
	Stream bool            `json:"stream,omitempty"`
	Terms  terms.Terms     `json:"terms,omitzero"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// recording is one line of a cassette.
type recording struct {
	Asked *asked `json:"asked"`
	// Events are a stream's, but for its end: the reply or the error. It has
	// neither if its listener left.
	Events []eventJSON `json:"events,omitempty"`
	Reply  *chat.Reply `json:"reply,omitempty"`
	Error  *errorJSON  `json:"error,omitempty"`
}

// eventJSON is an event's stored form. Call is a message with the call in it,
// which is how a part is stored.
type eventJSON struct {
	Type  string        `json:"type"`
	Index int           `json:"index,omitempty"`
	ID    string        `json:"id,omitempty"`
	Name  string        `json:"name,omitempty"`
	Text  string        `json:"text,omitempty"`
	Call  *chat.Message `json:"call,omitempty"`
}

func storeEvent(ev chat.Event) eventJSON {
	switch ev := ev.(type) {
	case chat.TextDelta:
		return eventJSON{Type: "text", Text: ev.Text}
	case chat.ThinkingDelta:
		return eventJSON{Type: "thinking", Text: ev.Text}
	case chat.ToolCallStart:
		return eventJSON{Type: "call_start", Index: ev.Index, ID: ev.ID, Name: ev.Name}
	case chat.ToolCallDelta:
		return eventJSON{Type: "call_delta", Index: ev.Index, Text: ev.Arguments}
	case chat.ToolCallDone:
		return eventJSON{Type: "call_done", Index: ev.Index, Call: &chat.Message{Parts: []chat.Part{ev.Call}}}
	case chat.Done: // is the reply of the recording
	}
	return eventJSON{}
}

func loadEvent(s eventJSON) (chat.Event, error) {
	switch s.Type {
	case "text":
		return chat.TextDelta{Text: s.Text}, nil
	case "thinking":
		return chat.ThinkingDelta{Text: s.Text}, nil
	case "call_start":
		return chat.ToolCallStart{Index: s.Index, ID: s.ID, Name: s.Name}, nil
	case "call_delta":
		return chat.ToolCallDelta{Index: s.Index, Arguments: s.Text}, nil
	case "call_done":
		if s.Call != nil && len(s.Call.ToolCalls()) == 1 {
			return chat.ToolCallDone{Index: s.Index, Call: s.Call.ToolCalls()[0]}, nil
		}
	}
	return nil, fmt.Errorf("event of unknown type %q", s.Type)
}

// track is a recording as it is played.
type track struct {
	path string
	line int
	used bool
	// name is the request in the form in which it is looked up, doc the same as a
	// tree.
	name string
	doc  any
	data []byte
	asked
}

// String says where the track is and what it is of.
func (t *track) String() string {
	form := "chat"
	if t.Stream {
		form = "stream"
	}
	return fmt.Sprintf("%s:%d: %s %s %s", t.path, t.line, t.Engine, t.Model, form)
}

// read decodes the recording anew each time, so that callers get their own.
func (t *track) read() (*recording, error) {
	var r recording
	if err := json.Unmarshal(t.data, &r); err != nil {
		return nil, fmt.Errorf("cassette: %s: %w", t, err)
	}
	return &r, nil
}

// answer is what a call of Chat got.
func (t *track) answer() (*chat.Reply, error) {
	r, err := t.read()
	switch {
	case err != nil:
		return nil, err
	case r.Error != nil:
		return nil, r.Error.load()
	case r.Reply == nil:
		return nil, fmt.Errorf("cassette: %s: holds no reply", t)
	}
	return r.Reply, nil
}

// replay gives a stream's events and its end.
func (t *track) replay(ctx context.Context, yield func(chat.Event, error) bool) {
	r, err := t.read()
	if err != nil {
		yield(nil, err)
		return
	}
	for _, stored := range r.Events {
		ev, err := loadEvent(stored)
		if err == nil && ctx.Err() != nil {
			err = stream.WaitEnded(ctx, t.Engine, "reading the cassette")
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(ev, nil) {
			return
		}
	}
	yield(t.end(r))
}

func (t *track) end(r *recording) (chat.Event, error) {
	switch {
	case r.Error != nil:
		return nil, r.Error.load()
	case r.Reply != nil:
		return chat.Done{Reply: r.Reply}, nil
	}
	return nil, &chat.Error{
		Kind: chat.ErrTruncated, Engine: t.Engine, Model: t.Model, Status: 200,
		Message: "the recording ends here: its listener had left",
	}
}
