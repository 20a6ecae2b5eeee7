package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/hermes"
	"github.com/sabir-go/sabir/internal/wire/thinktags"
	"github.com/sabir-go/sabir/toolchoice"
)

// planTextTools writes the tools and the calls of the history into the text,
// for models that are taught to call tools in words. It comes last: what it
// rewrites has been decided by then.
func (p *planner) planTextTools() error {
	if p.profile.Tools != toolchoice.Hermes || len(p.req.Tools) == 0 && !p.historyHasCalls() {
		return nil
	}
	offered := len(p.call.Tools) > 0
	call, err := hermes.Rewrite(p.call, p.choice, hermes.Template(p.profile.Template))
	if err != nil {
		return p.refuse("tools", err.Error())
	}
	p.call, p.textTools = call, true // a call under none is a call, too
	if offered {
		p.step(chat.StepToolsAsText, "the tools are written into the system text, and calls are read from the model's text")
		if p.choice.Forced() {
			p.warn("ToolChoice", "%s is asked for in words: the reply is checked", p.choice)
		}
	}
	return nil
}

// filters read a reply's text for what is written in it.
func (p *Plan) filters() []wire.TextFilter {
	var out []wire.TextFilter
	if p.call.Quirks.ThinkTags {
		out = append(out, thinktags.NewFilter())
	}
	if p.textTools {
		out = append(out, hermes.NewFilter(hermes.Template(p.profile.Template)))
	}
	return out
}
