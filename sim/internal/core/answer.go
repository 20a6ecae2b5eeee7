package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/invent"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// makeAnswer decides what the model says to a request: what the script says, or
// the default behaviour.
func (tk *Task) makeAnswer(t *Turn) *Answer {
	out := &Answer{}
	if t.IsDefault() {
		out.Text, out.Calls = tk.decideContent(&t.Fault)
		if tk.Thinks {
			out.Thinking = tk.makeThought(out.Calls)
		}
	} else {
		out.Thinking, out.Text, out.Calls = t.Thinking, t.Text, slices.Clone(t.Calls)
		if len(t.Calls) > 0 && len(tk.Tools) == 0 && tk.Schema != nil && t.Text == "" {
			out.Text, out.Calls = tk.encodeAsDocument(t.Calls[0]), nil
		}
	}
	out.Finish = tk.cutText(out)
	if t.Finish != "" {
		out.Finish = t.Finish
	}
	out.Refusal = out.Finish == "refusal"
	out.Usage = tk.countUsage(out, t.Usage)
	return out
}

// decideContent is the default behaviour.
func (tk *Task) decideContent(f *Fault) (text string, calls []ToolCall) {
	if f.WrongTool != "" {
		t, _ := tk.findTool(f.WrongTool)
		t.Name = f.WrongTool
		return "", []ToolCall{tk.makeCall(t)}
	}
	if t, ok := tk.pickTool(f); ok {
		return "", []ToolCall{tk.makeCall(t)}
	}
	if tk.Schema != nil {
		return tk.makeDocument(), nil
	}
	return tk.makeText(), nil
}

func (tk *Task) pickTool(f *Fault) (Tool, bool) {
	tools, mode := tk.listOffered(), tk.Choice.Mode
	switch {
	case len(tools) == 0, mode == ChoiceNone && !f.CallUnderNone:
		return Tool{}, false
	case f.IgnoreChoice:
		return Tool{}, false
	}
	candidates := make([]invent.Candidate, len(tools))
	for i, t := range tools {
		candidates[i] = invent.Candidate{Name: t.Name, Description: t.Description, Schema: t.Schema}
	}
	best, score := invent.FindBest(candidates, tk.Prompt)
	if mode == ChoiceAuto && (score == 0 || len(tk.Results) > 0) {
		return Tool{}, false
	}
	return tools[best], true
}

func (tk *Task) makeCall(t Tool) ToolCall {
	if t.Free {
		return ToolCall{Name: t.Name, Arguments: jsondoc.Quote(tk.Prompt)}
	}
	if args := invent.Value(t.Schema, tk.Prompt); jsondoc.IsObject(args) {
		return ToolCall{Name: t.Name, Arguments: args}
	}
	return ToolCall{Name: t.Name, Arguments: json.RawMessage(`{}`)}
}

func (tk *Task) makeDocument() string {
	return string(invent.Value(tk.Schema, tk.Prompt+joinResults(tk.Results)))
}

func joinResults(results []Result) string {
	var b strings.Builder
	for _, r := range results {
		b.WriteString(" ")
		b.WriteString(r.Text)
	}
	return b.String()
}

// encodeAsDocument spells a scripted call for a request that offers no tools but a
// schema: the arguments, or name and arguments, in an outer member or not,
// where the schema wants those.
func (tk *Task) encodeAsDocument(c ToolCall) string {
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	named, err := jsondoc.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{c.Name, args})
	if err != nil {
		return string(args)
	}
	forms := []json.RawMessage{args, named}
	if s, err := schema.Read(tk.Schema); err == nil && len(s.Required) == 1 {
		forms = append(forms, json.RawMessage("{"+string(jsondoc.Quote(s.Required[0]))+":"+string(named)+"}"))
	}
	for _, form := range forms {
		if schema.Fits(tk.Schema, form) {
			return string(form)
		}
	}
	return string(args)
}

// makeText makes the default answer in text: it quotes the tool results, or
// else the prompt.
func (tk *Task) makeText() string {
	if len(tk.Results) == 0 {
		return "You said: " + tk.Prompt
	}
	parts := make([]string, 0, len(tk.Results))
	for _, r := range tk.Results {
		verb := "says"
		if r.Failed {
			verb = "failed"
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", cmp.Or(r.Tool, "The tool"), verb, r.Text))
	}
	return strings.Join(parts, "; ")
}

func (tk *Task) makeThought(calls []ToolCall) string {
	switch {
	case len(calls) > 0:
		return "The user needs something that " + calls[0].Name + " can do. I call it."
	case len(tk.Results) > 0:
		return "The tools have answered. I pass on what they say."
	}
	return "No tool is needed. I answer right away."
}

// cutText applies stop sequences and the token limit to the text, and returns the
// finish reason.
func (tk *Task) cutText(out *Answer) string {
	if len(out.Calls) > 0 {
		return "tool_calls"
	}
	for _, stop := range tk.Stops {
		if before, _, found := strings.Cut(out.Text, stop); found && stop != "" {
			out.Text, out.Stop = before, stop
		}
	}
	if out.Stop != "" {
		return "stop"
	}
	if text := []rune(out.Text); tk.Limit > 0 && CountTokens(out.Text) > tk.Limit {
		out.Text = string(text[:4*tk.Limit])
		return "length"
	}
	return "stop"
}

// countUsage fills what the script left open of the usage.
func (tk *Task) countUsage(out *Answer, u Usage) Usage {
	u.Input = cmp.Or(u.Input, tk.Input)
	u.Reasoning = cmp.Or(u.Reasoning, CountTokens(out.Thinking))
	if u.Output == 0 {
		u.Output = u.Reasoning + CountTokens(out.Text)
		for _, c := range out.Calls {
			u.Output += 8 + CountTokens(c.Name) + CountTokens(string(c.Arguments))
		}
	}
	return u
}

// Answer is what the model says, whatever the dialect.
type Answer struct {
	Thinking string
	Text     string
	Refusal  bool // text is a refusal
	Calls    []ToolCall
	Finish   string
	Stop     string // the stop sequence that was met
	Usage    Usage
}
