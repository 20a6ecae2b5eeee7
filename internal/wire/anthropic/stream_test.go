package anthropic_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// blocks are the events of a message that holds what is given.
func whole(reason string, inner ...string) []string {
	return append(append([]string{start}, inner...), reason, stop)
}

// Case C014: the empty input of a block's start is a placeholder.
func TestInputAtTheStartOfABlock(t *testing.T) {
	t.Parallel()
	const (
		open  = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f"`
		delta = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`
	)
	tests := map[string]struct {
		events []string
		want   string
	}{
		"placeholder, empty delta": {[]string{open + `,"input":{}}}`, delta + `""}}`}, `{}`},
		"placeholder, no delta":    {[]string{open + `,"input":{ }}}`}, `{}`},
		"placeholder, then deltas": {[]string{open + `,"input":{}}}`, delta + `""}}`, delta + `"{\"city\":"}}`, delta + `"\"Oslo\"}"}}`}, `{"city":"Oslo"}`},
		"no input (llama.cpp)":     {[]string{open + `}}`, delta + `"{\"city\": \"Oslo\"}"}}`}, `{"city": "Oslo"}`},
		"null":                     {[]string{open + `,"input":null}}`, delta + `"{}"}}`}, `{}`},
		"all of it at the start":   {[]string{open + `,"input":{"city": "Oslo"}}}`}, `{"city":"Oslo"}`},
		"as text at the start":     {[]string{open + `,"input":"{\"city\":1}"}}`}, `{"city":1}`},
		"a delta of null":          {[]string{open + `}}`, delta + `null}}`}, `{}`},
		"big number, odd spaces":   {[]string{open + `}}`, delta + `"{ \"n\": 9007199254740993}"}}`}, `{ "n": 9007199254740993}`},
		"not JSON though it ended": {[]string{open + `}}`, delta + `"{\"level\": high\"}"}}`}, `{"level": high"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, whole(toolUse, tt.events...)...)
			if err != nil {
				t.Fatal(err)
			}
			want := []chat.Part{wiretest.ToolCall("toolu_1", "f", tt.want)}
			if !reflect.DeepEqual(r.Parts, want) || r.Finish != chat.FinishToolCalls {
				t.Errorf("got %s %+v", r.Finish, r.Parts)
			}
		})
	}
}

// Case C014, the other half: two calls, one of which takes nothing.
func TestCallWithoutParametersBesideOneWith(t *testing.T) {
	t.Parallel()
	r, events, err := collect(t, whole(toolUse,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"now","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_2","name":"get_weather","input":{}}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\":"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"Oslo\"}"}}`,
		`{"type":"content_block_stop","index":1}`)...)
	if err != nil {
		t.Fatal(err)
	}
	want := []chat.Event{
		chat.ToolCallStart{Index: 0, ID: "toolu_1", Name: "now"},
		chat.ToolCallStart{Index: 1, ID: "toolu_2", Name: "get_weather"},
		chat.ToolCallDelta{Index: 1, Arguments: `{"city":`},
		chat.ToolCallDelta{Index: 1, Arguments: `"Oslo"}`},
	}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("events %+v", events)
	}
	if calls := r.ToolCalls(); len(calls) != 2 || string(calls[0].Arguments) != "{}" || string(calls[1].Arguments) != `{"city":"Oslo"}` {
		t.Errorf("calls %+v", calls)
	}
}

// Case C040: counts in message_delta are totals; what it doesn't name stays.
func TestUsageIsCumulative(t *testing.T) {
	t.Parallel()
	first := strings.Replace(start, `{"input_tokens":25,`, `{"input_tokens":12,"cache_creation_input_tokens":30,"cache_read_input_tokens":2048,`, 1)
	end := func(usage string) string {
		return `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + usage + `}`
	}
	kept := chat.Usage{Input: 2090, CachedInput: 2048, CacheWrite: 30, Output: 57}
	tests := map[string]struct {
		usage string
		want  chat.Usage
	}{
		"output only":       {`{"output_tokens":57}`, kept},
		"everything again":  {`{"input_tokens":12,"cache_creation_input_tokens":30,"cache_read_input_tokens":2048,"output_tokens":57}`, kept},
		"null is not named": {`{"input_tokens":null,"cache_read_input_tokens":null,"output_tokens":57}`, kept},
		"input corrected":   {`{"input_tokens":20,"output_tokens":57}`, chat.Usage{Input: 2098, CachedInput: 2048, CacheWrite: 30, Output: 57}},
		"thinking":          {`{"output_tokens":57,"output_tokens_details":{"x":1,"thinking_tokens":40}}`, chat.Usage{Input: 2090, CachedInput: 2048, CacheWrite: 30, Output: 57, Reasoning: 40}},
		"none":              {`null`, chat.Usage{Input: 2090, CachedInput: 2048, CacheWrite: 30, Output: 1}},
		"nonsense":          {`{"output_tokens":-3,"input_tokens":1e300,"output_tokens_details":7}`, chat.Usage{Input: 1<<40 + 2078, CachedInput: 2048, CacheWrite: 30}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, first, end(tt.usage), stop)
			if err != nil {
				t.Fatal(err)
			}
			if r.Usage != tt.want {
				t.Errorf("got %+v, want %+v", r.Usage, tt.want)
			}
		})
	}
}

