package openairesponses_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func TestDecodeError(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status    int
		body      string
		kind      error
		retryable bool
		message   string
	}{
		"as on Chat Completions": {429, `{"error":{"message":"slow","code":"rate_limit_exceeded"}}`, chat.ErrRateLimited, true, "slow"},
		"too long":               {400, `{"error":{"message":"long","code":"context_length_exceeded"}}`, chat.ErrTooLong, false, "long"},
		"a prompt against policy": {
			400, `{"error":{"message":"bad image","code":"image_content_policy_violation","type":"invalid_request_error"}}`, chat.ErrFiltered, false, "bad image",
		},
		"HTML": {502, "<html><title>502</title>", chat.ErrServer, true, "an HTML page: 502"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := codec.DecodeError(tt.status, http.Header{"X-Request-Id": {"req_1"}}, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retryable || e.Message != tt.message || e.RequestID != "req_1" || e.Status != tt.status {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestErrorsInsideA200: in a reply and as the event of a stream.
func TestErrorsInsideA200(t *testing.T) {
	t.Parallel()
	failed := func(err string) string { return `{"id":"r","status":"failed","error":` + err + `,"output":[]}` }
	for name, tt := range map[string]struct {
		body      string // of a reply
		event     string // of a stream
		kind      error
		retryable bool
		code      string
	}{
		"server":        {failed(`{"code":"server_error","message":"x"}`), "failed", chat.ErrServer, true, "server_error"},
		"rate limit":    {failed(`{"code":"rate_limit_exceeded","message":"x"}`), "failed", chat.ErrRateLimited, true, "rate_limit_exceeded"},
		"overloaded":    {failed(`{"code":"server_is_overloaded","message":"x"}`), "failed", chat.ErrOverloaded, true, "server_is_overloaded"},
		"quota":         {failed(`{"code":"insufficient_quota","message":"x"}`), "failed", chat.ErrQuota, false, "insufficient_quota"},
		"prompt":        {failed(`{"code":"invalid_prompt","message":"x"}`), "failed", chat.ErrBadRequest, false, "invalid_prompt"},
		"image":         {failed(`{"code":"failed_to_download_image","message":"x"}`), "failed", chat.ErrBadRequest, false, "failed_to_download_image"},
		"policy":        {failed(`{"code":"cyber_policy","message":"x"}`), "failed", chat.ErrFiltered, false, "cyber_policy"},
		"timeout":       {failed(`{"code":"vector_store_timeout","message":"x"}`), "failed", chat.ErrServer, true, "vector_store_timeout"},
		"new code":      {failed(`{"code":"moon_phase","message":"x"}`), "failed", chat.ErrServer, false, "moon_phase"},
		"no word":       {failed(`null`), "failed", chat.ErrServer, false, ""},
		"error object":  {`{"error":{"message":"x","type":"invalid_request_error","code":"bad"}}`, "", chat.ErrBadRequest, false, "bad"},
		"flat event":    {`{"type":"error","code":"server_error","message":"x","param":null}`, "", chat.ErrServer, true, "server_error"},
		"nested event":  {`{"type":"error","error":{"type":"server_error","code":"server_is_overloaded","message":"x"}}`, "", chat.ErrOverloaded, true, "server_is_overloaded"},
		"error a text":  {`{"error":"no such model"}`, "", chat.ErrServer, false, ""},
		"status beside": {`{"status":"queued","error":{"code":"server_error","message":"x"}}`, "failed", chat.ErrServer, true, "server_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, inReply := wiretest.Reply(codec, []byte(tt.body))
			body := tt.body
			if tt.event != "" {
				body = ev(tt.event, `"response":`+body)
			}
			_, _, inStream := wiretest.Stream(codec, strings.NewReader(sse(body)))
			for _, err := range []error{inReply, inStream} {
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(err, tt.kind) || e.Retryable != tt.retryable || e.Code != tt.code || e.Status != 200 {
					t.Errorf("got %#v", err)
				}
			}
		})
	}
}

// TestUnreadable: what isn't a response is a typed error, not an empty reply.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing": "", "HTML": "<html>", "a list": "[]", "a word": `"hi"`, "an empty object": "{}", "another endpoint": `{"object":"response.input_tokens","input_tokens":41}`,
		"cut": `{"id":"r","status":"completed","output":[`, "not closed": `{"output":[]`, "two": `{"output":[]}{}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := wiretest.Reply(codec, []byte(body)); !errors.Is(err, chat.ErrBadReply) {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	for name, tt := range map[string]struct {
		event, data string
		want        error
	}{
		"HTML":                 {"", "<html>", chat.ErrBadReply},
		"a list":               {"", "[]", chat.ErrBadReply},
		"broken":               {"", `{"type":}`, chat.ErrBadReply},
		"cut":                  {"", `{"type":"response.compl`, chat.ErrBadReply},
		"an error in words":    {"error", `"overloaded"`, chat.ErrServer},
		"an error by its name": {"error", `{"code":"slow_down","message":"x"}`, chat.ErrOverloaded},
		"unknown":              {"", `{"type":"response.new","item":7,"response":[]}`, nil},
		"nameless":             {"", `{"note":1}`, nil},
		"named, no type":       {"response.future", `{}`, nil},
		"blank":                {"", " ", nil},
	} {
		t.Run("event "+name, func(t *testing.T) {
			t.Parallel()
			a := wire.NewAssembly(wire.Limits{})
			events, err := wire.ReadEvent(codec, a, frame.Frame{Event: []byte(tt.event), Data: []byte(tt.data)})
			if !errors.Is(err, tt.want) || len(events) > 0 || a.Ended() {
				t.Errorf("got %v, %v", events, err)
			}
		})
	}
}

// TestPartialReply: what a failed stream brought is not lost.
func TestPartialReply(t *testing.T) {
	t.Parallel()
	_, _, err := wiretest.Stream(codec, strings.NewReader(sse(
		ev("output_text.delta", `"output_index":0,"delta":"Kitti"`),
		ev("failed", `"response":{"id":"r","status":"failed","error":{"code":"server_error"},"usage":{"input_tokens":4},"output":[`+messageJSON("m", "Kittiwake")+`]}`),
	)))
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || e.Reply == nil || e.Reply.Text() != "Kittiwake" || e.Reply.Usage.Input != 4 || e.Reply.ID != "r" {
		t.Errorf("got %+v", e)
	}
}

// TestErrorBesideAnAnswer: the status has the say; an answer that came isn't
// thrown away for a member beside it.
func TestErrorBesideAnAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"completed", "incomplete"} {
		body := `{"status":"` + status + `","error":{"code":"server_error","message":"x"},"output":[` + messageJSON("m", "hi") + `]}`
		for how, r := range map[string]*chat.Reply{
			"reply": decoded(t, body), "stream": collected(t, ev(status, `"response":`+body)),
		} {
			if r.Text() != "hi" {
				t.Errorf("%s, %s: got %+v", status, how, r)
			}
		}
	}
}
