package engine_test

import (
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestErrorEventFirst: until something was delivered, a stream that reports an
// overload is tried again.
func TestErrorEventFirst(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(c onEngine) {
		d := c.entry.Profile.Dialect
		v := voiceOf(c.T, d)
		for kind, body := range v.inside {
			for where, begin := range map[string]string{"at once": "", "after the opening": opening(d)} {
				c.Run(kind.Error()+"/"+where, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						checkErrorFirst(t, c.entry, kind, stream200(d, begin+v.event(body)))
					})
				})
			}
		}
	})
}

func checkErrorFirst(t *testing.T, entry engine.Entry, kind error, bad httpmock.Responder) {
	t.Helper()
	m := mock(t, entry, engine.Config{APIKey: testKey}, bad)
	events, _, err := collect(t.Context(), m, hello(entry))
	e := failed(t, m, err, kind)
	again := errors.Is(kind, chat.ErrRateLimited) || errors.Is(kind, chat.ErrOverloaded)
	if len(events) != 0 || e.Attempts != m.calls() || e.Reply != nil || again && e.Attempts != 3 || errors.Is(kind, chat.ErrBadRequest) && e.Attempts != 1 {
		t.Errorf("%d events, %d requests, error %+v", len(events), m.calls(), e)
	}
	m = mock(t, entry, engine.Config{APIKey: testKey}, bad, stream200(entry.Profile.Dialect, streamed(entry.Profile.Dialect, "In Ghent.")))
	if _, reply, err := collect(t.Context(), m, hello(entry)); again && (err != nil || reply.Text() != "In Ghent.") {
		t.Errorf("no recovery: %v", err)
	}
}

// TestBrokenStreams: whatever ends a stream before its time, what was read is
// in the error, nothing is repeated, and neither Done nor a call is delivered.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(c onEngine) {
		d := c.entry.Profile.Dialect
		v := voiceOf(c.T, d)
		half, _, _ := strings.Cut(delta(d, "ent, in Belgium"), "gium")
		type end struct {
			name, tail string
			kind       error
		}
		ends := make([]end, 0, 3+len(v.inside))
		ends = append(ends, end{"clean end", "", chat.ErrTruncated},
			end{"end in the middle of an event", half, chat.ErrTruncated},
			end{"nonsense", v.nonsense, chat.ErrBadReply})
		for kind, body := range v.inside {
			ends = append(ends, end{"error event/" + kind.Error(), v.event(body), kind})
		}
		for _, tt := range ends {
			c.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				m := mock(t, c.entry, engine.Config{APIKey: testKey}, stream200(d, opening(d)+delta(d, "In ")+delta(d, "Gh")+tt.tail))
				checkBroken(t, m, tt.kind)
			})
		}
	})
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
			eachStreaming(t, func(c onEngine) {
				t, entry := c.T, c.entry
				d := entry.Profile.Dialect
				begin := opening(d) + delta(d, "In ") + delta(d, "Gh")
				m := mock(t, entry, engine.Config{APIKey: testKey}, reading(d, io.MultiReader(strings.NewReader(begin), iotest.ErrReader(cause))))
				checkBroken(t, m, cause)
			})
		})
	}
}

