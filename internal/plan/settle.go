package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Settler is a plan's other half, for one reply: it turns the provider's
// answer back into what was asked for, and holds it against what was promised.
type Settler struct {
	*Plan
	// id is the synthetic call's, the same in a stream's events and its reply.
	id string
}

// NewSettler settles one reply.
func (p *Plan) NewSettler() Settler { return Settler{p, wire.MakeCallID()} }

// Settle undoes the rewrite and checks the promise. On an error nothing in the
// reply may be run.
func (s Settler) Settle(r *chat.Reply) error {
	r.Engine = s.Host.Name
	s.Sign(r)
	r.Warnings = append(slices.Clip(s.Warnings), r.Warnings...)
	r.Steps = s.Steps
	if err := s.undoRewrite(r); err != nil {
		return err
	}
	if err := s.checkChoice(r); err != nil {
		return err
	}
	return s.readOutput(r)
}

// Sign tags the provider's tokens with their origin.
func (s Settler) Sign(r *chat.Reply) {
	tag := func(sig *chat.Signature) {
		if !sig.IsZero() {
			sig.Engine, sig.Model = s.Host.Name, s.Model
		}
	}
	for i, part := range r.Parts {
		switch part := part.(type) {
		case chat.Text:
			tag(&part.Signature)
			r.Parts[i] = part
		case chat.Thinking:
			tag(&part.Signature)
			r.Parts[i] = part
		case chat.ToolCall:
			tag(&part.Signature)
			r.Parts[i] = part
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
		}
	}
}

func (s Settler) undoRewrite(r *chat.Reply) error {
	switch s.expect.Rewrite {
	case toolAsSchema:
		args, ok := findDocument(r.Text())
		if !ok || args[0] != '{' {
			return s.choiceUnmet(r, "the answer holds no arguments for "+s.expect.Tools[0]+describeCut(r))
		}
		return s.makeSyntheticCall(r, s.expect.Tools[0], args)
	case toolsAsSchema:
		name, args, ok := readUnionCall(r.Text())
		if !ok || !slices.Contains(s.expect.Tools, name) {
			return s.choiceUnmet(r, "the answer holds no call of an offered tool"+describeCut(r))
		}
		return s.makeSyntheticCall(r, name, args)
	case outputAsTool:
		s.liftOutput(r)
	case asIs:
	}
	return nil
}

// makeSyntheticCall puts one call in the place of the text; the text itself is kept
// in the call's signature, to be said back. The schema was all that stood for
// the force, so the arguments are held against it.
func (s Settler) makeSyntheticCall(r *chat.Reply, name string, args json.RawMessage) error {
	if native := r.ToolCalls(); len(native) > 0 {
		return s.choiceUnmet(r, "the model called "+native[0].Name+" beside its answer, though nothing was to be called as such")
	}
	if err := validateAgainst(s.expect.Schemas[name], args); err != nil {
		return s.choiceUnmet(r, "the arguments don't fit the schema of "+name+": "+err.Error())
	}
	call := chat.ToolCall{
		ID: s.id, Name: name, Arguments: args, Synthetic: true,
		Signature: chat.Signature{Engine: s.Host.Name, Model: s.Model, Kind: rewriteKind, Data: r.Text()},
	}
	r.Parts = append(dropText(r.Parts), call)
	if r.Finish == chat.FinishStop || r.Finish == chat.FinishOther {
		r.Finish = chat.FinishToolCalls
	}
	return nil
}

