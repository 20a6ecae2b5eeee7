package conformance

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// TestOfficialClientsReadAScript has all that a reply can hold read back:
// thought, text and two calls at once.
func TestOfficialClientsReadAScript(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, stream bool) {
		t.Helper()
		turn := sim.Turn{
			Thinking: "Two harbours.", Text: "Let me see — één moment.",
			Calls: []sim.ToolCall{
				{Name: toolName, Arguments: json.RawMessage(`{"city":"Ghent"}`)},
				{Name: toolName, Arguments: json.RawMessage(`{"city":"Zierikzee"}`)},
			},
			Usage: sim.Usage{Input: 40, Output: 30},
		}
		got := c.ok(t, c.at(t, sim.Options{Turns: []sim.Turn{turn}}, ask{tools: true, thoughts: true}), stream)
		if got.text != turn.Text || got.finish != c.call {
			t.Errorf("text %q, finish %q", got.text, got.finish)
		}
		if !c.noThoughts && got.thoughts != turn.Thinking {
			t.Errorf("thoughts %q", got.thoughts)
		}
		if got.usage.Input != 40 || got.usage.Output != 30 {
			t.Errorf("usage %+v", got.usage)
		}
		want := "- get_weather {\"city\":\"Ghent\"}\n- get_weather {\"city\":\"Zierikzee\"}\n"
		if calls := spelled(got.calls, nil); calls != want {
			t.Errorf("calls %s", calls)
		}
	})
}

// TestOfficialClientsSeeErrors: a refused key, a limit, and a failure in the
// middle of a stream reach the user as errors of the client's own type.
func TestOfficialClientsSeeErrors(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, stream bool) {
		t.Helper()
		if c.denied != 0 {
			c.fails(t, c.at(t, sim.Options{Keys: []string{"another-key"}}, ask{}), stream, c.denied)
		}
		limited := sim.Options{Turns: []sim.Turn{sim.RateLimited(0)}}
		c.fails(t, c.at(t, limited, ask{}), stream, http.StatusTooManyRequests)
	})
}

func TestOfficialClientsSeeErrorsInStreams(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			turn := sim.Fails(http.StatusServiceUnavailable, "no more").With(sim.Fault{FailAfter: 2})
			turn.Text = "This will not be said to its end."
			got := c.read(t.Context(), c.at(t, sim.Options{Turns: []sim.Turn{turn}}, ask{}), true)
			if got.err == nil || !strings.Contains(got.err.Error(), "no more") {
				t.Errorf("error %v", got.err)
			}
		})
	}
}

func (c client) fails(t *testing.T, p place, stream bool, status int) {
	t.Helper()
	got := c.read(t.Context(), p, stream)
	if got.err == nil || got.status != status {
		t.Errorf("status %d, error %v; want %d", got.status, got.err, status)
	}
}