func TestThoughtsInAStream(t *testing.T) {
	t.Parallel()
	const delta = `{"type":"content_block_delta","index":0,"delta":{"type":`
	open := func(block string) string {
		return `{"type":"content_block_start","index":0,"content_block":` + block + `}`
	}
	tests := map[string]struct {
		events []string
		want   []chat.Part
	}{
		"signature in pieces": {
			[]string{open(`{"type":"thinking","thinking":"","signature":""}`), delta + `"thinking_delta","thinking":"hm"}}`, delta + `"signature_delta","signature":"ab"}}`, delta + `"signature_delta","signature":"c="}}`},
			[]chat.Part{thought("hm", "abc=")},
		},
		"no text":                 {[]string{open(`{"type":"thinking","thinking":""}`), delta + `"signature_delta","signature":"abc="}}`}, []chat.Part{thought("", "abc=")}},
		"signature at the start":  {[]string{open(`{"type":"thinking","thinking":"","signature":"abc="}`)}, []chat.Part{thought("", "abc=")}},
		"all at the start":        {[]string{open(`{"signature":"abc=","thinking":"hm","type":"thinking"}`)}, []chat.Part{thought("hm", "abc=")}},
		"redacted":                {[]string{open(`{"type":"redacted_thinking","data":"xyz="}`)}, []chat.Part{redacted("xyz=")}},
		"unsigned":                {[]string{open(`{"type":"thinking","thinking":""}`), delta + `"thinking_delta","thinking":"hm"}}`}, []chat.Part{chat.Thinking{Text: "hm"}}},
		"nothing in it":           {[]string{open(`{"type":"thinking","thinking":"","signature":""}`)}, nil},
		"redacted, nothing in it": {[]string{open(`{"type":"redacted_thinking"}`)}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, whole(endTurn, tt.events...)...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(r.Parts, tt.want) {
				t.Errorf("got %+v, want %+v", r.Parts, tt.want)
			}
		})
	}
}

// Blocks, deltas and events that aren't known are passed over.
func TestPassesOverTheUnknown(t *testing.T) {
	t.Parallel()
	r, _, err := collect(t, whole(endTurn,
		`{"type":"billing_note","error":null,"note":{"a":[1,{"b":null}]}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"no\"}"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"no"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"text","text":"no"}]}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"ye","citations":[{"type":"x"}]}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"text":"no"}}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"future_delta","text":"no"}}`,
		`{"index":2,"delta":{"text":"s","type":"text_delta"},"type":"content_block_delta"}`,
		`{"type":"content_block_delta","index":2,"delta":null}`)...)
	if err != nil {
		t.Fatal(err)
	}
	if want := []chat.Part{chat.Text{Text: "yes"}}; !reflect.DeepEqual(r.Parts, want) || r.Finish != chat.FinishStop {
		t.Errorf("got %s %+v", r.Finish, r.Parts)
	}
}

