package engine_test

import (
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

func errorEvent(typ string) string { return "event: error\ndata: " + failure(typ, "it broke") + "\n\n" }

// TestErrorEventFirst: until something was delivered, a stream that reports an
// overload is tried again.
func TestErrorEventFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, begin string
		attempts    int
		kind        error
	}{
		{"overload", errorEvent("overloaded_error"), 3, chat.ErrOverloaded},
		{"rate limit", ": hello\n\n" + errorEvent("rate_limit_error"), 3, chat.ErrRateLimited},
		{"final", errorEvent("invalid_request_error"), 1, chat.ErrBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(c onEngine) {
				t, entry := c.T, c.entry
				for _, begin := range []string{tt.begin, opening(entry.Profile.Dialect) + tt.begin} {
					synctest.Test(t, func(t *testing.T) {
						m := mock(t, entry, engine.Config{APIKey: testKey}, sse(begin))
						events, _, err := collect(t.Context(), m, hello(entry))
						e := failed(t, m, err, tt.kind)
						if len(events) != 0 || e.Attempts != tt.attempts || m.calls() != tt.attempts || e.Reply != nil {
							t.Errorf("%d events, %d requests, error %+v", len(events), m.calls(), e)
						}
						good := sse(inPieces(entry.Profile.Dialect, "In Ghent."))
						m = mock(t, entry, engine.Config{APIKey: testKey}, sse(begin), good)
						if _, reply, err := collect(t.Context(), m, hello(entry)); tt.attempts > 1 && (err != nil || reply.Text() != "In Ghent.") {
							t.Errorf("no recovery: %v", err)
						}
					})
				}
			})
		})
	}
}

// TestBrokenStreams: whatever ends a stream before its time, what was read is
// in the error, nothing is repeated, and neither Done nor a call is delivered.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tail string
		kind       error
	}{
		{"overload event", errorEvent("overloaded_error"), chat.ErrOverloaded},
		{"error event of an unknown kind", errorEvent("gremlins"), chat.ErrServer},
		{"clean end", "", chat.ErrTruncated},
		{"end in the middle of an event", `data: {"type":"content_block_delta","index":0,"del`, chat.ErrTruncated},
		{"nonsense", "data: <html>\n\ndata: more\n\n", chat.ErrBadReply},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(c onEngine) {
				t, entry := c.T, c.entry
				d := entry.Profile.Dialect
				m := mock(t, entry, engine.Config{APIKey: testKey}, sse(opening(d)+delta(d, "In ")+delta(d, "Gh")+tt.tail))
				checkBroken(t, m, tt.kind)
			})
		})
	}
}

func checkBroken(t *testing.T, m *mocked, kind error) {
	t.Helper()
	events, _, err := collect(t.Context(), m, hello(m.entry))
	e := failed(t, m, err, kind)
	if e.Reply == nil || e.Reply.Text() != "In Gh" || e.Attempts != 1 || m.calls() != 1 {
		t.Errorf("%d requests, error %+v with %+v", m.calls(), e, e.Reply)
	}
	if want := []chat.Event{chat.TextDelta{Text: "In "}, chat.TextDelta{Text: "Gh"}}; !reflect.DeepEqual(events, want) {
		t.Errorf("events %+v, want %+v", events, want)
	}
}

// TestConnectionLostInTheMiddle: a connection that breaks is told apart from an
// answer that ended, and never taken for one.
func TestConnectionLostInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]error{"cut": io.ErrUnexpectedEOF, "reset": errReset} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(c onEngine) {
				t, entry := c.T, c.entry
				d := entry.Profile.Dialect
				begin := opening(d) + delta(d, "In ") + delta(d, "Gh")
				m := mock(t, entry, engine.Config{APIKey: testKey}, reading(io.MultiReader(strings.NewReader(begin), iotest.ErrReader(cause))))
				checkBroken(t, m, cause)
			})
		})
	}
}

// reading streams from a reader.
func reading(r io.Reader) httpmock.Responder {
	return func(req *http.Request) (*http.Response, error) {
		resp, err := sse("")(req)
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(r)
		return resp, nil
	}
}

// TestCutCallIsNeverReady: a call that was under way when the stream broke is
// in the partial reply, unsound, and was never handed out as ready to run.
func TestCutCallIsNeverReady(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		if !hasTools(entry) {
			continue // what becomes of its rewritten calls: TestRewrittenChoiceIsEnforced
		}
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			m := mock(t, entry, engine.Config{APIKey: testKey}, sse(halfCall(entry.Profile.Dialect)))
			req := hello(entry)
			req.Tools = matrixTools
			events, _, err := collect(t.Context(), m, req)
			e := failed(t, m, err, chat.ErrTruncated)
			checkNothingReady(t, events, true)
			if len(events) == 0 || events[0] != (chat.ToolCallStart{ID: "c1", Name: "place"}) {
				t.Errorf("events %+v", events)
			}
			if calls := e.Reply.ToolCalls(); len(calls) != 1 || calls[0].Sound() || string(calls[0].Arguments) != `{"city":"Gh` {
				t.Errorf("partial calls %+v", calls)
			}
		})
	}
}

// halfCall streams the beginning of a call.
func halfCall(d engine.Dialect) string {
	if d == engine.AnthropicMessages {
		return `data: {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5}}}` +
			"\n\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"place","input":{}}}` +
			"\n\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"city\":\"Gh"}}` + "\n\n"
	}
	return `data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function",` +
		`"function":{"name":"place","arguments":"{\"city\":\"Gh"}}]},"finish_reason":null}]}` + "\n\n"
}

