package openairesponses_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// TestSaysBackWhatItReceived: the items of every reply go back as they came,
// but for members that only replies have.
func TestSaysBackWhatItReceived(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/openai/*/reply.json")
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, f := range files {
		name := filepath.Base(filepath.Dir(f))
		body := wiretest.Read(t, "openai", name, "reply.json")
		r, err := wiretest.Reply(codec, []byte(body))
		if err != nil {
			continue
		}
		said++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, _ := tree(t, []byte(body))["output"].([]any)
			for _, it := range want {
				onlyInput(it.(map[string]any))
			}
			if got := input(t, r.Message()); len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("\n got %v\nwant %v", got, want)
			}
		})
	}
	if said < 10 {
		t.Errorf("only %d replies of %d files", said, len(files))
	}
}

// onlyInput takes off what a reply says and a request doesn't.
func onlyInput(item map[string]any) {
	if item["type"] != "message" {
		delete(item, "status")
		return
	}
	for _, c := range item["content"].([]any) {
		delete(c.(map[string]any), "logprobs")
	}
}

// TestThoughtsGoBackByteForByte: the reasoning item in the request is the one
// of the stream.
func TestThoughtsGoBackByteForByte(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"thinking", "thinking-tool-call"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := wiretest.Read(t, "openai", name, "stream.sse")
			_, last, _ := strings.Cut(stream[strings.LastIndex(stream, "\ndata: "):], `"output":[`)
			end := strings.Index(last, `},{`)
			item := last[:end+1]
			if !strings.HasPrefix(item, `{"id":"rs_`) {
				t.Fatalf("not the item: %s", item)
			}
			r, _, err := wiretest.Stream(codec, strings.NewReader(stream))
			if err != nil {
				t.Fatal(err)
			}
			if body := string(encode(t, wire.Call{Messages: []chat.Message{r.Message()}})); !strings.Contains(body, `"input":[`+item+`,`) {
				t.Errorf("no %s in %s", item, body)
			}
		})
	}
}

const (
	thoughtItem  = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAABopaque"}`
	thoughtItem2 = `{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gAAAAAB-2"}`
	label1       = `{"id":"msg_1","status":"completed","phase":"commentary"}`
)

// TestStatelessLoop: nothing is stored, the encrypted thought is asked for and
// goes back before the call that it led to, and no item bears a call's id.
func TestStatelessLoop(t *testing.T) {
	t.Parallel()
	first := decoded(t, reply(thoughtItem,
		`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}","status":"completed"}`))
	body := tree(t, encode(t, wire.Call{
		Model:    "gpt-5",
		Messages: []chat.Message{chat.User("weather in Oslo"), first.Message(), chat.Results(chat.TextResult("call_1", "4 C"))},
		Thinking: wire.Thinking{Effort: "low"},
	}))
	if body["store"] != false || fmt.Sprint(body["include"]) != "[reasoning.encrypted_content]" || body["previous_response_id"] != nil {
		t.Errorf("got %v", body)
	}
	wantInput(t, body["input"].([]any), `[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"weather in Oslo"}]},`+thoughtItem+`,
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}"},
		{"type":"function_call_output","call_id":"call_1","output":"4 C"}]`)
	second := decoded(t, reply(`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"4 degrees","annotations":[]}]}`))
	if second.Text() != "4 degrees" || second.Finish != chat.FinishStop {
		t.Errorf("got %+v", second)
	}
}

// TestThoughtsAndWhatFollowedThem: a thought without the item that it led to is
// refused by the provider, and so is the reverse.
func TestThoughtsAndWhatFollowedThem(t *testing.T) {
	t.Parallel()
	thought, thought2 := chat.Thinking{Signature: signed("reasoning_item", thoughtItem)}, chat.Thinking{Signature: signed("reasoning_item", thoughtItem2)}
	plain := chat.Thinking{Text: "hm"}
	text := chat.Text{Text: "one", Signature: signed("message", label1)}
	const (
		named   = `{"type":"message","id":"msg_1","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"one","annotations":[]}]}`
		unnamed = `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"one"}]}`
		callA   = `{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":"{}"}`
		bareA   = `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`
		callB   = `{"type":"function_call","id":"fc_b","call_id":"b","name":"f","arguments":"{}"}`
		search  = `{"type":"web_search_call","id":"ws_1","status":"completed"}`
	)
	a, b := call("a", "fc_a", "{}"), call("b", "fc_b", "{}")
	for name, tt := range map[string]struct {
		parts []chat.Part
		want  string
	}{
		"in front of a text":         {[]chat.Part{thought, text}, thoughtItem + "," + named},
		"in front of parallel calls": {[]chat.Part{thought, a, b}, thoughtItem + "," + callA + "," + callB},
		"each with its own item":     {[]chat.Part{thought, text, thought2, a}, thoughtItem + "," + named + "," + thoughtItem2 + "," + callA},
		"two at once":                {[]chat.Part{thought, thought2, a}, thoughtItem + "," + thoughtItem2 + "," + callA},
		"nothing follows":            {[]chat.Part{text, thought}, named},
		"an empty text follows":      {[]chat.Part{thought, chat.Text{}}, ""},
		"one that can't go back":     {[]chat.Part{plain, text, a}, unnamed + "," + bareA},
		"until one that can":         {[]chat.Part{plain, text, thought, a}, unnamed + "," + thoughtItem + "," + callA},
		"beside one that can":        {[]chat.Part{thought, plain, a}, thoughtItem + "," + callA},
		"broken token":               {[]chat.Part{chat.Thinking{Signature: signed("reasoning_item", `{"id":`)}, a}, bareA},
		"another wire's token":       {[]chat.Part{chat.Thinking{Text: "x", Signature: signed("signature", "EqQB==")}, a}, bareA},
		"a hosted tool follows": {
			[]chat.Part{thought, chat.Thinking{Signature: signed("item", search)}, thought2, text},
			thoughtItem + "," + search + "," + thoughtItem2 + "," + named,
		},
		"texts of one message": {
			[]chat.Part{text, text, chat.Text{Text: "x"}, chat.Text{Text: "y"}},
			`{"type":"message","id":"msg_1","status":"completed","role":"assistant","phase":"commentary","content":[` +
				`{"type":"output_text","text":"one","annotations":[]},{"type":"output_text","text":"one","annotations":[]}]},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"},{"type":"output_text","text":"y"}]}`,
		},
		"a refusal": {
			[]chat.Part{chat.Text{Text: "no", Signature: signed("refusal", `{"id":"msg_2","status":"incomplete"}`)}},
			`{"type":"message","id":"msg_2","status":"incomplete","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantInput(t, input(t, wiretest.Said(tt.parts...)), "["+tt.want+"]")
		})
	}
}

// TestOtherItemsAreKept: what has no part goes back as it came, and is nothing
// to see in the reply.
func TestOtherItemsAreKept(t *testing.T) {
	t.Parallel()
	const (
		search     = `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"tide \u00e9"}}`
		compaction = `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAA"}`
		message    = `{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"05:52","annotations":[]}]}`
	)
	r := decoded(t, reply(compaction, thoughtItem, search, message))
	if r.Text() != "05:52" || r.Thoughts() != "" || r.Finish != chat.FinishStop || len(r.Parts) != 4 {
		t.Errorf("got %+v", r)
	}
	body := encode(t, wire.Call{Messages: []chat.Message{r.Message()}})
	if want := compaction + "," + thoughtItem + "," + search + ","; !strings.Contains(string(body), want) {
		t.Errorf("got %s", body)
	}
	streamed := collected(t, `{"type":"response.output_item.added","output_index":0,"item":`+compaction+`}`,
		`{"type":"response.web_search_call.searching","output_index":2,"item_id":"ws_1"}`,
		`{"type":"response.output_item.done","output_index":2,"item":`+search+`}`,
		completed(compaction, thoughtItem, search, message))
	if !reflect.DeepEqual(streamed.Parts, r.Parts) {
		t.Errorf("streamed %+v", streamed.Parts)
	}
	if !rawjson.Valid(body) {
		t.Errorf("no JSON: %s", body)
	}
}

// TestAsksForThoughtsWhereTheyWere: a model that thought before, unasked, will
// do so again.
func TestAsksForThoughtsWhereTheyWere(t *testing.T) {
	t.Parallel()
	history := []chat.Message{wiretest.Said(chat.Thinking{Signature: signed("reasoning_item", thoughtItem)}, chat.Text{Text: "x"})}
	for effort, want := range map[string]bool{"": true, "low": true, "none": false} {
		body := tree(t, encode(t, wire.Call{Messages: history, Thinking: wire.Thinking{Effort: effort}}))
		if _, got := body["include"]; got != want {
			t.Errorf("effort %q: include is there: %t", effort, got)
		}
	}
}
