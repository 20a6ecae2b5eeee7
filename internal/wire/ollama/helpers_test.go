package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

const thoughts = "The visitor gave a date and a station. I need the tide table before offering a berth."

// harbour are the tools of the story with schemas that leave room for more.
func harbour() []chat.ToolDef {
	tools := wiretest.Tools(false)
	for i := range tools {
		open := strings.Replace(string(tools[i].Schema), `,"additionalProperties":false`, "", 1)
		tools[i].Schema = json.RawMessage(open)
	}
	return tools
}

func asked() wire.Call {
	return wire.Call{Model: "qwen3:8b", System: wiretest.System, Messages: chat.Prompt(wiretest.Question)}
}

func encode(t *testing.T, c wire.Call) []byte {
	t.Helper()
	enc := wiretest.Encode(t, codec, c)
	if enc.Path != "/api/chat" {
		t.Errorf("path %q", enc.Path)
	}
	return enc.Body
}

// member is one member of a body, as JSON.
func member(t *testing.T, body []byte, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return string(m[name])
}

// stream decodes lines as an engine does.
func stream(lines ...string) (*chat.Reply, []chat.Event, error) {
	return wiretest.Collect(codec, frame.NewNDJSON(strings.NewReader(strings.Join(lines, "\n")), 0))
}
