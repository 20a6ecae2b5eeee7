//go:build e2e

package e2e_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

var (
	weather = chat.ToolDef{
		Name: "get_weather", Description: "Weather in a city",
		Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`),
	}
	table = chat.ToolDef{
		Name: "book_table", Description: "Book a table",
		Schema: json.RawMessage(`{"type":"object","properties":{"people":{"type":"integer"}},"required":["people"],"additionalProperties":false}`),
	}
)

func ask(prompt string) *chat.Request {
	return &chat.Request{Messages: chat.Prompt(prompt), MaxTokens: 2000}
}

func askWith(prompt string, choice toolchoice.Choice) *chat.Request {
	req := ask(prompt)
	req.Tools = []chat.ToolDef{weather, table}
	req.ToolChoice = choice
	return req
}

func TestText(t *testing.T) {
	t.Parallel()
	const want = "Hello from a server that others wrote, à bientôt."
	for d, f := range pairs(dialects, forms) {
		t.Run(d.name+" "+f.name, func(t *testing.T) {
			t.Parallel()
			s := d.open(nil)
			got := f.call(t, s, ask("say hello"))
			if got.err != nil {
				t.Fatal(got.err)
			}
			if got.reply.Text() != want || got.reply.Finish != chat.FinishStop {
				t.Errorf("got %q, %s", got.reply.Text(), got.reply.Finish)
			}
			if got.events != nil && got.text() != want {
				t.Errorf("deltas say %q", got.text())
			}
			if u := got.reply.Usage; !d.noUsage && (u.Input != 7 || u.Output != 5) {
				t.Errorf("usage %+v, the script says 7 and 5", u)
			}
			wantStatuses(t, s, http.StatusOK)
		})
	}
}
