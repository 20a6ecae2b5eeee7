package openairesponses_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// ev is an event: its type after "response.", and its other members.
func ev(typ, members string) string {
	return `{"type":"response.` + typ + `",` + members + `}`
}

func callJSON(id, callID, args string) string {
	return fmt.Sprintf(`{"type":"function_call","id":%q,"call_id":%q,"name":"get_weather","arguments":%q,"status":"completed"}`, id, callID, args)
}

func messageJSON(id, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"status":"completed","role":"assistant","content":[{"type":"output_text","text":%q}]}`, id, text)
}

// summary is a reply in a line: thoughts in brackets, texts, calls.
func summary(r *chat.Reply) string {
	out := make([]string, 0, len(r.Parts))
	for _, p := range r.Parts {
		switch p := p.(type) {
		case chat.Thinking:
			out = append(out, "["+p.Text+"]")
		case chat.Text:
			out = append(out, p.Text)
		case chat.ToolCall:
			out = append(out, fmt.Sprintf("%s=%s(%s)", p.ID, p.Name, p.Arguments))
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
			out = append(out, fmt.Sprintf("%T", p))
		}
	}
	return strings.Join(out, "|")
}

// TestItemIDAndCallID: deltas name the item, the call is known by its call_id;
// interleaved calls stay apart, no event counts twice, unknown ones are skipped.
func TestItemIDAndCallID(t *testing.T) {
	t.Parallel()
	oslo, bergen := `{"city":"Oslo"}`, `{"city":"Bergen"}`
	one, two := callJSON("fc_1", "call_1", oslo), callJSON("fc_2", "call_2", bergen)
	empty := func(id, callID string) string { return callJSON(id, callID, "") }
	frames := []string{
		ev("created", `"sequence_number":0,"response":{"id":"resp_1","status":"in_progress","model":"gpt-5","output":[]}`),
		ev("output_item.added", `"output_index":0,"item":`+empty("fc_1", "call_1")),
		ev("output_item.added", `"output_index":1,"item":`+empty("fc_2", "call_2")),
		ev("function_call_arguments.delta", `"item_id":"fc_2","output_index":1,"delta":"{\"city\":"`),
		ev("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"{\"city\":\"Os"`),
		ev("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"lo\"}"`),
		ev("function_call_arguments.delta", `"item_id":"fc_2","output_index":1,"delta":"\"Bergen\"}"`),
		ev("function_call_arguments.done", fmt.Sprintf(`"item_id":"fc_1","output_index":0,"arguments":%q`, oslo)),
		ev("output_item.done", `"output_index":0,"item":`+one),
		ev("some_future_event", `"note":"clients must skip what they do not know"`),
		ev("function_call_arguments.done", fmt.Sprintf(`"item_id":"fc_2","output_index":1,"arguments":%q`, bergen)),
		ev("output_item.done", `"output_index":1,"item":`+two),
		completed(one, two),
	}
	r, events, err := wiretest.Stream(codec, strings.NewReader(sse(frames...)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := summary(r), "call_1=get_weather("+oslo+")|call_2=get_weather("+bergen+")"; got != want || r.Finish != chat.FinishToolCalls {
		t.Errorf("got %s, %s", got, r.Finish)
	}
	if len(events) != 6 { // two starts, four deltas
		t.Errorf("%d events: %v", len(events), events)
	}
	if r.ID != "resp_1" || r.Model != "gpt-5" {
		t.Errorf("id %q, model %q", r.ID, r.Model)
	}
}

// TestStreamShapes: servers leave out events and members, or change ids.
func TestStreamShapes(t *testing.T) {
	t.Parallel()
	const args, want = `{"city":"Oslo"}`, `c=get_weather({"city":"Oslo"})`
	whole, bare := callJSON("fc", "c", args), callJSON("fc", "c", "")
	delta := func(members string) string {
		return ev("function_call_arguments.delta", members+`"delta":"{\"city\":\"Oslo\"}"`)
	}
	added := func(members, item string) string { return ev("output_item.added", members+`"item":`+item) }
	done := func(members, item string) string { return ev("output_item.done", members+`"item":`+item) }
	text := func(members, s string) string {
		return ev("output_text.delta", members+fmt.Sprintf(`"delta":%q`, s))
	}
	for name, tt := range map[string]struct {
		frames []string
		want   string
	}{
		"no deltas":              {[]string{added(`"output_index":0,`, bare), done(`"output_index":0,`, whole), completed(whole)}, want},
		"nothing but the end":    {[]string{completed(messageJSON("m", "hi"), whole)}, "hi|" + want},
		"no end of the item":     {[]string{added(`"output_index":0,`, bare), delta(`"output_index":0,`), completed(whole)}, want},
		"no beginning":           {[]string{delta(`"output_index":0,`), done(`"output_index":0,`, whole), completed(whole)}, want},
		"an end without output":  {[]string{added(``, bare), delta(``), done(``, whole), ev("completed", `"response":{"id":"r"}`)}, want},
		"an end without a body":  {[]string{added(``, bare), delta(``), `{"type":"response.completed"}`}, want},
		"ids, no index":          {[]string{added(``, messageJSON("m", "")), added(``, bare), text(`"item_id":"m",`, "hi"), delta(`"item_id":"fc",`), completed(messageJSON("m", "hi"), whole)}, "hi|" + want},
		"neither ids nor index":  {[]string{added(``, callJSON("", "c", "")), delta(``), completed(callJSON("", "c", args))}, want},
		"ids that change":        {[]string{added(`"output_index":0,`, bare), delta(`"output_index":0,"item_id":"x1",`), done(`"output_index":0,`, callJSON("x2", "c", args)), completed(callJSON("x3", "c", args))}, want},
		"index 0 for all":        {[]string{added(`"output_index":0,`, bare), added(`"output_index":0,`, callJSON("fd", "d", "")), delta(`"output_index":0,"item_id":"fc",`), delta(`"output_index":0,"item_id":"fd",`), completed(whole, callJSON("fd", "d", args))}, want + "|" + strings.Replace(want, "c=", "d=", 1)},
		"index 0, no ids":        {[]string{added(`"output_index":0,`, callJSON("", "c", "")), delta(`"output_index":0,`), done(`"output_index":0,`, callJSON("", "c", args)), added(`"output_index":0,`, callJSON("", "d", "")), delta(`"output_index":0,`), ev("completed", `"response":{}`)}, want + "|" + strings.Replace(want, "c=", "d=", 1)},
		"order of the index":     {[]string{done(`"output_index":1,`, whole), done(`"output_index":0,`, messageJSON("m", "hi")), completed()}, "hi|" + want},
		"arguments as an object": {[]string{done(``, `{"type":"function_call","id":"fc","call_id":"c","name":"get_weather","arguments":{"city":"Oslo"}}`), completed()}, want},
		"arguments cut in between": {
			[]string{added(``, bare), ev("function_call_arguments.delta", `"delta":"{\"city\""`), completed(whole)}, want,
		},
		"deltas that the end doesn't repeat": {
			[]string{added(``, bare), delta(``), completed(callJSON("fc", "c", `{ "city": "Oslo" }`))}, want,
		},
		"text in several parts": {
			[]string{text(`"content_index":0,`, "a"), text(`"content_index":1,`, "b"), text(`"content_index":0,`, "c"), completed()}, "ac|b",
		},
		"delta for an item of another kind": {[]string{done(`"output_index":0,`, whole), text(`"output_index":0,`, "x"), completed(whole)}, want},
		"an item without a type":            {[]string{added(``, `{}`), done(``, `{}`), done(``, `7`), completed(`null`, `{}`, whole)}, want},
		"an end mark of another wire":       {[]string{"[DONE]", completed(whole)}, want},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(collected(t, tt.frames...)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestThoughts: a thought is one part, whichever way it comes.
func TestThoughts(t *testing.T) {
	t.Parallel()
	item := func(summary, content string) string {
		return `{"type":"reasoning","id":"rs","summary":[` + summary + `],"content":[` + content + `]}`
	}
	const s1, s2 = `{"type":"summary_text","text":"one"}`, `{"type":"summary_text","text":"two"}`
	const c1 = `{"type":"reasoning_text","text":"deep"}`
	sum := func(i int, s string) string {
		return ev("reasoning_summary_text.delta", fmt.Sprintf(`"item_id":"rs","output_index":0,"summary_index":%d,"delta":%q`, i, s))
	}
	content := func(s string) string {
		return ev("reasoning_text.delta", fmt.Sprintf(`"item_id":"rs","output_index":0,"content_index":0,"delta":%q`, s))
	}
	for name, tt := range map[string]struct {
		item   string
		frames []string
		want   string
	}{
		"summary":           {item(s1, ""), []string{sum(0, "o"), sum(0, "ne")}, "[one]"},
		"summary in parts":  {item(s1+","+s2, ""), []string{sum(0, "one"), sum(1, "tw"), sum(1, ""), sum(1, "o")}, "[one\n\ntwo]"},
		"part without text": {item(`{"type":"summary_text","text":""},`+s2, ""), []string{sum(0, ""), sum(1, "two")}, "[two]"},
		"open thought":      {item("", c1), []string{content("de"), content("ep")}, "[deep]"},
		"both, the summary": {item(s1, c1), []string{sum(0, "one"), content("deep")}, "[one]"},
		"no deltas":         {item(s1, ""), nil, "[one]"},
		"nothing to read":   {item("", ""), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(decoded(t, reply(tt.item))); got != tt.want {
				t.Errorf("reply: got %s, want %s", got, tt.want)
			}
			if got := summary(collected(t, append(tt.frames, completed(tt.item))...)); got != tt.want {
				t.Errorf("stream: got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestFinish says why a response ended.
func TestFinish(t *testing.T) {
	t.Parallel()
	const text, refusal = `{"type":"output_text","text":"x"}`, `{"type":"refusal","refusal":"no"}`
	for name, tt := range map[string]struct {
		status, reason, items string
		want                  chat.FinishReason
		raw                   string
	}{
		"stop":         {"completed", "", message(text), chat.FinishStop, "completed"},
		"call":         {"completed", "", message(text) + "," + callJSON("fc", "c", "{}"), chat.FinishToolCalls, "completed"},
		"custom call":  {"completed", "", `{"type":"custom_tool_call","call_id":"c","name":"log","input":"x"}`, chat.FinishToolCalls, "completed"},
		"refusal":      {"completed", "", message(text + "," + refusal), chat.FinishFiltered, "completed"},
		"length":       {"incomplete", "max_output_tokens", message(text), chat.FinishLength, "max_output_tokens"},
		"cut call":     {"incomplete", "max_output_tokens", callJSON("fc", "c", `{"a`), chat.FinishLength, "max_output_tokens"},
		"filter":       {"incomplete", "content_filter", "", chat.FinishFiltered, "content_filter"},
		"steered":      {"incomplete", "steered", message(text), chat.FinishPaused, "steered"},
		"new reason":   {"incomplete", "out_of_luck", message(text), chat.FinishOther, "out_of_luck"},
		"no reason":    {"incomplete", "", message(text), chat.FinishOther, "incomplete"},
		"cancelled":    {"cancelled", "", "", chat.FinishOther, "cancelled"},
		"new status":   {"resting", "", message(text), chat.FinishOther, "resting"},
		"no status":    {"", "", message(text), chat.FinishStop, "completed"},
		"hosted tools": {"completed", "", `{"type":"web_search_call","id":"ws"},` + message(text), chat.FinishStop, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"status":"` + tt.status + `","incomplete_details":{"reason":"` + tt.reason + `"},"output":[` + tt.items + `]}`
			event := "completed"
			if tt.status == "incomplete" {
				event = "incomplete"
			}
			for how, r := range map[string]*chat.Reply{
				"reply": decoded(t, body), "stream": collected(t, ev(event, `"response":`+body)),
			} {
				if r.Finish != tt.want || r.RawFinish != tt.raw {
					t.Errorf("%s: %q, %q", how, r.Finish, r.RawFinish)
				}
			}
		})
	}
}

func message(content string) string { return `{"type":"message","content":[` + content + `]}` }

// TestStreamEnds: a stream that ends before its terminal event is an error with
// what was read, wherever it is cut.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"text", "thinking-tool-call", "tool-calls-parallel", "incomplete-max-tokens", "refusal"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, "openai", name, "stream.sse")
			frames := strings.SplitAfter(strings.TrimSpace(body), "\n\n")
			for n := 1; n < len(frames); n++ {
				_, _, err := wiretest.Stream(codec, strings.NewReader(strings.Join(frames[:n], "")))
				if e, ok := errors.AsType[*chat.Error](err); !ok || !errors.Is(err, chat.ErrTruncated) || e.Reply == nil {
					t.Fatalf("after %d of %d events: %v", n, len(frames), err)
				}
			}
			_, _, err := wiretest.Stream(codec, strings.NewReader(body[:len(body)-40]))
			if !errors.Is(err, chat.ErrTruncated) {
				t.Errorf("cut in the last event: %v", err)
			}
		})
	}
}

// TestReadsNoFurther: after the terminal event the stream need not end.
func TestReadsNoFurther(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	if _, err := wire.ReadEvent(codec, a, frame.Frame{Data: []byte(completed(messageJSON("m", "hi")))}); err != nil || !a.Stopped() {
		t.Errorf("stopped %t, %v", a.Stopped(), err)
	}
}

// TestLimits: a server that never stops is stopped.
func TestLimits(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{Arguments: 8})
	f := frame.Frame{Data: []byte(ev("function_call_arguments.delta", `"output_index":0,"delta":"12345"`))}
	_, first := wire.ReadEvent(codec, a, f)
	events, second := wire.ReadEvent(codec, a, f)
	if first != nil || !errors.Is(second, chat.ErrBadReply) || len(events) > 0 {
		t.Errorf("%v, %v, %v", first, second, events)
	}
	items := strings.Repeat(`{"type":"reasoning"},`, 20_000)
	if _, err := wiretest.Reply(codec, []byte(reply(strings.TrimSuffix(items, ",")))); !errors.Is(err, chat.ErrBadReply) {
		t.Errorf("20,000 items: %v", err)
	}
}

// TestMembersInAnyOrder: some servers write members in the order of the
// alphabet, so that the type comes last.
func TestMembersInAnyOrder(t *testing.T) {
	t.Parallel()
	var want *chat.Reply
	for _, sorted := range []bool{false, true} {
		var frames []string
		for line := range strings.Lines(wiretest.Read(t, "openai", "thinking-tool-call", "stream.sse")) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if ok && sorted {
				b, err := json.Marshal(tree(t, []byte(data)))
				if err != nil {
					t.Fatal(err)
				}
				data = string(b)
			}
			if ok {
				frames = append(frames, data)
			}
		}
		got := collected(t, frames...)
		if !sorted {
			want = got
		} else if summary(got) != summary(want) || !reflect.DeepEqual(got.Usage, want.Usage) || got.RawFinish != want.RawFinish {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
