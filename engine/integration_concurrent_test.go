package engine_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
)

var callerName = regexp.MustCompile(`caller-\d+-\d+`)

// echo answers with the caller's name, so that answers can be told apart.
func echo(d profile.Dialect) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		name := callerName.FindString(string(body))
		if wantsStream(r.URL, body) {
			return stream200(d, streamed(d, name))(r)
		}
		return document(200, answer{text: name}.in(d, false))(r)
	}
}

// TestConcurrentCalls: 64 goroutines share an engine and a request's parts, and
// each gets its own answer.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		m := mock(t, entry, engine.Config{APIKey: testKey, Model: entry.Profile.Example}, echo(entry.Profile.Dialect))
		shared := &chat.Request{System: "Be brief.", Cache: chat.PromptCache{Auto: true}, Output: nil, Metadata: map[string]string{"user_id": "u"}}
		if hasTools(entry) {
			shared.Tools = matrixTools
		}
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				for j := range 2 {
					name := fmt.Sprintf("caller-%d-%d", i, j)
					if err := askByName(t.Context(), m, shared, name, (i+j)%2 == 0); err != nil {
						t.Error(name, err)
					}
				}
			})
		}
		wg.Wait()
		if m.calls() != 64*2 {
			t.Errorf("%d requests", m.calls())
		}
	})
}

func askByName(ctx context.Context, m *mocked, shared *chat.Request, name string, stream bool) error {
	req := *shared
	req.Messages = chat.Prompt(name)
	plan, err := m.Plan(&req)
	if err != nil {
		return err
	}
	if !strings.Contains(plan.String(), name) {
		return fmt.Errorf("the plan is another's: %s", plan)
	}
	var reply *chat.Reply
	if stream {
		_, reply, err = collect(ctx, m, &req)
	} else {
		reply, err = m.Chat(ctx, &req)
	}
	if err != nil {
		return err
	}
	if reply.Text() != name {
		return fmt.Errorf("the answer is another's: %q", reply.Text())
	}
	return nil
}
