package plan

import (
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// checkMessages demands a conversation that every provider can follow: parts
// that fit their role, every call answered before the next turn, no answer
// without its call.
func checkMessages(req *chat.Request) error {
	if len(req.Messages) == 0 {
		return chat.Invalid("Messages", "the conversation is empty")
	}
	var open pendingCalls
	for i, m := range req.Messages {
		if err := checkRole(i, m); err != nil {
			return err
		}
		if m.Role != chat.RoleTool {
			if err := open.checkAnswered(); err != nil {
				return err
			}
		}
		for j, part := range m.Parts {
			path := fmt.Sprintf("Messages[%d].Parts[%d]", i, j)
			if err := checkPart(path, m.Role, part); err != nil {
				return err
			}
			if err := open.addPart(path, part); err != nil {
				return err
			}
		}
	}
	if !slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return m.Role != chat.RoleSystem }) {
		return chat.Invalid("Messages", "nobody but the system speaks: there is nothing to answer")
	}
	return open.checkAnswered()
}

func checkRole(i int, m chat.Message) error {
	switch m.Role {
	case chat.RoleSystem, chat.RoleUser, chat.RoleTool:
		if len(m.Parts) == 0 {
			return chat.Invalid(fmt.Sprintf("Messages[%d].Parts", i), "is empty")
		}
	case chat.RoleAssistant:
	default:
		return chat.Invalid(fmt.Sprintf("Messages[%d].Role", i), fmt.Sprintf("unknown role %q", m.Role))
	}
	return nil
}

func checkPart(path string, role chat.Role, part chat.Part) error {
	var fits bool
	switch p := part.(type) {
	case nil:
		return chat.Invalid(path, "is nil")
	case chat.Text:
		fits = role != chat.RoleTool
	case chat.Thinking:
		fits = role == chat.RoleAssistant
	case chat.Image:
		fits = role == chat.RoleUser
		if err := checkMedia(path, p.MediaType, p.Data, p.URL); err != nil {
			return err
		}
	case chat.File:
		fits = role == chat.RoleUser
		if err := checkMedia(path, p.MediaType, p.Data, p.URL+p.ID); err != nil {
			return err
		}
	case chat.Audio:
		fits = role == chat.RoleUser
		if err := checkMedia(path, p.MediaType, p.Data, ""); err != nil {
			return err
		}
	case chat.ToolCall:
		fits = role == chat.RoleAssistant
		if p.ID == "" {
			return chat.Invalid(path+".ID", "is empty")
		}
	case chat.ToolResult:
		fits = role == chat.RoleTool
		if err := checkResultParts(path, p.Parts); err != nil {
			return err
		}
	}
	if !fits {
		return chat.Invalid(path, fmt.Sprintf("%T in a message of role %q", part, role))
	}
	return nil
}

func checkMedia(path, mediaType string, data []byte, where string) error {
	switch {
	case len(data) == 0 && where == "":
		return chat.Invalid(path, "holds no data and no address")
	case len(data) > 0 && mediaType == "":
		return chat.Invalid(path+".MediaType", "is empty")
	}
	return nil
}

func checkResultParts(path string, parts []chat.Part) error {
	for k, part := range parts {
		inner := fmt.Sprintf("%s.Parts[%d]", path, k)
		switch part.(type) {
		case chat.Text, chat.Image, chat.File:
			role := chat.RoleUser // a result's parts are what a user could show
			if err := checkPart(inner, role, part); err != nil {
				return err
			}
		case nil, chat.Thinking, chat.Audio, chat.ToolCall, chat.ToolResult:
			return chat.Invalid(inner, fmt.Sprintf("%T in a tool result", part))
		}
	}
	return nil
}

// pendingCalls are the calls of the last assistant turn that have no result
// yet, each with its path.
type pendingCalls struct {
	paths map[string]string
	order []string
}

func (c *pendingCalls) addPart(path string, part chat.Part) error {
	switch p := part.(type) {
	case chat.ToolCall:
		if c.paths == nil {
			c.paths = make(map[string]string)
		}
		if _, dup := c.paths[p.ID]; dup {
			return chat.Invalid(path+".ID", fmt.Sprintf("two calls of one turn share the id %q", p.ID))
		}
		c.paths[p.ID] = path
		c.order = append(c.order, p.ID)
	case chat.ToolResult:
		if _, ok := c.paths[p.CallID]; !ok {
			return chat.Invalid(path+".CallID", fmt.Sprintf("no open call has the id %q", p.CallID))
		}
		delete(c.paths, p.CallID)
	case chat.Text, chat.Thinking, chat.Image, chat.File, chat.Audio:
	}
	return nil
}

// checkAnswered demands that every call was answered.
func (c *pendingCalls) checkAnswered() error {
	for _, id := range c.order {
		if path, open := c.paths[id]; open {
			return chat.Invalid(path, fmt.Sprintf("the call %q has no result", id))
		}
	}
	c.order = c.order[:0]
	clear(c.paths)
	return nil
}
