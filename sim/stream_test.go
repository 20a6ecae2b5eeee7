package sim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

type event struct{ name, data string }

// events parses a stream strictly: nothing but comments, event and data lines
// with one space, each event closed by an empty line.
func events(t *testing.T, stream, eol string) []event {
	t.Helper()
	if eol == "\n" && strings.Contains(stream, "\r") {
		t.Error("a stray CR")
	}
	frames := strings.Split(stream, eol+eol)
	if last := frames[len(frames)-1]; last != "" {
		t.Errorf("the stream ends in the middle of an event: %q", last)
	}
	var out []event
	for _, f := range frames[:len(frames)-1] {
		var e event
		for line := range strings.SplitSeq(f, eol) {
			switch name, value, _ := strings.Cut(line, ": "); name {
			case "":
				// a comment
			case "event":
				e.name = value
			case "data":
				e.data = value
			default:
				t.Errorf("unexpected line %q", line)
			}
		}
		if e.data != "" {
			out = append(out, e)
		}
	}
	return out
}

// said is what a reply says, whichever way it came.
type said struct {
	text, thought, finish string
	calls                 []string
	usage                 string
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// collect puts the deltas of Chat Completions together.
func collect(t *testing.T, evs []event, done bool) said {
	t.Helper()
	if last := evs[len(evs)-1].data; (last == "[DONE]") != done {
		t.Errorf("last event %q", last)
	}
	var out said
	args := map[float64]string{}
	for i, e := range evs {
		if e.name != "" {
			t.Errorf("event name %q", e.name)
		}
		if e.data == "[DONE]" {
			continue
		}
		if kind := dig(t, e.data, "object"); kind != "chat.completion.chunk" {
			t.Errorf("object %v", kind)
		}
		if u := dig(t, e.data, "usage"); u != nil {
			out.usage = fmt.Sprint(dig(t, e.data, "usage", "prompt_tokens"), dig(t, e.data, "usage", "completion_tokens"))
		}
		choices, _ := dig(t, e.data, "choices").([]any)
		if len(choices) == 0 {
			continue
		}
		delta, _ := dig(t, e.data, "choices", 0, "delta").(map[string]any)
		if i == 0 && delta["role"] != "assistant" {
			t.Errorf("the first chunk lacks the role: %s", e.data)
		}
		out.addContent(delta["content"])
		out.thought += str(delta["reasoning_content"]) + str(delta["reasoning"])
		if list, ok := delta["tool_calls"].([]any); ok {
			for _, c := range list {
				addCall(args, c.(map[string]any), &out)
			}
		}
		if f := str(dig(t, e.data, "choices", 0, "finish_reason")); f != "" {
			out.finish = f
		}
	}
	for i := range out.calls {
		out.calls[i] += " " + args[float64(i)]
	}
	return out
}

func addCall(args map[float64]string, c map[string]any, out *said) {
	i, _ := c["index"].(float64)
	f, _ := c["function"].(map[string]any)
	if id := str(c["id"]); id != "" {
		out.calls = append(out.calls, id+" "+str(f["name"]))
	}
	args[i] += str(f["arguments"])
}

// addContent adds a content, which Mistral spells as parts while it thinks.
func (s *said) addContent(content any) {
	parts, ok := content.([]any)
	if !ok {
		s.text += str(content)
		return
	}
	for _, p := range parts {
		m, _ := p.(map[string]any)
		s.text += str(m["text"])
		if inner, ok := m["thinking"].([]any); ok {
			s.thought += str(inner[0].(map[string]any)["text"])
		}
	}
}

// whole reads an unstreamed Chat Completions reply.
func whole(t *testing.T, doc string) said {
	t.Helper()
	msg, _ := dig(t, doc, "choices", 0, "message").(map[string]any)
	out := said{
		thought: str(msg["reasoning_content"]) + str(msg["reasoning"]),
		finish:  str(dig(t, doc, "choices", 0, "finish_reason")),
		usage:   fmt.Sprint(dig(t, doc, "usage", "prompt_tokens"), dig(t, doc, "usage", "completion_tokens")),
	}
	out.addContent(msg["content"])
	if list, ok := msg["tool_calls"].([]any); ok {
		for _, c := range list {
			m := c.(map[string]any)
			f := m["function"].(map[string]any)
			out.calls = append(out.calls, str(m["id"])+" "+str(f["name"])+" "+str(f["arguments"]))
		}
	}
	return out
}

var twoCalls = sim.Turn{Calls: []sim.ToolCall{
	{Name: "get_weather", Arguments: json.RawMessage(`{"city":"Sint-Niklaas – été"}`)},
	{Name: "list_berths"},
	{ID: "given_id", Name: "get_weather", Arguments: json.RawMessage(`{"city":"Ghent","n":90071992547409931}`)},
}}

// TestChatStreamEqualsReply: the same request says the same, streamed or not,
// on every provider, whatever the script and the way the deltas are cut.
func TestChatStreamEqualsReply(t *testing.T) {
	t.Parallel()
	scripts := map[string][]sim.Turn{
		"default": nil,
		"text":    {sim.Says("Kittiwake can lie on C7 tonight — déjà vu; the lock opens at 06:40.")},
		"thought": {sim.Thinks("A thought with <tags> & more.", sim.Says("And so."))},
		"calls":   {twoCalls},
		"bytes":   {twoCalls.With(sim.Fault{OneByteDeltas: true})},
		"mixed":   {twoCalls.With(sim.Fault{Interleave: true})},
		"whole":   {twoCalls.With(sim.Fault{WholeCalls: true})},
		"empty":   {{Text: " ", Finish: "length"}},
		"cut":     {{Calls: []sim.ToolCall{{Name: "f", Arguments: json.RawMessage(`{"a":`)}}, Finish: "length"}},
		"usage":   {{Text: "x", Usage: sim.Usage{Input: 100, Cached: 60, CacheWrite: 10, Output: 50, Reasoning: 20}}},
	}
	providers := []string{"openai", "groq", "mistral", "deepseek", "perplexity", "elsewhere"}
	for name, script := range scripts {
		for _, provider := range providers {
			t.Run(provider+"/"+name, func(t *testing.T) {
				t.Parallel()
				req := simple(provider, chatTools)
				if provider == "perplexity" {
					req = simple(provider)
				}
				include := `"stream":true,"stream_options":{"include_usage":true}`
				eol := "\n"
				switch provider {
				case "mistral":
					include = `"stream":true`
				case "perplexity":
					eol = "\r\n"
				}
				unary := whole(t, ok(t, sim.New(sim.Options{Turns: script}), provider, req))
				streamed := collect(t, events(t, ok(t, sim.New(sim.Options{Turns: script}), provider, with(req, include)), eol),
					provider != "perplexity")
				if !reflect.DeepEqual(unary, streamed) {
					t.Errorf("unary %+v\nstream %+v", unary, streamed)
				}
			})
		}
	}
}

// TestMessagesStreamEqualsReply does the same for Messages, whose events also
// have an order to keep.
func TestMessagesStreamEqualsReply(t *testing.T) {
	t.Parallel()
	scripts := map[string][]sim.Turn{
		"default": nil,
		"text":    {sim.Says("Kittiwake can lie on C7 — déjà vu.")},
		"thought": {sim.Thinks("A thought.", twoCalls)},
		"no args": {sim.Calls("list_berths", nil)},
		"mixed":   {sim.Thinks("A thought.", twoCalls).With(sim.Fault{Interleave: true})},
		"bytes":   {twoCalls.With(sim.Fault{OneByteDeltas: true})},
		"length":  {{Text: "cut", Finish: "length"}},
		"refusal": {{Text: "no", Finish: "refusal"}},
		"usage":   {{Text: "x", Usage: sim.Usage{Input: 100, Cached: 60, CacheWrite: 10, Output: 50, Reasoning: 20}}},
	}
	for name, script := range scripts {
		for _, m := range []string{"claude-sonnet-4-6", "claude-sonnet-5-5"} {
			t.Run(name+"/"+m, func(t *testing.T) {
				t.Parallel()
				req := claudeBody(m, claudeTools, `"thinking":{"type":"adaptive"}`)
				var unary map[string]any
				if err := json.Unmarshal([]byte(ok(t, sim.New(sim.Options{Turns: script}), "anthropic", req)), &unary); err != nil {
					t.Fatal(err)
				}
				evs := events(t, ok(t, sim.New(sim.Options{Turns: script}), "anthropic", with(req, `"stream":true`)), "\n")
				if got := accumulate(t, evs); !reflect.DeepEqual(got, unary) {
					t.Errorf("stream %v\nunary  %v", got, unary)
				}
			})
		}
	}
}

// accumulate puts the events of Messages together, strictly.
func accumulate(t *testing.T, evs []event) map[string]any {
	t.Helper()
	var msg map[string]any
	var blocks []any
	var open []int
	partial := map[int]string{}
	for i, e := range evs {
		if typ := dig(t, e.data, "type"); typ != e.name {
			t.Errorf("event %s has type %v", e.name, typ)
		}
		index := func() int { n, _ := dig(t, e.data, "index").(float64); return int(n) }
		switch e.name {
		case "message_start":
			if i != 0 {
				t.Error("message_start isn't first")
			}
			msg, _ = dig(t, e.data, "message").(map[string]any)
		case "content_block_start":
			if index() != len(blocks) {
				t.Errorf("block %d starts after %d blocks", index(), len(blocks))
			}
			blocks = append(blocks, dig(t, e.data, "content_block"))
			open = append(open, index())
		case "content_block_delta":
			if !slices.Contains(open, index()) {
				t.Errorf("delta of block %d, which isn't open", index())
			}
			addDelta(blocks[index()].(map[string]any), dig(t, e.data, "delta").(map[string]any), partial, index())
		case "content_block_stop":
			open = slices.DeleteFunc(open, func(n int) bool { return n == index() })
		case "message_delta":
			maps.Copy(msg, dig(t, e.data, "delta").(map[string]any))
			maps.Copy(msg["usage"].(map[string]any), dig(t, e.data, "usage").(map[string]any))
		}
	}
	if last := evs[len(evs)-1].name; last != "message_stop" || len(open) > 0 {
		t.Errorf("ends with %s, open blocks %v", last, open)
	}
	for i, args := range partial {
		if args != "" {
			var input any
			if err := json.Unmarshal([]byte(args), &input); err != nil {
				t.Errorf("arguments %q: %v", args, err)
			}
			blocks[i].(map[string]any)["input"] = input
		}
	}
	msg["content"] = append([]any{}, blocks...)
	return msg
}

func addDelta(block, delta map[string]any, partial map[int]string, i int) {
	switch delta["type"] {
	case "text_delta":
		block["text"] = str(block["text"]) + str(delta["text"])
	case "thinking_delta":
		block["thinking"] = str(block["thinking"]) + str(delta["thinking"])
	case "signature_delta":
		block["signature"] = str(block["signature"]) + str(delta["signature"])
	case "input_json_delta":
		partial[i] += str(delta["partial_json"])
	}
}

// TestPerplexityStreamsCumulatively: each chunk has the text so far and the
// usage so far, the last one the cost.
func TestPerplexityStreamsCumulatively(t *testing.T) {
	t.Parallel()
	stream := ok(t, sim.New(sim.Options{Turns: []sim.Turn{sim.Says("one two three")}}), "perplexity",
		simple("perplexity", `"stream":true`))
	if regexp.MustCompile(`[^\r]\n`).MatchString(stream) {
		t.Error("a line ends without CR")
	}
	evs := events(t, stream, "\r\n")
	text := ""
	for i, e := range evs {
		text += str(dig(t, e.data, "choices", 0, "delta", "content"))
		if whole := str(dig(t, e.data, "choices", 0, "message", "content")); whole != text {
			t.Errorf("chunk %d: message %q, deltas so far %q", i, whole, text)
		}
		usage, _ := dig(t, e.data, "usage").(map[string]any)
		if _, priced := usage["cost"]; usage == nil || priced != (i == len(evs)-1) {
			t.Errorf("chunk %d: usage %v", i, usage)
		}
	}
}

// TestChunkSize: text and arguments come in pieces of that many bytes.
func TestChunkSize(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{ChunkSize: 3, Turns: []sim.Turn{sim.Says("abcdefgh"), sim.Says("aé€b")}})
	for _, want := range []string{"abc|def|gh", "aé|€|b"} {
		var got []string
		for _, e := range events(t, ok(t, s, "elsewhere", simple("elsewhere", `"stream":true`)), "\n") {
			if e.data != "[DONE]" {
				if piece := str(dig(t, e.data, "choices", 0, "delta", "content")); piece != "" {
					got = append(got, piece)
				}
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}
