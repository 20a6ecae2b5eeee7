// Package terms tells requests apart that are sent as the same body.
package terms

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// Terms are what a reply is held against and turned into, beside what is sent.
// Two requests can have one body and differ in them: without tools, or with
// tools left out to express none.
type Terms struct {
	Choice toolchoice.Choice `json:"choice,omitzero"`
	// Tools are their names, each with a digest of its schema.
	Tools    []string `json:"tools,omitempty"`
	Allowed  []string `json:"allowed,omitzero"`
	Parallel *bool    `json:"parallel,omitempty"`
	Output   *Output  `json:"output,omitempty"`
}

// Output is [chat.Output] as it is stored.
type Output struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
}

// Of returns the terms of a request.
func Of(req *chat.Request) Terms {
	t := Terms{Choice: req.ToolChoice, Allowed: req.AllowedTools, Parallel: req.ParallelTools}
	for _, tool := range req.Tools {
		sum := sha256.Sum256(tool.Schema) // the body may have less of it
		t.Tools = append(t.Tools, tool.Name+" "+hex.EncodeToString(sum[:8]))
	}
	if req.Output != nil {
		t.Output = new(Output(*req.Output))
	}
	return t
}
