package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

// rewriteKind is the signature kind of a synthetic call: Data is the text that
// the provider wrote.
const rewriteKind = "rewrite"

// historyHasCalls reports whether the conversation holds calls that go back as
// calls.
func (p *planner) historyHasCalls() bool {
	return slices.ContainsFunc(p.req.Messages, func(m chat.Message) bool {
		return slices.ContainsFunc(m.ToolCalls(), func(c chat.ToolCall) bool { return !p.goesAsText(c) })
	})
}

// planHistory makes the conversation one that this provider can be shown:
// opaque parts go back to their origin only, and calls that it never made, or
// can't be shown as calls, go back as text.
func (p *planner) planHistory() error {
	msgs := p.req.Messages
	if p.caps.Can.Has(profile.CallsNeedTools) && len(p.Call.Tools) == 0 && p.historyHasCalls() {
		return p.refuse("a history with calls and no tools", "this wire wants the definitions of the tools that were called",
			"give the same Tools, with toolchoice.None()")
	}
	if !slices.ContainsFunc(msgs, p.mustRewriteTurn) && !hasRepeatedIDs(msgs) {
		p.Call.Messages = msgs
		return p.checkOpenLoop()
	}
	h := history{planner: p, used: make(map[string]bool)}
	for _, m := range msgs {
		h.addTurn(m)
	}
	p.Call.Messages = h.out
	return p.checkOpenLoop()
}

// mustRewriteTurn reports whether a turn can't go back as it is.
func (p *planner) mustRewriteTurn(m chat.Message) bool {
	return p.hasCallAsText(m) || p.hasForeignPart(m) ||
		slices.ContainsFunc(m.ToolCalls(), func(c chat.ToolCall) bool { return checkName(c.Name) != "" })
}

// hasRepeatedIDs reports whether two turns have calls of the same id, as servers
// make them that count anew.
func hasRepeatedIDs(msgs []chat.Message) bool {
	seen := make(map[string]bool)
	for _, m := range msgs {
		for _, c := range m.ToolCalls() {
			if seen[c.ID] {
				return true
			}
			seen[c.ID] = true
		}
	}
	return false
}

// checkOpenLoop refuses to go on with thinking in a tool loop that was begun
// without, where the wire wants the loop's turn to begin with its thought.
func (p *planner) checkOpenLoop() error {
	msgs := p.Call.Messages
	n := len(msgs)
	if !p.caps.Thinking.ThoughtFirst || p.Call.Thinking.Type != "enabled" || n < 2 || msgs[n-1].Role != chat.RoleTool {
		return nil
	}
	if turn := msgs[n-2]; len(turn.Parts) > 0 {
		if t, ok := turn.Parts[0].(chat.Thinking); ok && !t.Signature.IsZero() {
			return nil
		}
	}
	if p.switchThinkingOff() {
		return nil
	}
	return p.refuse("thinking", "not in the middle of a tool loop whose last turn was made without thinking, or elsewhere",
		p.thinkingWaysOut()...)
}

// hasCallAsText reports whether a turn holds a call that goes back as text.
func (p *planner) hasCallAsText(m chat.Message) bool {
	return slices.ContainsFunc(m.Parts, func(part chat.Part) bool {
		c, ok := part.(chat.ToolCall)
		return ok && p.goesAsText(c)
	})
}

// goesAsText: the provider wrote text where a rewrite made a call of it, and a
// provider that calls no tools can't be shown one.
func (p *planner) goesAsText(c chat.ToolCall) bool {
	if !p.caps.Can.Has(profile.ToolUse) {
		return true
	}
	return c.Synthetic && c.Signature.Kind == rewriteKind && c.Signature.Engine == p.Host.Name
}

// hasForeignPart reports whether a turn holds an opaque part of another origin.
func (p *planner) hasForeignPart(m chat.Message) bool {
	return slices.ContainsFunc(m.Parts, func(part chat.Part) bool { return p.isForeignPart(part) })
}

func (p *planner) isForeignPart(part chat.Part) bool {
	sig := signatureOf(part)
	if sig.Engine != "" {
		return sig.Engine != p.Host.Name
	}
	c, ok := part.(chat.ToolCall)
	return ok && c.Synthetic // by an engine that nobody names
}

func signatureOf(part chat.Part) chat.Signature {
	switch part := part.(type) {
	case chat.Text:
		return part.Signature
	case chat.Thinking:
		return part.Signature
	case chat.ToolCall:
		return part.Signature
	case chat.Image, chat.File, chat.Audio, chat.ToolResult, nil:
	}
	return chat.Signature{}
}

// history is a conversation as this provider may see it, in the making.
type history struct {
	*planner
	out []chat.Message
	// calls are those of the last assistant turn, by the id that the caller
	// knows; ids are what they are called here.
	calls map[string]chat.ToolCall
	ids   map[string]string
	used  map[string]bool
}