// The type in the data decides; the event's name does where there is none.
func TestEventsWithoutAType(t *testing.T) {
	t.Parallel()
	const body = "event: message_start\ndata: {\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n" +
		"event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n" +
		"event: message_stop\ndata: {\"type\":\"ping\"}\n\n" +
		"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" +
		"event: ping\ndata: {\"type\":\"message_stop\"}\n\n"
	r, _, err := wiretest.Stream(anthropic.Codec{}, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if r.Text() != "hi" || r.Finish != chat.FinishStop || r.ID != "msg_1" {
		t.Errorf("got %+v", r)
	}
}

func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	const text = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`
	failure := func(typ string) string { return `{"type":"error","error":{"type":"` + typ + `","message":"m"}}` }
	tests := map[string]struct {
		events []string
		kind   error
		retry  bool
		read   string // what the error's reply holds
	}{
		"no message_stop":              {[]string{start, text, endTurn}, chat.ErrTruncated, false, "hi"},
		"no stop reason":               {[]string{start, text}, chat.ErrTruncated, false, "hi"},
		"nothing at all":               {nil, chat.ErrTruncated, false, ""},
		"nothing but the end":          {[]string{stop}, chat.ErrBadReply, false, ""},
		"overloaded at once":           {[]string{failure("overloaded_error")}, chat.ErrOverloaded, true, ""},
		"overloaded in the middle":     {[]string{start, text, failure("overloaded_error")}, chat.ErrOverloaded, true, "hi"},
		"rate limit":                   {[]string{failure("rate_limit_error")}, chat.ErrRateLimited, true, ""},
		"timeout":                      {[]string{failure("timeout_error")}, chat.ErrServer, true, ""},
		"server":                       {[]string{failure("api_error")}, chat.ErrServer, true, ""},
		"bad request":                  {[]string{failure("invalid_request_error")}, chat.ErrBadRequest, false, ""},
		"key":                          {[]string{failure("authentication_error")}, chat.ErrAuth, false, ""},
		"permission":                   {[]string{failure("permission_error")}, chat.ErrAuth, false, ""},
		"money":                        {[]string{failure("billing_error")}, chat.ErrQuota, false, ""},
		"model":                        {[]string{failure("not_found_error")}, chat.ErrNotFound, false, ""},
		"length":                       {[]string{failure("request_too_large")}, chat.ErrTooLong, false, ""},
		"an error of an unknown kind":  {[]string{failure("solar_flare_error")}, chat.ErrServer, true, ""},
		"in OpenAI's shape, unnamed":   {[]string{start, `{"error":{"code":500,"message":"m","type":"server_error"}}`}, chat.ErrServer, true, ""},
		"context overflow (llama.cpp)": {[]string{`{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}`}, chat.ErrTooLong, false, ""},
		"bare text":                    {[]string{`{"error":"out of memory"}`}, chat.ErrServer, true, ""},
		"error event without words":    {[]string{`{"type":"error"}`}, chat.ErrServer, true, ""},
		"half an event":                {[]string{start, text, `{"type":"content_block_delta",`}, chat.ErrTruncated, false, "hi"},
		"broken JSON":                  {[]string{start, text, `{"type":"content_block_delta",`, endTurn}, chat.ErrBadReply, false, "hi"},
		"HTML":                         {[]string{"<html><title>502</title></html>"}, chat.ErrBadReply, false, ""},
		"text for a call": {[]string{
			start, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f"}}`, text,
		}, chat.ErrBadReply, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, err := collect(t, tt.events...)
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || r != nil {
				t.Fatalf("reply %v, error %v", r, err)
			}
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != 200 {
				t.Errorf("got %v, retryable %v, status %d", e, e.Retryable, e.Status)
			}
			if e.Reply != nil && e.Reply.Text() != tt.read || e.Reply == nil && tt.read != "" {
				t.Errorf("read before: %+v, want %q", e.Reply, tt.read)
			}
		})
	}
}

// An error event with a name alone is one, whatever its data is.
func TestErrorEventByName(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	events, err := wire.ReadEvent(anthropic.Codec{}, a, frame.Frame{Event: []byte("error"), Data: []byte(`"no capacity"`)})
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || len(events) > 0 || e.Message != "no capacity" || !errors.Is(e, chat.ErrServer) {
		t.Errorf("%v %v", events, err)
	}
}

// Reading can stop at message_stop: what follows isn't looked at.
func TestStopsAtMessageStop(t *testing.T) {
	t.Parallel()
	r, _, err := collect(t, whole(endTurn, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`)...)
	if err != nil || r.Text() != "hi" {
		t.Fatalf("%v %v", r, err)
	}
	_, _, err = collect(t, append(whole(endTurn), "broken")...)
	if err != nil {
		t.Error(err)
	}
}

func TestReasonsToStop(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		members string
		want    chat.FinishReason
		raw     string
	}{
		"end_turn":        {`"stop_reason":"end_turn","stop_sequence":null`, chat.FinishStop, "end_turn"},
		"end_turn, named": {`"stop_reason":"end_turn","stop_sequence":" tiny"`, chat.FinishStopSequence, "end_turn"},
		"end_turn, blank": {`"stop_sequence":"","stop_reason":"end_turn"`, chat.FinishStop, "end_turn"},
		"stop_sequence":   {`"stop_reason":"stop_sequence","stop_sequence":"###"`, chat.FinishStopSequence, "stop_sequence"},
		"max_tokens":      {`"stop_reason":"max_tokens"`, chat.FinishLength, "max_tokens"},
		"context window":  {`"stop_reason":"model_context_window_exceeded"`, chat.FinishLength, "model_context_window_exceeded"},
		"tool_use":        {`"stop_reason":"tool_use"`, chat.FinishStop, "tool_use"}, // the word without a call
		"pause_turn":      {`"stop_reason":"pause_turn"`, chat.FinishPaused, "pause_turn"},
		"refusal":         {`"stop_reason":"refusal","stop_details":{"type":"refusal","category":null}`, chat.FinishFiltered, "refusal"},
		"a later one":     {`"stop_reason":"compaction"`, chat.FinishOther, "compaction"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"type":"message","id":"msg_1","content":[{"type":"text","text":"hi"}],` + tt.members + `}`
			r := decode(t, body)
			streamed, _, err := collect(t, start, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`,
				`{"type":"message_delta","delta":{`+tt.members+`}}`, stop)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*chat.Reply{r, streamed} {
				if r.Finish != tt.want || r.RawFinish != tt.raw {
					t.Errorf("got %s %s", r.Finish, r.RawFinish)
				}
			}
		})
	}
}
