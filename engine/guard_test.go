package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
)

// unforceable refuses forced choices as Anthropic does, and answers the rest.
type unforceable struct {
	entry  engine.Entry
	bodies *[][]byte
	text   string
}

func (u unforceable) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	*u.bodies = append(*u.bodies, body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var b struct {
		ToolChoice any `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	if !isForced(b.ToolChoice) {
		return server{entry: u.entry, answer: answer{text: u.text}}.RoundTrip(r)
	}
	return &http.Response{
		StatusCode: 400, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: readCloser(`{"type":"error","error":{"type":"invalid_request_error","message":"tool_choice forces tool use is not compatible with this model"}}`),
	}, nil
}

// TestGuardIsLearned: a model that turns out not to take a forced choice is
// planned anew, once, and remembered.
func TestGuardIsLearned(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		var bodies [][]byte
		eng := engine.NewAnthropic(engine.Config{APIKey: "k", HTTPClient: &http.Client{
			Transport: unforceable{entryOf(t, "anthropic"), &bodies, `{"city":"Ghent"}`},
		}})
		for call, want := range []int{2, 3} { // the second call knows
			reply, err := one(t, eng, forced("claude-haiku-4-5"), stream)
			if err != nil {
				t.Fatal(err)
			}
			checkSynthetic(t, reply, `{"city":"Ghent"}`)
			if len(bodies) != want {
				t.Errorf("stream %v, call %d: %d requests in all, want %d", stream, call, len(bodies), want)
			}
		}
		if g := eng.Capabilities("claude-haiku-4-5").Guard; g != profile.GuardAlways {
			t.Errorf("guard %s", g)
		}
		if g := eng.Capabilities("claude-sonnet-4-5").Guard; g != profile.GuardThinking {
			t.Errorf("another model's guard became %s", g)
		}
	}
}

// TestLearnedRefusalNamesBoth: where planning anew gives a refusal, the error
// is that, and the provider's words are still there.
func TestLearnedRefusalNamesBoth(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	eng := engine.NewAnthropic(engine.Config{APIKey: "k", HTTPClient: &http.Client{Transport: unforceable{entryOf(t, "anthropic"), &bodies, ""}}})
	_, err := eng.Chat(t.Context(), forced("claude-3-haiku-20240307"))
	if !errors.Is(err, chat.ErrUnsupported) || !errors.Is(err, chat.ErrBadRequest) || len(bodies) != 1 {
		t.Errorf("error %v after %d requests", err, len(bodies))
	}
}

func one(t *testing.T, eng engine.Engine, req *chat.Request, stream bool) (*chat.Reply, error) {
	t.Helper()
	if !stream {
		return eng.Chat(t.Context(), req)
	}
	_, reply, err := collect(t.Context(), eng, req)
	return reply, err
}
