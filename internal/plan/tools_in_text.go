package plan

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/hermes"
	"github.com/sabir-go/sabir/internal/wire/thinktags"
)

// writeToolsAsText writes the tools and the calls of the history into the text,
// for models that are taught to call tools in words. It comes last: what it
// rewrites has been decided by then.
func (p *planner) writeToolsAsText() error {
	if !p.caps.Can.Has(profile.ToolsInText) || len(p.req.Tools) == 0 && !p.historyHasCalls() {
		return nil
	}
	offered := len(p.Call.Tools) > 0
	call, err := hermes.Rewrite(p.Call, p.choice, hermes.Template(p.Host.Template))
	if err != nil {
		return p.refuse("tools", err.Error())
	}
	p.Call, p.textTools = call, true // a call under none is a call, too
	if offered {
		p.addStep(chat.StepToolsAsText, "the tools are written into the system text, and calls are read from the model's text")
		if p.choice.Forced() {
			p.addWarning("ToolChoice", "%s is asked for in words: the reply is checked", p.choice)
		}
	}
	return nil
}

// Filters read a reply's text for what is written in it.
func (p *Plan) Filters() []wire.TextFilter {
	var out []wire.TextFilter
	if p.Call.Quirks.ThinkTags {
		out = append(out, thinktags.NewFilter())
	}
	if p.textTools {
		out = append(out, hermes.NewFilter(hermes.Template(p.Host.Template)))
	}
	return out
}
