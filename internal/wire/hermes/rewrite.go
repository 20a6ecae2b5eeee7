package hermes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// Rewrite turns a call with tools into one that has none: tools go before the
// system text, earlier calls and results become text, and what the choice, a
// subset or a ban on parallel calls demand is said at the end of the last
// message of the user. A model can ignore words, so the reply must be checked.
// Under none the tools are not written. The call that is given isn't changed.
//
// Errors are a choice that names no offered tool, a result without a call, and
// a template that can't be read back.
func Rewrite(call wire.Call, choice toolchoice.Choice, t Template) (wire.Call, error) {
	t = t.withDefaults()
	w := &rewriter{t: t, guard: t.makeGuard(), names: map[string]string{}}
	err := t.checkTags()
	if err == nil {
		err = checkChoice(&call, choice)
	}
	if err == nil {
		call.Messages, err = w.rewriteHistory(call.Messages)
	}
	if err != nil {
		return wire.Call{}, fmt.Errorf("hermes: %w", err)
	}
	words := w.instructChoice(&call, choice)
	if len(call.Tools) > 0 && choice.Mode() != toolchoice.ModeNone {
		call.System = strings.TrimSuffix(t.fillPrompt(w.writeTools(call.Tools))+"\n\n"+call.System, "\n\n")
	}
	call.Tools, call.Choice, call.Allowed, call.ParallelTools = nil, toolchoice.Choice{}, nil, nil
	if words != "" {
		call.System, call.Messages = addWords(call.System, call.Messages, words)
	}
	return call, nil
}

func checkChoice(c *wire.Call, choice toolchoice.Choice) error {
	if err := choice.Err(); err != nil {
		return err
	}
	if choice.Forced() && len(c.Tools) == 0 {
		return fmt.Errorf("choice %s without tools", choice)
	}
	offered := func(t chat.ToolDef) bool { return t.Name == choice.Name() }
	if choice.Mode() == toolchoice.ModeTool && !slices.ContainsFunc(c.Tools, offered) {
		return fmt.Errorf("choice %s names no offered tool", choice)
	}
	return nil
}

// rewriter holds what one rewriting needs.
type rewriter struct {
	t     Template
	guard *strings.Replacer
	names map[string]string // of the tools called so far, by the call's id
	calls bool              // the history holds calls
}

// writeTools writes the signatures, one per line, in the caller's order.
func (r *rewriter) writeTools(tools []chat.ToolDef) string {
	lines := make([]string, 0, len(tools))
	for i := range tools {
		d := &tools[i]
		var w rawjson.Writer
		w.Object()
		w.Str("type", "function")
		w.Obj("function")
		w.Str("name", d.Name)
		w.StrIf("description", d.Description)
		w.Key("parameters")
		if len(d.Schema) > 0 {
			w.Raw(rawjson.AppendCompact(nil, d.Schema))
		} else {
			w.Raw([]byte(`{"type":"object","properties":{}}`))
		}
		w.EndObject()
		w.EndObject()
		lines = append(lines, r.guard.Replace(string(w.Buf)))
	}
	return strings.Join(lines, "\n")
}

// instructChoice says what the choice demands of this turn, in words.
func (r *rewriter) instructChoice(c *wire.Call, choice toolchoice.Choice) string {
	var said []string
	tag := openingTag(r.t.Call)
	switch choice.Mode() {
	case toolchoice.ModeNone:
		if r.calls {
			said = append(said, "Answer in words now, without calling a function.")
		}
		return strings.Join(said, " ")
	case toolchoice.ModeAny:
		said = append(said, "Your answer must be a function call in "+tag+" tags now, and no other text.")
	case toolchoice.ModeTool:
		said = append(said, fmt.Sprintf("Your answer must be a call of the function %s in %s tags now, and no other text.",
			choice.Name(), tag))
	case toolchoice.ModeAuto, toolchoice.Unset:
	}
	if len(c.Tools) == 0 {
		return ""
	}
	if c.Allowed != nil && choice.Mode() != toolchoice.ModeTool {
		said = append(said, "Only these functions may be called now: "+strings.Join(c.Allowed, ", ")+".")
	}
	if c.ParallelTools != nil && !*c.ParallelTools {
		said = append(said, "Call at most one function now.")
	}
	return strings.Join(said, " ")
}

// addWords puts words at the end of a conversation: into the user's last message if
// that is the last of all, else to the end of the system text.
func addWords(system string, msgs []chat.Message, words string) (string, []chat.Message) {
	n := len(msgs) - 1
	if n < 0 || msgs[n].Role != chat.RoleUser {
		return strings.TrimPrefix(system+"\n\n"+words, "\n\n"), msgs
	}
	msgs = slices.Clone(msgs)
	msgs[n].Parts = addText(slices.Clone(msgs[n].Parts), words)
	return system, msgs
}

// addText adds a paragraph to a message, as one text with the text before it.
func addText(parts []chat.Part, text string) []chat.Part {
	if n := len(parts) - 1; n >= 0 {
		if last, ok := parts[n].(chat.Text); ok && last.Text != "" {
			parts[n] = chat.Text{Text: last.Text + "\n\n" + text, Signature: last.Signature}
			return parts
		}
	}
	return append(parts, chat.Text{Text: text})
}