// addTurn appends a turn.
func (h *history) addTurn(m chat.Message) {
	switch m.Role {
	case chat.RoleTool:
		h.addResults(m)
		return
	case chat.RoleAssistant:
		h.calls, h.ids = make(map[string]chat.ToolCall), make(map[string]string)
		for _, c := range m.ToolCalls() {
			h.calls[c.ID] = c
		}
	case chat.RoleSystem, chat.RoleUser:
	}
	if h.hasForeignPart(m) {
		m = h.withoutForeign(m)
	}
	if len(h.calls) > 0 && m.Role == chat.RoleAssistant {
		m = h.writeCallsAsText(m)
	}
	switch {
	case m.Role == chat.RoleAssistant && len(m.Parts) == 0:
	case m.Role == chat.RoleUser && len(h.out) > 0 && h.out[len(h.out)-1].Role == chat.RoleUser:
		// Results that became text are one user turn with what follows them:
		// some providers insist that turns alternate.
		last := &h.out[len(h.out)-1]
		last.Parts = slices.Concat(last.Parts, m.Parts)
	default:
		h.out = append(h.out, m)
	}
}

// withoutForeign leaves out thoughts of another origin, and takes its tokens
// off the other parts.
func (p *planner) withoutForeign(m chat.Message) chat.Message {
	parts := make([]chat.Part, 0, len(m.Parts))
	for _, part := range m.Parts {
		if !p.isForeignPart(part) {
			parts = append(parts, part)
			continue
		}
		switch part := part.(type) {
		case chat.Text:
			part.Signature = chat.Signature{}
			parts = append(parts, part)
		case chat.ToolCall:
			part.Signature, part.Synthetic = chat.Signature{}, false
			parts = append(parts, part)
		case chat.Thinking:
			p.addStepOnce(chat.StepPartsLeftOut, "thoughts that another engine signed are left out")
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
			parts = append(parts, part)
		}
	}
	return chat.Message{Role: m.Role, Parts: parts}
}

// writeCallsAsText puts the calls that this provider did not make as calls into text,
// and gives the others an id of their own and a name that wires take.
func (h *history) writeCallsAsText(m chat.Message) chat.Message {
	parts := make([]chat.Part, 0, len(m.Parts))
	for _, part := range m.Parts {
		c, ok := part.(chat.ToolCall)
		if !ok {
			parts = append(parts, part)
			continue
		}
		if original := h.calls[c.ID]; !h.goesAsText(original) {
			parts = append(parts, h.renameCall(c))
			continue
		}
		c = h.calls[c.ID]
		h.addStepOnce(chat.StepHistoryAsText, "earlier calls that this provider did not make as calls go back as text")
		text := c.Signature.Data
		if c.Signature.Kind != rewriteKind {
			text = "Call of " + c.Name + " with " + string(c.Arguments)
		}
		parts = append(parts, chat.Text{Text: text})
	}
	return chat.Message{Role: m.Role, Parts: parts}
}

func (h *history) renameCall(c chat.ToolCall) chat.ToolCall {
	id := c.ID
	for n := 2; h.used[id]; n++ {
		id = fmt.Sprintf("%s_%d", c.ID, n)
	}
	h.used[id], h.ids[c.ID] = true, id
	c.ID, c.Name = id, safeName(c.Name)
	return c
}

// safeName is a name that every wire takes: a model may have called a tool that
// was never offered by any.
func safeName(name string) string {
	if name == "" {
		return "_"
	}
	safe := strings.Map(func(r rune) rune {
		if checkName(string(r)) != "" {
			return '_'
		}
		return r
	}, name)
	return safe[:min(len(safe), maxName)]
}

// addResults appends a turn of results: as it is for calls that stayed calls,
// as user text for those that became text.
func (h *history) addResults(m chat.Message) {
	var results, told []chat.Part
	for _, part := range m.Parts {
		r, ok := part.(chat.ToolResult)
		if !ok {
			continue
		}
		c := h.calls[r.CallID]
		if h.goesAsText(c) {
			told = append(told, writeResultAsText(c.Name, r)...)
			continue
		}
		r.CallID = h.ids[r.CallID]
		if r.Name != "" {
			r.Name = safeName(r.Name)
		}
		results = append(results, r)
	}
	if len(results) > 0 {
		h.out = append(h.out, chat.Message{Role: chat.RoleTool, Parts: results})
	}
	if len(told) == 0 {
		return
	}
	if n := len(h.out); n > 0 && h.out[n-1].Role == chat.RoleUser {
		h.out[n-1].Parts = slices.Concat(h.out[n-1].Parts, told)
		return
	}
	h.out = append(h.out, chat.Message{Role: chat.RoleUser, Parts: told})
}

// writeResultAsText puts a result into words; its images and files stay parts.
func writeResultAsText(tool string, r chat.ToolResult) []chat.Part {
	var b strings.Builder
	if r.IsError {
		b.WriteString(tool + " failed: ")
	} else {
		b.WriteString("Result of " + tool + ": ")
	}
	var rest []chat.Part
	for _, part := range r.Parts {
		if t, ok := part.(chat.Text); ok {
			b.WriteString(t.Text)
			continue
		}
		rest = append(rest, part)
	}
	return append([]chat.Part{chat.Text{Text: b.String()}}, rest...)
}

// addStepOnce notes a rewrite of the history, however often it happens.
func (p *planner) addStepOnce(kind chat.PlanStepKind, detail string) {
	if !slices.ContainsFunc(p.Steps, func(s chat.PlanStep) bool { return s.Kind == kind }) {
		p.addStep(kind, "%s", detail)
	}
}
