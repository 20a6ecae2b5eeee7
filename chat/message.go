package chat

import "strings"

// Role says who speaks in a [Message].
type Role string

// The roles. A system message in the middle of a conversation is an
// instruction given there; the one at the start is better put into
// [Request.System].
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of a conversation. It marshals to JSON and back without
// loss, so conversations can be stored.
type Message struct {
	Role  Role
	Parts []Part
}

// Text joins the message's text parts.
func (m Message) Text() string { return joinText(m.Parts) }

// ToolCalls returns the message's calls, in order.
func (m Message) ToolCalls() []ToolCall { return collect[ToolCall](m.Parts) }

// Prompt is a conversation of one user message.
func Prompt(text string) []Message { return []Message{User(text)} }

// User is a message from the user.
func User(text string) Message { return Message{RoleUser, []Part{Text{Text: text}}} }

// Assistant is a message from the model.
func Assistant(text string) Message { return Message{RoleAssistant, []Part{Text{Text: text}}} }

// System is an instruction in the middle of a conversation.
func System(text string) Message { return Message{RoleSystem, []Part{Text{Text: text}}} }

// Results is the message that answers the calls of the message before it.
func Results(results ...ToolResult) Message {
	m := Message{Role: RoleTool, Parts: make([]Part, len(results))}
	for i, r := range results {
		m.Parts[i] = r
	}
	return m
}

// TextResult is the result of a tool that returned text.
func TextResult(callID, text string) ToolResult {
	return ToolResult{CallID: callID, Parts: []Part{Text{Text: text}}}
}

// ErrorResult is the result of a tool that failed; text tells the model how.
func ErrorResult(callID, text string) ToolResult {
	return ToolResult{CallID: callID, Parts: []Part{Text{Text: text}}, IsError: true}
}

// AskFor is the wish for one tool, in words: a part to add to the user
// message. It is the way out where a tool can't be forced, such as beside
// extended thinking. The model may explain itself before the call, and may
// decline, so the choice stays auto.
func AskFor(tool string) Text {
	return Text{Text: "Use the tool " + tool + " to answer this. If it can't be used here, say why instead."}
}

func joinText(parts []Part) string {
	switch texts := collect[Text](parts); len(texts) {
	case 0:
		return ""
	case 1:
		return texts[0].Text
	default:
		var b strings.Builder
		for _, t := range texts {
			b.WriteString(t.Text)
		}
		return b.String()
	}
}

func collect[P Part](parts []Part) []P {
	var out []P
	for _, p := range parts {
		if p, ok := p.(P); ok {
			out = append(out, p)
		}
	}
	return out
}