// TestEndMarks: a finish reason ends an answer of Chat Completions with or
// without [DONE]; Messages insists on message_stop.
func TestEndMarks(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		d := entry.Profile.Dialect
		mark := map[engine.Dialect]string{
			engine.OpenAIChat: "data: [DONE]\n\n", engine.AnthropicMessages: "data: {\"type\":\"message_stop\"}\n\n",
		}[d]
		whole := inPieces(d, "In Ghent.")
		m := mock(t, entry, engine.Config{APIKey: testKey}, sse(strings.TrimSuffix(whole, mark)))
		_, reply, err := collect(t.Context(), m, hello(entry))
		if d == engine.AnthropicMessages {
			failed(t, m, err, chat.ErrTruncated)
			return
		}
		if err != nil || reply.Text() != "In Ghent." || reply.Usage.Total() != 7 {
			t.Errorf("reply %+v, error %v", reply, err)
		}
	})
}

// TestEmptyStreams: no answer at all is an error, too.
func TestEmptyStreams(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"nothing": "", "comments": ": hello\n\n: hello\n\n", "blank lines": "\n\n\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(c onEngine) {
				t, entry := c.T, c.entry
				m := mock(t, entry, engine.Config{APIKey: testKey}, sse(body))
				events, _, err := collect(t.Context(), m, hello(entry))
				if e := failed(t, m, err, chat.ErrTruncated); e.Reply != nil || len(events) > 0 {
					t.Errorf("events %v, partial %+v", events, e.Reply)
				}
			})
		})
	}
}

// TestStreamFraming: the same answer in every form that SSE allows, cut
// anywhere, reads the same.
func TestStreamFraming(t *testing.T) {
	t.Parallel()
	const text = "Köln, 南京, 🏰 and \"Ghent\"\n"
	long := strings.Repeat("Gravensteen, ", 16_000) // one line of 200 KB
	for _, tt := range []struct {
		name, text string
		form       func(string) io.Reader
	}{
		{"CRLF", text, func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r\n")) }},
		{"CR", text, func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r")) }},
		{"no space", text, func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "data: ", "data:")) }},
		{"byte order mark", text, func(s string) io.Reader { return strings.NewReader("\uFEFF" + s) }},
		{"comments and empty events", text, func(s string) io.Reader {
			return strings.NewReader(": hi\n\n" + strings.ReplaceAll(s, "\n\n", "\n\n: keep-alive\n\ndata:\n\nretry: 10\n\n"))
		}},
		{"byte by byte", text, func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) }},
		{"end with the data", text, func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) }},
		{"no blank line at the end", text, func(s string) io.Reader { return strings.NewReader(strings.TrimRight(s, "\n")) }},
		{"200 KB in one line", long, func(s string) io.Reader { return strings.NewReader(s) }},
		{"200 KB in halves", long, func(s string) io.Reader { return iotest.HalfReader(strings.NewReader(s)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(c onEngine) {
				t, entry := c.T, c.entry
				d := entry.Profile.Dialect
				m := mock(t, entry, engine.Config{APIKey: testKey}, reading(tt.form(opening(d)+delta(d, tt.text)+ending(d))))
				events, reply, err := collect(t.Context(), m, hello(entry))
				if err != nil {
					t.Fatal(err)
				}
				if reply.Text() != tt.text || reply.Finish != chat.FinishStop || reply.Usage != (chat.Usage{Input: 5, Output: 2}) {
					t.Errorf("read %.80q, %s, %+v", reply.Text(), reply.Finish, reply.Usage)
				}
				checkEvents(t, events, reply)
			})
		})
	}
}

// TestLimits: more than Config.Limits is ErrBadReply, unary and streamed.
func TestLimits(t *testing.T) {
	t.Parallel()
	long := answer{text: strings.Repeat("x", 4000)}
	called := answer{calls: []string{"place", "place"}} // 16 bytes of arguments each
	for _, tt := range []struct {
		name   string
		limits engine.Limits
		answer answer
		ways   []string
		over   bool
	}{
		{"reply over", engine.Limits{Reply: 3000}, long, []string{"chat", "stream"}, true},
		{"reply within", engine.Limits{Reply: 6000}, long, []string{"chat", "stream"}, false},
		{"line over", engine.Limits{Line: 3000}, long, []string{"stream"}, true},
		{"line within", engine.Limits{Line: 6000}, long, []string{"chat", "stream"}, false},
		{"arguments over", engine.Limits{Arguments: 31}, called, []string{"chat", "stream"}, true},
		{"arguments within", engine.Limits{Arguments: 32}, called, []string{"chat", "stream"}, false},
	} {
		for _, way := range tt.ways {
			t.Run(tt.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				for _, entry := range engine.Catalog() {
					req := hello(entry)
					if len(tt.answer.calls) > 0 {
						if !hasTools(entry) {
							continue
						}
						req.Tools = matrixTools
					}
					m := mock(t, entry, engine.Config{APIKey: testKey, Limits: tt.limits}, says(entry.Profile.Dialect, tt.answer))
					_, err := ways[way](t, m, req)
					if over := errors.Is(err, chat.ErrBadReply); over != tt.over || !over && err != nil || m.calls() != 1 {
						t.Errorf("%s: error %v after %d requests", m.Name(), err, m.calls())
					}
				}
			})
		}
	}
}