// reading streams from a reader.
func reading(d profile.Dialect, r io.Reader) httpmock.Responder {
	return func(req *http.Request) (*http.Response, error) {
		resp, err := stream200(d, "")(req)
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
	eachStreaming(t, func(c onEngine) {
		t, entry := c.T, c.entry
		if !hasTools(entry) {
			return // what becomes of its rewritten calls: TestRewrittenChoiceIsEnforced
		}
		d := entry.Profile.Dialect
		half, start := voiceOf(t, d).half, []chat.Event{chat.ToolCallStart{ID: "c1", Name: "place"}}
		if entry.Profile.Tools == toolchoice.Hermes { // told of once it is whole
			half, start = opening(d)+delta(d, `<tool_call>{"name": "place", "arguments": {"city":"Gh`), nil
		}
		m := mock(t, entry, engine.Config{APIKey: testKey}, stream200(d, half))
		req := hello(entry)
		req.Tools = matrixTools
		events, _, err := collect(t.Context(), m, req)
		e := failed(t, m, err, chat.ErrTruncated)
		checkNothingReady(t, events, true)
		if !reflect.DeepEqual(events[:min(1, len(events))], start) && len(events)+len(start) > 0 {
			t.Errorf("events %+v", events)
		}
		want := voices[d].halfArgs
		if e.Reply == nil {
			t.Fatal("no partial reply")
		}
		if calls := e.Reply.ToolCalls(); len(calls) != 1 || calls[0].Name != "place" || string(calls[0].Arguments) != want {
			t.Errorf("partial calls %+v, want %s", calls, want)
		}
	})
}

// TestPartialReplyKnowsItsOrigin: a caller may keep what was read; its tokens
// must not go to another engine later on.
func TestPartialReplyKnowsItsOrigin(t *testing.T) {
	t.Parallel()
	entry := entryOf(t, "anthropic")
	m := mock(t, entry, engine.Config{APIKey: testKey}, stream200(entry.Profile.Dialect,
		`data: {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5}}}`+
			"\n\n"+`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`+
			"\n\n"+`data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`+
			"\n\n"+`data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`+"\n\n"))
	_, _, err := collect(t.Context(), m, hello(entry))
	partial := failed(t, m, err, chat.ErrTruncated).Reply
	want := chat.Thinking{Text: "hm", Signature: chat.Signature{
		Engine: "anthropic", Model: entry.Profile.Example, Kind: "signature", Data: "c2ln",
	}}
	if partial == nil || partial.Engine != "anthropic" || len(partial.Parts) != 1 || partial.Parts[0] != want {
		t.Errorf("partial reply %+v, want of anthropic, %+v", partial, want)
	}
}

// TestEndMarks: a stream may lack the frames that say nothing of the answer,
// and no other: without its end an answer is cut.
func TestEndMarks(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(c onEngine) {
		d := c.entry.Profile.Dialect
		v := voiceOf(c.T, d)
		frames := v.end(answer{text: "In Ghent."})
		for missing := range len(frames) + 1 {
			c.Run(strconv.Itoa(missing), func(t *testing.T) {
				t.Parallel()
				body := opening(d) + inPieces(d, "In Ghent.") + v.textEnd("In Ghent.") + strings.Join(frames[:len(frames)-missing], "")
				m := mock(t, c.entry, engine.Config{APIKey: testKey}, stream200(d, body))
				_, reply, err := collect(t.Context(), m, hello(c.entry))
				if missing > v.optional {
					if e := failed(t, m, err, chat.ErrTruncated); e.Reply == nil || e.Reply.Text() != "In Ghent." {
						t.Errorf("partial reply %+v", e.Reply)
					}
					return
				}
				if err != nil || reply.Text() != "In Ghent." || reply.Finish != chat.FinishStop {
					t.Errorf("reply %+v, error %v", reply, err)
				}
			})
		}
	})
}

// TestEmptyStreams: no answer at all is an error, too.
func TestEmptyStreams(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"nothing": "", "comments": ": hello\n\n: hello\n\n", "blank lines": "\n\n\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachStreaming(t, func(c onEngine) {
				t, entry := c.T, c.entry
				if name == "comments" && voices[entry.Profile.Dialect].file != "stream.sse" || name != "nothing" && entry.Profile.Dialect == profile.BedrockConverse {
					return // no such thing there
				}
				m := mock(t, entry, engine.Config{APIKey: testKey}, stream200(entry.Profile.Dialect, body))
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
		sse        bool // the form is one of server-sent events
	}{
		{"CRLF", text, func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r\n")) }, true},
		{"CR", text, func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r")) }, true},
		{"no space", text, func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "data: ", "data:")) }, true},
		{"byte order mark", text, func(s string) io.Reader { return strings.NewReader("\uFEFF" + s) }, true},
		{"comments and empty events", text, func(s string) io.Reader {
			return strings.NewReader(": hi\n\n" + strings.ReplaceAll(s, "\n\n", "\n\n: keep-alive\n\ndata:\n\nretry: 10\n\n"))
		}, true},
		{"byte by byte", text, func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) }, false},
		{"end with the data", text, func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) }, false},
		{"no blank line at the end", text, func(s string) io.Reader { return strings.NewReader(strings.TrimRight(s, "\n")) }, true},
		{"200 KB in one line", long, func(s string) io.Reader { return strings.NewReader(s) }, false},
		{"200 KB in halves", long, func(s string) io.Reader { return iotest.HalfReader(strings.NewReader(s)) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachStreaming(t, func(c onEngine) {
				t, entry := c.T, c.entry
				d := entry.Profile.Dialect
				if tt.sse && voiceOf(t, d).file != "stream.sse" {
					return
				}
				m := mock(t, entry, engine.Config{APIKey: testKey}, reading(d, tt.form(opening(d)+delta(d, tt.text)+ending(d, tt.text))))
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
		{"arguments of a document over", engine.Limits{Arguments: 31}, called, []string{"document"}, true},
		{"arguments of a document within", engine.Limits{Arguments: 32}, called, []string{"document"}, false},
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
					if tt.limits.Line > 0 && !streams(entry) {
						continue
					}
					responder, call := says(entry, tt.answer), ways[way]
					if way == "document" { // a whole reply although a stream was asked for
						responder, call = document(200, tt.answer.by(entry).in(entry.Profile.Dialect, false)), ways["stream"]
					}
					m := mock(t, entry, engine.Config{APIKey: testKey, Limits: tt.limits}, responder)
					_, err := call(t, m, req)
					if over := errors.Is(err, chat.ErrBadReply); over != tt.over || !over && err != nil || m.calls() != 1 {
						t.Errorf("%s: error %v after %d requests", m.Name(), err, m.calls())
					}
				}
			})
		}
	}
}
