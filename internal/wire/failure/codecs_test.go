package failure_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/aki"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/failure"
	"github.com/sabir-go/sabir/internal/wire/gemini"
	"github.com/sabir-go/sabir/internal/wire/ollama"
	"github.com/sabir-go/sabir/internal/wire/openaichat"
	"github.com/sabir-go/sabir/internal/wire/openairesponses"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

var codecs = map[string]wire.Codec{
	"aki": aki.Codec{}, "anthropic": anthropic.Codec{}, "bedrockconverse": bedrockconverse.Codec{}, "coherev2": coherev2.Codec{},
	"gemini": gemini.Codec{}, "ollama": ollama.Codec{}, "openaichat": openaichat.Codec{}, "openairesponses": openairesponses.Codec{},
}

// answer is what a body is read as, whichever codec reads it.
type answer struct {
	kind                      error
	message, typ, code, param string
	requestID                 string
	retryAfter                time.Duration
	retryable                 bool
}

func answerOf(e *chat.Error) answer {
	return answer{e.Kind, e.Message, e.Type, e.Code, e.Param, e.RequestID, e.RetryAfter, e.Retryable}
}

// body is an error body, and how it is read. On some codecs it is read in
// another way, for a reason.
type body struct {
	source string // where the shape was seen
	status int
	header http.Header
	text   string
	want   answer
	but    map[string]answer
	reason string
}

// TestOneAnswer: what a body says doesn't hang on the codec that reads it, as
// gateways answer in any shape on any path.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	for name, b := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if b.source == "" || (len(b.but) > 0) != (b.reason != "") {
				t.Error("no source, or a difference without a reason")
			}
			for _, codec := range slices.Sorted(maps.Keys(codecs)) {
				want, differs := b.but[codec]
				if !differs {
					want = b.want
				} else if want == b.want {
					t.Errorf("%s doesn't differ", codec)
				}
				if got := answerOf(codecs[codec].DecodeError(b.status, b.header, []byte(b.text))); got != want {
					t.Errorf("%s: got  %+v\nwant %+v", codec, got, want)
				}
			}
		})
	}
}

// TestOneAnswerOnRecordings: the same holds for every error body that stands in
// the codecs' golden folders. Cohere's id and its status 498 are its own.
func TestOneAnswerOnRecordings(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../*/testdata/*/*/error.*")
	more, err2 := filepath.Glob("../*/testdata/*/*/*/error.*")
	if paths = append(paths, more...); err != nil || err2 != nil || len(paths) < 100 {
		t.Fatalf("%d bodies, %v, %v", len(paths), err, err2)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		raw, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), "status.json"))
		var s struct {
			Status int `json:"status"`
		}
		if err := errors.Join(err, err2, json.Unmarshal(raw, &s)); err != nil {
			t.Fatal(err)
		}
		want := answerOf(new(failure.Dialect).Decode(s.Status, nil, body))
		for name, c := range codecs {
			got := answerOf(c.DecodeError(s.Status, nil, body))
			if name == "coherev2" {
				if s.Status == 498 {
					continue
				}
				got.requestID = want.requestID
			}
			if got != want {
				t.Errorf("%s on %s: got  %+v\nwant %+v", path, name, got, want)
			}
		}
	}
}

// frameTest is a body and what it is read as.
type frameTest struct {
	text    string
	kind    error
	message string
}

// insideTests are bodies that come with status 200, as a reply and as a frame.
var insideTests = map[string]frameTest{
	"OpenAI's":    {`{"error":{"message":"no money","type":"insufficient_quota","code":"insufficient_quota"}}`, chat.ErrQuota, "no money"},
	"Anthropic's": {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, chat.ErrOverloaded, "Overloaded"},
	"Google's":    {`{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`, chat.ErrRateLimited, "slow down"},
	"OpenRouter's": {
		`{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"gone\"}}"}}}`,
		chat.ErrServer, "Provider returned error: gone",
	},
	"llama.cpp's": {`{"error":{"code":400,"message":"long","type":"exceed_context_size_error"}}`, chat.ErrTooLong, "long"},
	"a bare text": {`{"error":"rate_limit_exceeded"}`, chat.ErrRateLimited, "rate_limit_exceeded"},
}

// TestOneAnswerInside: the same holds for errors that come with status 200.
func TestOneAnswerInside(t *testing.T) {
	t.Parallel()
	for name, tt := range insideTests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for codec, c := range codecs {
				_, err := wiretest.Reply(c, []byte(tt.text))
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(e, tt.kind) || e.Message != tt.message || e.Status != http.StatusOK {
					t.Errorf("%s: got %+v", codec, err)
				}
			}
		})
	}
}

// TestOneAnswerInFrames: an event that is named error is one, whatever is in
// it. Bedrock's events have names of their own, Ollama's and AKI's have none.
func TestOneAnswerInFrames(t *testing.T) {
	t.Parallel()
	frames := map[string]frameTest{
		"a bare object (llama.cpp)": {`{"code":500,"message":"gone","type":"server_error"}`, chat.ErrServer, "gone"},
		"a text":                    {`"rate_limit_exceeded"`, chat.ErrServer, "rate_limit_exceeded"},
		"no JSON":                   {`gone`, chat.ErrServer, "gone"},
	}
	maps.Copy(frames, insideTests)
	for name, tt := range frames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, codec := range []string{"anthropic", "coherev2", "gemini", "openaichat", "openairesponses"} {
				_, _, err := wiretest.Stream(codecs[codec], strings.NewReader("event: error\ndata: "+tt.text+"\n\n"))
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(e, tt.kind) || e.Message != tt.message || e.Status != http.StatusOK {
					t.Errorf("%s: got %+v", codec, err)
				}
			}
		})
	}
}