// liftOutput turns the reserved tool's arguments into the answer, matched by
// the tool's own name. An answer beside real calls came too early: the calls
// are what the model wants first.
func (s Settler) liftOutput(r *chat.Reply) {
	calls := r.ToolCalls()
	reserved := func(c chat.ToolCall) bool { return c.Name == s.expect.Reserved }
	i := slices.IndexFunc(calls, reserved)
	if i < 0 {
		return
	}
	if slices.ContainsFunc(calls, func(c chat.ToolCall) bool { return !reserved(c) }) {
		r.Parts = slices.DeleteFunc(slices.Clone(r.Parts), func(p chat.Part) bool {
			c, is := p.(chat.ToolCall)
			return is && reserved(c)
		})
		r.Warnings = append(r.Warnings, chat.Warning{Field: "Output", Message: "the model gave an answer beside its calls: left out"})
		return
	}
	out := calls[i].Arguments
	if s.expect.Wrapped {
		out = findMember(out, wrapMember)
	}
	r.Parts = slices.DeleteFunc(dropText(r.Parts), func(p chat.Part) bool { _, is := p.(chat.ToolCall); return is })
	r.Parts = append(r.Parts, chat.Text{Text: string(out)})
	if r.Finish == chat.FinishToolCalls {
		r.Finish = chat.FinishStop
	}
}

func dropText(parts []chat.Part) []chat.Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p chat.Part) bool { _, is := p.(chat.Text); return is })
}

// checkChoice holds the reply against the tool choice.
func (s Settler) checkChoice(r *chat.Reply) error {
	calls, choice := r.ToolCalls(), s.expect.Choice
	paused := r.Finish == chat.FinishPaused // the call may still come
	switch choice.Mode() {
	case toolchoice.ModeNone:
		if len(calls) > 0 {
			return s.choiceUnmet(r, "the model called "+calls[0].Name)
		}
		return nil
	case toolchoice.ModeTool:
		if other := slices.IndexFunc(calls, func(c chat.ToolCall) bool { return c.Name != choice.Name() }); other >= 0 {
			return s.choiceUnmet(r, "the model called "+calls[other].Name)
		}
		if len(calls) == 0 && !paused {
			return s.choiceUnmet(r, "the model called nothing"+describeCut(r))
		}
		if !mayRunCalls(r) {
			return s.choiceUnmet(r, "its call may not be run"+describeCut(r))
		}
	case toolchoice.ModeAny:
		if !slices.ContainsFunc(calls, s.mayCall) && !paused {
			return s.choiceUnmet(r, "the model called none of the tools"+describeCut(r))
		}
		if !mayRunCalls(r) {
			return s.choiceUnmet(r, "its call may not be run"+describeCut(r))
		}
	case toolchoice.ModeAuto, toolchoice.Unset:
	}
	return s.checkSubset(r, calls)
}

// mayCall reports whether a call is of a tool that was allowed.
func (s Settler) mayCall(c chat.ToolCall) bool { return slices.Contains(s.expect.Tools, c.Name) }

// mayRunCalls reports whether calls of a reply may be run at all. Of one that was
// cut or filtered none is: what the model left unsaid could have changed its
// mind.
func mayRunCalls(r *chat.Reply) bool {
	switch r.Finish {
	case chat.FinishLength, chat.FinishFiltered, chat.FinishMalformed, chat.FinishError:
		return false
	case chat.FinishStop, chat.FinishStopSequence, chat.FinishToolCalls, chat.FinishPaused, chat.FinishOther:
	}
	return true
}

// checkSubset refuses a call of a tool that this request did not allow. A name
// that was never offered is left to whoever runs the calls: the model is told.
func (s Settler) checkSubset(r *chat.Reply, calls []chat.ToolCall) error {
	for _, c := range calls {
		if slices.Contains(s.expect.Offered, c.Name) && !slices.Contains(s.expect.Tools, c.Name) {
			return s.choiceUnmet(r, fmt.Sprintf("the model called %s, which is not among the allowed tools", c.Name))
		}
	}
	if s.expect.OnlyOne && len(calls) > 1 {
		r.Warnings = append(r.Warnings, chat.Warning{
			Field: "ParallelTools", Message: fmt.Sprintf("the model made %d calls though only one was allowed", len(calls)),
		})
	}
	return nil
}

