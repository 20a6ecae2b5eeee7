package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// reading is what a client made of an answer.
type reading struct {
	text     string
	thoughts string
	// deltas is the text of a stream as it came, where the reply at its end has
	// the whole text again.
	deltas string
	calls  []call
	finish string // the provider's own word
	usage  chat.Usage

	err    error
	status int // of the error, where the client tells
}

type call struct{ id, name, args string }

// read makes one call through a client of a provider, whole or streamed.
type read func(ctx context.Context, p place, stream bool) reading

// place is where a provider is.
type place struct {
	url   string
	http  *http.Client
	model string
	ask   ask
}

// ask is what is asked for, beside a plain question.
type ask struct {
	tools  bool // offer get_weather
	forced bool // and force it
	schema bool // want a document
	// thoughts: show them, where that has to be asked for.
	thoughts bool
}

// sabirs reads through an engine.
func sabirs(build func(engine.Config) engine.Engine) read {
	return func(ctx context.Context, p place, stream bool) reading {
		eng := build(engine.Config{APIKey: "k", BaseURL: p.url, HTTPClient: p.http, MaxAttempts: 1})
		req := &chat.Request{Model: p.model, Messages: chat.Prompt(question)}
		if !stream {
			return sabirRead(eng.Chat(ctx, req))
		}
		var reply *chat.Reply
		for ev, err := range eng.Stream(ctx, req) {
			if err != nil {
				return sabirRead(nil, err)
			}
			if done, ok := ev.(chat.Done); ok {
				reply = done.Reply
			}
		}
		return sabirRead(reply, nil)
	}
}

func sabirRead(r *chat.Reply, err error) reading {
	got := reading{err: err}
	if e, ok := errors.AsType[*chat.Error](err); ok {
		got.status, r = e.Status, e.Reply
	}
	if r == nil {
		return got
	}
	got.text, got.thoughts, got.finish, got.usage = r.Text(), r.Thoughts(), r.RawFinish, r.Usage
	for _, c := range r.ToolCalls() {
		got.calls = append(got.calls, call{c.ID, c.Name, string(c.Arguments)})
	}
	return got
}

// differences names what two readings don't agree on, with both sides. Beside
// an error of sabir's, what it had read by then is compared.
func differences(sabir, official reading) map[string]string {
	diff := map[string]string{}
	note := func(what string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			diff[what] = fmt.Sprintf("sabir %q, official %q", fmt.Sprint(a), fmt.Sprint(b))
		}
	}
	switch {
	case sabir.err == nil && official.err != nil:
		diff["error"] = fmt.Sprintf("sabir none, official %v", official.err)
		return diff
	case sabir.err != nil && official.err == nil:
		diff["error"] = fmt.Sprintf("sabir %v, official none", sabir.err)
	case sabir.err != nil && official.status != 0:
		note("status", sabir.status, official.status)
		return diff
	case sabir.err != nil:
		return diff
	}
	note("text", sabir.text, official.text)
	if official.deltas != "" {
		note("deltas", sabir.text, official.deltas)
	}
	note("thoughts", sabir.thoughts, official.thoughts)
	note("calls", spelled(sabir.calls, official.calls), spelled(official.calls, official.calls))
	note("finish", sabir.finish, official.finish)
	note("usage", sabir.usage, official.usage)
	return diff
}

// spelled prints calls with their arguments in one form. An id is left out
// where the official client has none: sabir makes one up.
func spelled(calls, official []call) string {
	var b strings.Builder
	for i, c := range calls {
		if i >= len(official) || official[i].id == "" {
			c.id = "-"
		}
		fmt.Fprintf(&b, "%s %s %s\n", c.id, c.name, plainJSON(c.args))
	}
	return b.String()
}

// plainJSON sorts the members and keeps numbers as they are. No arguments at
// all mean none.
func plainJSON(text string) string {
	if text == "" || text == "null" {
		return "{}"
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return text
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return text
	}
	return strings.TrimSpace(b.String())
}

// encoded is v as JSON; what has none is said in words.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

const question = "What's the weather in Ghent?"
