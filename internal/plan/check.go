package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// checkRequest is rule 1: what is wrong in itself is refused with the path of
// the field, whatever the engine.
func (p *planner) checkRequest() error {
	if p.Model == "" {
		return chat.Invalid("Model", "is empty and the engine has no default")
	}
	for _, check := range []func(*chat.Request) error{checkTools, checkChoice, checkOutput, checkNumbers, checkMessages} {
		if err := check(p.req); err != nil {
			return err
		}
	}
	return nil
}

func checkTools(req *chat.Request) error {
	seen := make(map[string]int, len(req.Tools))
	for i, t := range req.Tools {
		if why := checkName(t.Name); why != "" {
			return chat.Invalid(fmt.Sprintf("Tools[%d].Name", i), why)
		}
		if first, dup := seen[t.Name]; dup {
			return chat.Invalid(fmt.Sprintf("Tools[%d].Name", i), fmt.Sprintf("%q is already the name of Tools[%d]", t.Name, first))
		}
		seen[t.Name] = i
		if len(t.Schema) == 0 {
			continue
		}
		if err := schema.CheckArguments(t.Schema); err != nil {
			return chat.Invalid(fmt.Sprintf("Tools[%d].Schema", i), err.Error())
		}
	}
	if req.AllowedTools != nil && len(req.AllowedTools) == 0 {
		return chat.Invalid("AllowedTools", "is empty: to forbid all tools use toolchoice.None()")
	}
	for i, name := range req.AllowedTools {
		if slices.Contains(req.AllowedTools[:i], name) {
			return chat.Invalid(fmt.Sprintf("AllowedTools[%d]", i), fmt.Sprintf("%q stands twice", name))
		}
		if _, ok := seen[name]; !ok {
			return chat.Invalid(fmt.Sprintf("AllowedTools[%d]", i), fmt.Sprintf("no tool %q is offered", name))
		}
	}
	return nil
}

// maxName is the longest name of a tool, in bytes.
const maxName = 64

// checkName says what is wrong with a tool's name. The rule is the narrowest of
// the providers': 1 to 64 of a-z, A-Z, 0-9, underscore and hyphen.
func checkName(name string) string {
	if name == "" {
		return "is empty"
	}
	if len(name) > maxName {
		return fmt.Sprintf("%q is longer than %d characters", name, maxName)
	}
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
		default:
			return fmt.Sprintf("%q holds %q: only letters, digits, _ and - are taken by every provider", name, r)
		}
	}
	return ""
}

func checkChoice(req *chat.Request) error {
	c := req.ToolChoice
	if c.IsZero() {
		return nil
	}
	if err := c.Err(); err != nil {
		return &chat.Error{Kind: chat.ErrInvalid, Param: "ToolChoice", Message: err.Error(), Err: err}
	}
	if len(req.Tools) == 0 {
		return chat.Invalid("ToolChoice", c.String()+" without Tools")
	}
	if c.Mode() != toolchoice.ModeTool {
		return nil
	}
	if !slices.ContainsFunc(req.Tools, func(t chat.ToolDef) bool { return t.Name == c.Name() }) {
		return chat.Invalid("ToolChoice", fmt.Sprintf("no tool %q is offered", c.Name()))
	}
	if req.AllowedTools != nil && !slices.Contains(req.AllowedTools, c.Name()) {
		return chat.Invalid("ToolChoice", fmt.Sprintf("%q is not among AllowedTools", c.Name()))
	}
	return nil
}

func checkOutput(req *chat.Request) error {
	out := req.Output
	if out == nil {
		return nil
	}
	if out.Name != "" {
		if why := checkName(out.Name); why != "" {
			return chat.Invalid("Output.Name", why)
		}
	}
	if len(out.Schema) == 0 {
		return nil
	}
	if err := schema.Check(out.Schema); err != nil {
		return chat.Invalid("Output.Schema", err.Error())
	}
	return nil
}

func checkNumbers(req *chat.Request) error {
	for _, n := range []struct {
		path  string
		value int
	}{{"MaxTokens", req.MaxTokens}, {"Thinking.Budget", req.Thinking.Budget}, {"Cache.Messages", req.Cache.Messages}} {
		if n.value < 0 {
			return chat.Invalid(n.path, "is negative")
		}
	}
	if t := req.Temperature; t != nil && !(*t >= 0 && *t <= math.MaxFloat32) {
		return chat.Invalid("Temperature", "is not a number from 0 up")
	}
	if t := req.TopP; t != nil && !(*t >= 0 && *t <= 1) {
		return chat.Invalid("TopP", "is not a number from 0 to 1")
	}
	if i := slices.Index(req.Stop, ""); i >= 0 {
		return chat.Invalid(fmt.Sprintf("Stop[%d]", i), "is empty")
	}
	switch req.Thinking.Mode {
	case chat.ThinkingDefault, chat.ThinkingOff, chat.ThinkingOn, chat.ThinkingAdaptive:
	default:
		return chat.Invalid("Thinking.Mode", fmt.Sprintf("unknown mode %q", req.Thinking.Mode))
	}
	if e := req.Thinking.Effort; e != chat.EffortDefault && !slices.Contains(efforts, e) {
		return chat.Invalid("Thinking.Effort", fmt.Sprintf("unknown effort %q", e))
	}
	if req.Thinking.Mode == chat.ThinkingOff && (req.Thinking.Effort != "" || req.Thinking.Budget > 0) {
		return chat.Invalid("Thinking", "is off and has an effort or a budget")
	}
	if req.Cache.Messages > len(req.Messages) {
		return chat.Invalid("Cache.Messages", "is more than there are messages")
	}
	return nil
}
