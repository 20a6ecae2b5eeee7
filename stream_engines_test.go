package sabir_test

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/schema"
)

// finding is one of several alternatives.
type finding struct {
	schema.OneOf
	Castle  *castle   `json:"castle,omitempty" jsonschema:"a castle was found"`
	Several *[]castle `json:"several,omitempty"`
	Nothing *string   `json:"nothing,omitempty" jsonschema:"why there is none"`
}

// hall contains itself.
type hall struct {
	Name  string `json:"name"`
	Halls []hall `json:"halls,omitempty"`
}

// watch collects a stream and holds it to its contract.
func watch[T any](t *testing.T, stream iter.Seq2[sabir.Partial[T], error]) ([]sabir.Partial[T], error) {
	t.Helper()
	var seen []sabir.Partial[T]
	var failed error
	for p, err := range stream {
		switch {
		case failed != nil:
			t.Errorf("%+v, %v after the error", p, err)
		case len(seen) > 0 && seen[len(seen)-1].Reply != nil:
			t.Errorf("%+v, %v after the end", p, err)
		case err != nil:
			failed = err
			if !reflect.ValueOf(p).IsZero() {
				t.Errorf("%+v beside %v", p, err)
			}
			continue
		}
		if len(seen) > 0 {
			follows(t, seen[len(seen)-1], p)
		}
		seen = append(seen, p)
	}
	if failed == nil && (len(seen) == 0 || seen[len(seen)-1].Reply == nil) {
		t.Error("neither an error nor a reply at the end")
	}
	return seen, failed
}

func follows[T any](t *testing.T, a, b sabir.Partial[T]) {
	t.Helper()
	if b.Round == a.Round && !starts(reflect.ValueOf(a.Value), reflect.ValueOf(b.Value)) || b.Round < a.Round || b.Round > a.Round+1 {
		t.Errorf("%+v doesn't grow into %+v", a, b)
	}
	if b.Reply == nil && reflect.DeepEqual(a, b) {
		t.Errorf("%+v comes twice", b)
	}
}

