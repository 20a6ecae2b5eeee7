package sim

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

// answer decides what the model says to a request: what the script says, or
// the default behaviour.
func (a *ask) answer(t *Turn) *answer {
	out := &answer{}
	if t.isDefault() {
		out.text, out.calls = a.decide(&t.Fault)
		if a.thinks {
			out.thinking = a.thought(out.calls)
		}
	} else {
		out.thinking, out.text, out.calls = t.Thinking, t.Text, slices.Clone(t.Calls)
		if len(t.Calls) > 0 && len(a.tools) == 0 && a.schema != nil && t.Text == "" {
			out.text, out.calls = a.asDocument(t.Calls[0]), nil
		}
	}
	out.finish = a.cut(out)
	if t.Finish != "" {
		out.finish = t.Finish
	}
	out.refusal = out.finish == "refusal"
	out.usage = a.count(out, t.Usage)
	return out
}

// decide is the default behaviour.
func (a *ask) decide(f *Fault) (text string, calls []ToolCall) {
	if f.WrongTool != "" {
		t, _ := a.tool(f.WrongTool)
		t.name = f.WrongTool
		return "", []ToolCall{a.call(t)}
	}
	if t, ok := a.pick(f); ok {
		return "", []ToolCall{a.call(t)}
	}
	if a.schema != nil {
		return a.document(), nil
	}
	return a.prose(), nil
}

// pick chooses the tool to call, if one is to be called.
func (a *ask) pick(f *Fault) (tool, bool) {
	tools, mode := a.offered(), a.choice.mode
	switch {
	case len(tools) == 0, mode == choiceNone && !f.CallUnderNone:
		return tool{}, false
	case f.IgnoreChoice:
		return tool{}, false
	}
	candidates := make([]invent.Candidate, len(tools))
	for i, t := range tools {
		candidates[i] = invent.Candidate{Name: t.name, Description: t.description, Schema: t.schema}
	}
	best, score := invent.FindBest(candidates, a.prompt)
	if mode == choiceAuto && (score == 0 || len(a.results) > 0) {
		return tool{}, false
	}
	return tools[best], true
}

// call makes a call with arguments that fit the tool's schema.
func (a *ask) call(t tool) ToolCall {
	if t.free {
		return ToolCall{Name: t.name, Arguments: jsondoc.Quote(a.prompt)}
	}
	if args := invent.Value(t.schema, a.prompt); jsondoc.IsObject(args) {
		return ToolCall{Name: t.name, Arguments: args}
	}
	return ToolCall{Name: t.name, Arguments: json.RawMessage(`{}`)}
}

// document is an answer in the form that the request asks for.
func (a *ask) document() string {
	return string(invent.Value(a.schema, a.prompt+resultWords(a.results)))
}

func resultWords(results []result) string {
	var b strings.Builder
	for _, r := range results {
		b.WriteString(" ")
		b.WriteString(r.text)
	}
	return b.String()
}

// asDocument spells a scripted call for a request that offers no tools but a
// schema: the arguments, or name and arguments, in an outer member or not,
// where the schema wants those.
func (a *ask) asDocument(c ToolCall) string {
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
	if s, err := schema.Read(a.schema); err == nil && len(s.Required) == 1 {
		forms = append(forms, json.RawMessage("{"+string(jsondoc.Quote(s.Required[0]))+":"+string(named)+"}"))
	}
	for _, form := range forms {
		if schema.Fits(a.schema, form) {
			return string(form)
		}
	}
	return string(args)
}

// prose is the default answer in text. It quotes the tool results, or else
// the prompt.
func (a *ask) prose() string {
	if len(a.results) == 0 {
		return "You said: " + a.prompt
	}
	parts := make([]string, 0, len(a.results))
	for _, r := range a.results {
		verb := "says"
		if r.failed {
			verb = "failed"
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", cmp.Or(r.tool, "The tool"), verb, r.text))
	}
	return strings.Join(parts, "; ")
}

// thought is what the model thinks before a default answer.
func (a *ask) thought(calls []ToolCall) string {
	switch {
	case len(calls) > 0:
		return "The user needs something that " + calls[0].Name + " can do. I call it."
	case len(a.results) > 0:
		return "The tools have answered. I pass on what they say."
	}
	return "No tool is needed. I answer right away."
}

// cut applies stop sequences and the token limit to the text, and returns the
// finish reason.
func (a *ask) cut(out *answer) string {
	if len(out.calls) > 0 {
		return "tool_calls"
	}
	for _, stop := range a.stops {
		if before, _, found := strings.Cut(out.text, stop); found && stop != "" {
			out.text, out.stop = before, stop
		}
	}
	if out.stop != "" {
		return "stop"
	}
	if text := []rune(out.text); a.limit > 0 && tokens(out.text) > a.limit {
		out.text = string(text[:4*a.limit])
		return "length"
	}
	return "stop"
}

// count fills what the script left open of the usage.
func (a *ask) count(out *answer, u Usage) Usage {
	u.Input = cmp.Or(u.Input, a.input)
	u.Reasoning = cmp.Or(u.Reasoning, tokens(out.thinking))
	if u.Output == 0 {
		u.Output = u.Reasoning + tokens(out.text)
		for _, c := range out.calls {
			u.Output += 8 + tokens(c.Name) + tokens(string(c.Arguments))
		}
	}
	return u
}