// readOutput takes the document out of the answer and validates it against the
// caller's own schema, whatever the server enforced.
func (s Settler) readOutput(r *chat.Reply) error {
	out := s.expect.Output
	if out == nil || len(r.ToolCalls()) > 0 || r.Finish == chat.FinishPaused {
		return nil
	}
	doc, ok := rawjson.Loose(r.Text())
	if !ok {
		return s.replyError(chat.ErrOutputUnmet, r, "the answer is not JSON"+describeCut(r))
	}
	if s.expect.Nullable != nil {
		if whole, err := schema.DropNulls(s.expect.Nullable, doc); err == nil {
			doc = whole
		}
	}
	if err := validateAgainst(out.Schema, doc); err != nil {
		return s.replyError(chat.ErrOutputUnmet, r, err.Error())
	}
	r.Output = doc
	return nil
}

func validateAgainst(raw, doc json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	v, err := schema.Compile(raw)
	if err != nil {
		return err
	}
	return v.Validate(doc)
}

// describeCut says what kept the model from doing as asked, where it is known.
func describeCut(r *chat.Reply) string {
	switch r.Finish {
	case chat.FinishLength:
		return ": it was cut by the token limit"
	case chat.FinishFiltered:
		return ": it refused, or a filter stopped it"
	case chat.FinishStop, chat.FinishStopSequence, chat.FinishToolCalls, chat.FinishPaused,
		chat.FinishMalformed, chat.FinishError, chat.FinishOther:
	}
	return ""
}

func (s Settler) choiceUnmet(r *chat.Reply, why string) error {
	return s.replyError(chat.ErrToolChoiceUnmet, r, s.expect.Choice.String()+" was asked for: "+why)
}

func (s Settler) replyError(kind error, r *chat.Reply, why string) error {
	return &chat.Error{
		Kind: kind, Engine: s.Host.Name, Model: s.Model, Status: 200,
		Message: why, RequestID: r.RequestID, Reply: r,
	}
}

// findDocument is the JSON value in a model's answer. An answer that begins with a
// brace is taken at its word, up to where that brace closes, so that a stream,
// which can't look ahead, reads the same.
func findDocument(text string) (json.RawMessage, bool) {
	var b braceScanner
	start := 0
	for start < len(text) && isSpace(text[start]) {
		start++
	}
	if start < len(text) && text[start] == '{' {
		doc := []byte(text[start : start+b.scanTo(text[start:])])
		return doc, rawjson.Valid(doc)
	}
	return rawjson.Loose(text)
}

// readUnionCall reads a document of the union schema.
func readUnionCall(text string) (name string, args json.RawMessage, ok bool) {
	doc, ok := findDocument(text)
	if !ok {
		return "", nil, false
	}
	call := findMember(doc, unionMember)
	args = findMember(call, "arguments")
	if err := json.Unmarshal(findMember(call, "name"), &name); err != nil {
		return "", nil, false
	}
	return name, args, len(args) > 0 && args[0] == '{'
}

// findMember is the raw value of an object's member; nil if there is none.
func findMember(object json.RawMessage, name string) json.RawMessage {
	var s rawjson.Scanner
	s.Reset(object)
	for key := range s.Members() {
		if string(key) == name {
			return slices.Clone(s.Raw())
		}
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// braceScanner finds where a JSON object closes, fed piece by piece.
type braceScanner struct {
	depth   int
	inText  bool
	escaped bool
	closed  bool
}

// scanTo returns how much of s still belongs to the object.
func (b *braceScanner) scanTo(s string) int {
	for i := range len(s) {
		if b.closed {
			return i
		}
		switch c := s[i]; {
		case b.escaped:
			b.escaped = false
		case b.inText:
			b.escaped = c == '\\'
			b.inText = c != '"'
		case c == '"':
			b.inText = true
		case c == '{' || c == '[':
			b.depth++
		case c == '}' || c == ']':
			b.depth--
			b.closed = b.depth == 0
		}
	}
	return len(s)
}