// starts reports whether a is the beginning of b.
func starts(a, b reflect.Value) bool {
	if a.IsZero() {
		return true
	}
	switch a.Kind() { //nolint:exhaustive // the rest are whole or zero
	case reflect.String:
		return a.String() == b.String() || a.Type() == reflect.TypeFor[string]() && strings.HasPrefix(b.String(), a.String())
	case reflect.Slice:
		for i := range a.Len() {
			if i >= b.Len() || i < a.Len()-1 && !reflect.DeepEqual(a.Index(i).Interface(), b.Index(i).Interface()) || !starts(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() || !starts(a.MapIndex(k), b.MapIndex(k)) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Interface:
		return !b.IsZero() && starts(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() {
			break
		}
		for i := range a.NumField() {
			if !starts(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// TestStreamObjectOnEveryEngine: the last value is the one that Generate gives.
func TestStreamObjectOnEveryEngine(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			sameAsGenerate[castle](t, entry)
			sameAsGenerate[[]castle](t, entry)
			sameAsGenerate[stone](t, entry)
			sameAsGenerate[int](t, entry)
			sameAsGenerate[string](t, entry)
			sameAsGenerate[finding](t, entry)
			sameAsGenerate[[]finding](t, entry)
			sameAsGenerate[struct {
				Found finding `json:"found"`
				Mood  string  `json:"mood" enum:"good,bad"`
				Floor int     `json:"floor" enum:"1,2"`
			}](t, entry)
			sameAsGenerate[hall](t, entry)
		})
	}
}

func sameAsGenerate[T any](t *testing.T, entry engine.Entry) {
	t.Helper()
	slowly := sim.Breaks(sim.Fault{OneByteDeltas: true})
	req := &chat.Request{Messages: chat.Prompt("Which castle stands in Ghent?"), MaxTokens: 4096}
	client, server := onSim(entry, slowly)
	seen, err := watch(t, sabir.StreamObject[T](t.Context(), client, req))
	if formless[entry.Profile.Name] {
		if n := len(server.Requests()); n > 0 || !errors.Is(err, chat.ErrUnsupported) || len(seen) > 0 {
			t.Errorf("after %d requests: %+v, %v", n, seen, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%T: %v", *new(T), err)
		return
	}
	twin, _ := onSim(entry, slowly)
	want, reply, err := sabir.Generate[T](t.Context(), twin, req)
	if err != nil {
		t.Errorf("%T: Generate: %v", want, err)
		return
	}
	last := seen[len(seen)-1]
	if !reflect.DeepEqual(last.Value, want) || last.Round != 0 {
		t.Errorf("%+v, want %+v", last, want)
	}
	if string(last.Reply.Output) != string(reply.Output) || last.Reply.Usage != reply.Usage || last.Reply.Text() != reply.Text() {
		t.Errorf("%T: reply %+v, want %+v", want, last.Reply, reply)
	}
	// Groq sends a call's arguments at once, and a forced call is its way to a form.
	if _, text := any(want).(string); text && len(seen) < 3 && entry.Profile.Name != "groq" {
		t.Errorf("%d partial values of %v", len(seen), want)
	}
}

// TestChattyOnEveryEngine: a fenced answer, and one in prose, is read whichever
// way the schema went.
func TestChattyOnEveryEngine(t *testing.T) {
	t.Parallel()
	want := castle{Name: "Gravensteen", Year: 1180}
	for _, entry := range engine.Catalog() {
		if formless[entry.Profile.Name] {
			continue
		}
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			req := &chat.Request{Messages: chat.Prompt("Which castle stands in Ghent?"), MaxTokens: 4096}
			for _, text := range []string{"Sure! Here it is:\n```json\n" + good + "\n```\nAnything else?", "It is " + good + ", I think."} {
				client, _ := onSim(entry, sim.Says(text), sim.Says(text))
				got, _, err := sabir.Generate[castle](t.Context(), client, req)
				if err != nil || got != want {
					t.Errorf("%q: %+v, %v", text, got, err)
				}
				seen, err := watch(t, sabir.StreamObject[castle](t.Context(), client, req))
				if err != nil || seen[len(seen)-1].Value != want || seen[len(seen)-1].Round != 0 {
					t.Errorf("%q: %+v, %v", text, seen, err)
				}
			}
		})
	}
}

// TestStreamObjectStrict: where strict mode wants null for what is absent, the
// stream is the beginning of what comes out.
func TestStreamObjectStrict(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		if entry.Profile.Name != "openai" {
			continue
		}
		client, _ := onSim(entry, sim.Says(`{"answer": [{"castle": {"name": "Gravensteen", "note": null, "year": 1180}}, {"nothing": "more"}]}`))
		seen, err := watch(t, sabir.StreamObject[[]finding](t.Context(), client, &chat.Request{Messages: chat.Prompt("Which?")}))
		if err != nil || len(seen) < 3 {
			t.Fatalf("%+v, %v", seen, err)
		}
		last := seen[len(seen)-1]
		if last.Round != 0 || len(last.Value) != 2 || last.Value[0].Castle.Year != 1180 || *last.Value[1].Nothing != "more" {
			t.Errorf("%+v", last)
		}
		if strings.Contains(string(last.Reply.Output), "null") {
			t.Errorf("%s", last.Reply.Output)
		}
	}
}

// TestUnionAsToolInput: every engine that can be made to call a tool calls one
// that takes a union.
func TestUnionAsToolInput(t *testing.T) {
	t.Parallel()
	var took *finding
	note := tools.New("note_finding", "Notes what was found.", func(_ context.Context, in finding) (string, error) {
		took = &in
		return "noted", nil
	})
	if err := note.Err(); err != nil {
		t.Fatal(err)
	}
	for _, entry := range engine.Catalog() {
		client, _ := onSim(entry)
		reply, err := client.Chat(t.Context(), &chat.Request{
			Messages: chat.Prompt("Which castle stands in Ghent?"), MaxTokens: 4096,
			Tools: []chat.ToolDef{note.Def}, ToolChoice: toolchoice.Tool("note_finding"), Adapt: chat.Adapt{ThinkingOff: true},
		})
		if err != nil {
			t.Errorf("%s: %v", entry.Profile.Name, err)
			continue
		}
		took = nil
		results, err := tools.NewSet(note).Run(t.Context(), reply.ToolCalls())
		if err != nil || len(results) != 1 || results[0].IsError || took == nil ||
			took.Castle == nil && took.Several == nil && took.Nothing == nil {
			t.Errorf("%s: %s: %+v, %v", entry.Profile.Name, reply.ToolCalls()[0].Arguments, results, err)
		}
	}
}
