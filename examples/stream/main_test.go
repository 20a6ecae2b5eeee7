package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

func TestTell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		turn sim.Turn
		want string
		err  error
	}{
		{"whole", sim.Says("A castle in Ghent."), "A castle in Ghent.", nil},
		{"cut", sim.Says("A castle in Ghent.").With(sim.Fault{CutAfter: 4}), "A", chat.ErrTruncated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, err := sim.Start(sim.Options{Turns: []sim.Turn{tt.turn}})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			var out bytes.Buffer
			err = tell(t.Context(), &out, engine.NewAnthropic(engine.Config{
				BaseURL: server.BaseURL("anthropic"), APIKey: "any", Model: "claude-sonnet-4-5",
			}))
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if got := out.String(); got != tt.want {
				t.Errorf("printed %q, want %q", got, tt.want)
			}
		})
	}
}
