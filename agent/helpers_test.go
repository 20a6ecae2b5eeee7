package agent_test

import (
	"context"
	"testing"

	"github.com/sabir-go/sabir/agent/internal/agenttest"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

type (
	script  = agenttest.Script
	replies = agenttest.Replies
)

// What the tests of agents and flows share, by short names.
var (
	scripted = agenttest.NewScript
	text     = agenttest.TextReply
	calls    = agenttest.CallsReply
	ended    = agenttest.WithFinish
	named    = agenttest.Tool
	says     = agenttest.TextTool
	counted  = agenttest.CountedTool
	stopped  = agenttest.CheckStopped
	sound    = agenttest.CheckSound
	same     = agenttest.CheckSame
	stateOf  = agenttest.StateOf
	outcomes = agenttest.Outcomes
	said     = agenttest.ResultText
	line     = agenttest.Line
	told     = agenttest.Lines
)

var hello = chat.User("What is the weather in Ghent?")

type city struct {
	City string `json:"city"`
}

// weather is the everyday tool.
var weather = tools.New("get_weather", "Current weather in a city.",
	func(_ context.Context, in city) (string, error) { return "4 °C in " + in.City, nil })

func bodyOf(t *testing.T, p *chat.Plan) []byte {
	t.Helper()
	body, err := p.Body()
	if err != nil {
		t.Fatal(err)
	}
	return body
}
