package compact_test

import (
	"github.com/sabir-go/sabir/agent/internal/agenttest"
	"github.com/sabir-go/sabir/chat"
)

type (
	script  = agenttest.Script
	replies = agenttest.Replies
)

// What the tests of agents share, by short names.
var (
	scripted = agenttest.NewScript
	text     = agenttest.TextReply
	calls    = agenttest.CallsReply
	ended    = agenttest.WithFinish
	says     = agenttest.TextTool
	stopped  = agenttest.CheckStopped
	sound    = agenttest.CheckSound
	stateOf  = agenttest.StateOf
	outcomes = agenttest.Outcomes
	said     = agenttest.ResultText
)

var hello = chat.User("What is the weather in Ghent?")
