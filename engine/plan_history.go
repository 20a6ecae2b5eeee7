package engine

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// rewriteKind is the signature kind of a synthetic call: Data is the text that
// the provider wrote.
const rewriteKind = "rewrite"

// historyHasCalls reports whether the conversation holds calls that go back as
// calls.
func (p *planner) historyHasCalls() bool {
	return slices.ContainsFunc(p.req.Messages, func(m chat.Message) bool {
		return slices.ContainsFunc(m.ToolCalls(), func(c chat.ToolCall) bool { return !p.callAsText(c) })
	})
}

// planHistory makes the conversation one that this provider can be shown:
// opaque parts go back to their origin only, and calls that it never made, or
// can't be shown as calls, go back as text.
func (p *planner) planHistory() error {
	msgs := p.req.Messages
	if p.caps.Can.Has(CallsNeedTools) && len(p.call.Tools) == 0 && p.historyHasCalls() {
		return p.refuse("a history with calls and no tools", "this wire wants the definitions of the tools that were called",
			"give the same Tools, with toolchoice.None()")
	}
	for i, m := range msgs {
		if p.asText(m) || p.foreign(m) {
			out := slices.Clone(msgs[:i])
			for _, m := range msgs[i:] {
				out = p.addTurn(out, m)
			}
			p.call.Messages = out
			return nil
		}
	}
	p.call.Messages = msgs
	return nil
}

// asText reports whether a turn holds a call that goes back as text.
func (p *planner) asText(m chat.Message) bool {
	return slices.ContainsFunc(m.Parts, func(part chat.Part) bool {
		c, ok := part.(chat.ToolCall)
		return ok && p.callAsText(c)
	})
}

// callAsText: the provider wrote text where a rewrite made a call of it, and a
// provider that calls no tools can't be shown one.
func (p *planner) callAsText(c chat.ToolCall) bool {
	if !p.caps.Can.Has(ToolUse) {
		return true
	}
	return c.Synthetic && c.Signature.Kind == rewriteKind && c.Signature.Engine == p.profile.Name
}

// foreign reports whether a turn holds an opaque part of another origin.
func (p *planner) foreign(m chat.Message) bool {
	return slices.ContainsFunc(m.Parts, func(part chat.Part) bool { return p.foreignPart(part) })
}

func (p *planner) foreignPart(part chat.Part) bool {
	sig := signature(part)
	if sig.Engine != "" {
		return sig.Engine != p.profile.Name
	}
	c, ok := part.(chat.ToolCall)
	return ok && c.Synthetic // by an engine that nobody names
}

func signature(part chat.Part) chat.Signature {
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

// addTurn appends a turn as this provider may see it.
func (p *planner) addTurn(out []chat.Message, m chat.Message) []chat.Message {
	if m.Role == chat.RoleTool {
		return p.addResults(out, m)
	}
	if p.foreign(m) {
		m = p.withoutForeign(m)
	}
	if p.asText(m) {
		m = p.callsAsText(m)
	}
	if m.Role == chat.RoleAssistant && len(m.Parts) == 0 {
		return out
	}
	if m.Role == chat.RoleUser && len(out) > 0 {
		// Results that became text are one user turn with what follows them:
		// some providers insist that turns alternate.
		if last := &out[len(out)-1]; last.Role == chat.RoleUser {
			last.Parts = slices.Concat(last.Parts, m.Parts)
			return out
		}
	}
	return append(out, m)
}

// withoutForeign leaves out thoughts of another origin, and takes its tokens
// off the other parts.
func (p *planner) withoutForeign(m chat.Message) chat.Message {
	parts := make([]chat.Part, 0, len(m.Parts))
	for _, part := range m.Parts {
		if !p.foreignPart(part) {
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
			p.noteOnce(chat.StepPartsLeftOut, "thoughts that another engine signed are left out")
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
			parts = append(parts, part)
		}
	}
	return chat.Message{Role: m.Role, Parts: parts}
}

func (p *planner) callsAsText(m chat.Message) chat.Message {
	parts := make([]chat.Part, 0, len(m.Parts))
	for _, part := range m.Parts {
		c, ok := part.(chat.ToolCall)
		if !ok || !p.callAsText(c) {
			parts = append(parts, part)
			continue
		}
		p.noteOnce(chat.StepHistoryAsText, "earlier calls that this provider did not make as calls go back as text")
		text := c.Signature.Data
		if c.Signature.Kind != rewriteKind {
			text = "Call of " + c.Name + " with " + string(c.Arguments)
		}
		parts = append(parts, chat.Text{Text: text})
	}
	return chat.Message{Role: m.Role, Parts: parts}
}

// addResults appends a turn of results: as it is for calls that stayed calls,
// as user text for those that became text.
func (p *planner) addResults(out []chat.Message, m chat.Message) []chat.Message {
	var results, told []chat.Part
	for _, part := range m.Parts {
		r, ok := part.(chat.ToolResult)
		if !ok {
			continue
		}
		if c, ok := p.callOf(r.CallID); ok && p.callAsText(c) {
			told = append(told, tellResult(c.Name, r)...)
			continue
		}
		results = append(results, part)
	}
	if len(results) > 0 {
		out = append(out, chat.Message{Role: chat.RoleTool, Parts: results})
	}
	if len(told) == 0 {
		return out
	}
	if n := len(out); n > 0 && out[n-1].Role == chat.RoleUser {
		out[n-1].Parts = slices.Concat(out[n-1].Parts, told)
		return out
	}
	return append(out, chat.Message{Role: chat.RoleUser, Parts: told})
}

// callOf finds the call that a result answers, the latest of that id.
func (p *planner) callOf(id string) (chat.ToolCall, bool) {
	for _, m := range slices.Backward(p.req.Messages) {
		for _, part := range m.Parts {
			if c, ok := part.(chat.ToolCall); ok && c.ID == id {
				return c, true
			}
		}
	}
	return chat.ToolCall{}, false
}

// tellResult puts a result into words; its images and files stay parts.
func tellResult(tool string, r chat.ToolResult) []chat.Part {
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

// noteOnce notes a rewrite of the history, however often it happens.
func (p *planner) noteOnce(kind chat.StepKind, detail string) {
	if !slices.ContainsFunc(p.steps, func(s chat.Step) bool { return s.Kind == kind }) {
		p.step(kind, "%s", detail)
	}
}
