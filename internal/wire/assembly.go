package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// Default limits of an [Assembly].
const (
	DefaultMaxReply     = 64 << 20 // bytes of text, thoughts and arguments
	DefaultMaxArguments = 16 << 20 // bytes of arguments in one reply
	maxParts            = 10_000
)

// Limits bound what a reply may hold; 0 means the default.
type Limits struct {
	Reply     int
	Arguments int
}

// Assembly pieces one reply together. Codecs feed it by slot: a number that
// names a part for as long as the reply lasts and puts the parts in order.
// Work is linear in what is fed. The first thing that can't be right (a limit,
// text for a call) is kept in Err, and everything after it is ignored.
type Assembly struct {
	// ID and Model are the provider's words.
	ID, Model string
	Usage     chat.Usage
	// Timing is what the server itself measured.
	Timing chat.Timing
	// Refused says that the provider marked the text as a refusal.
	Refused bool
	// Memo is the codec's own, for what one dialect alone must remember of a
	// reply between frames.
	Memo any

	finish    chat.FinishReason
	rawFinish string
	limits    Limits
	parts     []*part
	slots     map[int]*part
	last      *part // the part used last
	calls     int
	announced int             // calls that the caller has heard of
	taken     map[string]bool // ids of calls
	size      int
	argSize   int
	ended     bool
	stopped   bool
	events    []chat.Event
	err       error
	ids       callIDs
	filters   []TextFilter
	level     int // filters that the text has come past
	filtered  int // bytes of text given to the filters
	malformed bool
}

type partKind uint8

const (
	textPart partKind = iota
	thinkingPart
	callPart
	skippedPart // whatever is fed to it is ignored
)

type part struct {
	slot    int
	kind    partKind
	buf     strings.Builder // text, thought or arguments; deltas are cut from it
	sigKind string
	sig     strings.Builder
	id      string
	name    string
	call    int  // index among the calls that were announced
	started bool // ToolCallStart was sent
	sent    int  // bytes of buf already sent as deltas
}

// NewAssembly returns an empty assembly.
func NewAssembly(l Limits) *Assembly {
	if l.Reply <= 0 {
		l.Reply = DefaultMaxReply
	}
	if l.Arguments <= 0 {
		l.Arguments = DefaultMaxArguments
	}
	return &Assembly{limits: l, slots: make(map[int]*part, 4)}
}

// Text adds text to a slot.
func (a *Assembly) Text(slot int, b []byte) {
	if len(a.filters) > 0 && slot == TextSlot {
		a.filterText(b)
		return
	}
	a.addText(slot, b)
}

func (a *Assembly) addText(slot int, b []byte) {
	if p := a.openPart(slot, textPart); p != nil && a.countBytes(len(b)) && len(b) > 0 {
		a.events = append(a.events, chat.TextDelta{Text: p.appendString(b)})
	}
}

// Think adds readable thought to a slot.
func (a *Assembly) Think(slot int, b []byte) {
	if p := a.openPart(slot, thinkingPart); p != nil && a.countBytes(len(b)) && len(b) > 0 {
		a.events = append(a.events, chat.ThinkingDelta{Text: p.appendString(b)})
	}
}

// Sign puts an opaque token on a part that exists; where none does, it opens
// a thinking part. data is added to what the slot's signature already holds.
func (a *Assembly) Sign(slot int, kind string, data []byte) {
	p := a.findPart(slot)
	if p == nil {
		p = a.openPart(slot, thinkingPart)
	}
	if p == nil || p.kind == skippedPart || !a.countBytes(len(data)) {
		return
	}
	if len(data) > 0 || p.sig.Len() == 0 { // a bare kind doesn't rename a token
		p.sigKind = kind
	}
	p.sig.Write(data)
}

// StartCall opens a call, or adds what was missing of it: the first id and the
// first name that aren't empty win. The caller hears of the call once its name
// is known.
func (a *Assembly) StartCall(slot int, id, name string) {
	p := a.openPart(slot, callPart)
	if p == nil {
		return
	}
	if p.id == "" && !p.started && id != "" {
		p.id = a.ownID(id)
	}
	if p.name == "" {
		p.name = name
	}
	a.announceCall(p)
}

// ownID is an id for a call that no other call of the reply has: results could
// not be told apart.
func (a *Assembly) ownID(id string) string {
	if a.taken[id] {
		return MakeCallID()
	}
	if a.taken == nil {
		a.taken = make(map[string]bool, 2)
	}
	a.taken[id] = true
	return id
}

// Args adds a piece of a call's arguments.
func (a *Assembly) Args(slot int, b []byte) {
	p := a.openPart(slot, callPart)
	if p == nil || !a.countBytes(len(b)) {
		return
	}
	if a.argSize += len(b); a.argSize > a.limits.Arguments {
		a.Fail(fmt.Errorf("tool arguments exceed %d bytes", a.limits.Arguments))
		return
	}
	p.buf.Write(b)
	a.announceCall(p)
}

// announceCall sends what the caller hasn't heard of a call yet.
func (a *Assembly) announceCall(p *part) {
	if p.name == "" {
		return
	}
	if !p.started {
		p.started, p.call = true, a.announced
		a.announced++
		if p.id == "" {
			p.id = MakeCallID()
		}
		a.events = append(a.events, chat.ToolCallStart{Index: p.call, ID: p.id, Name: p.name})
	}
	if p.buf.Len() > p.sent {
		a.events = append(a.events, chat.ToolCallDelta{Index: p.call, Arguments: p.buf.String()[p.sent:]})
		p.sent = p.buf.Len()
	}
}

// Skip takes a slot out of the reply: what is fed to it from here on is
// ignored. It is for blocks of kinds that have no part, whose deltas look like
// those of others. A slot in use stays as it is.
func (a *Assembly) Skip(slot int) {
	if a.findPart(slot) == nil {
		a.openPart(slot, skippedPart)
	}
}

// Finish notes why the model stopped; raw is the provider's word.
func (a *Assembly) Finish(f chat.FinishReason, raw string) { a.finish, a.rawFinish = f, raw }

// Finished reports whether a finish reason has come.
func (a *Assembly) Finished() bool { return a.rawFinish != "" || a.finish != "" }

// End notes that the reply is complete, so that the stream may end here.
func (a *Assembly) End() { a.ended = true }

// Ended reports whether the reply is complete.
func (a *Assembly) Ended() bool { return a.ended }

// Stop notes that the stream's last frame was read, so that reading can stop
// without waiting for the end of the body.
func (a *Assembly) Stop() { a.ended, a.stopped = true, true }

// Stopped reports whether the last frame was read.
func (a *Assembly) Stopped() bool { return a.stopped }

// Empty reports whether nothing was put together yet.
func (a *Assembly) Empty() bool { return len(a.parts) == 0 }

// Fail notes an error; the first one stays.
func (a *Assembly) Fail(err error) {
	if a.err == nil {
		a.err = &chat.Error{Kind: chat.ErrBadReply, Status: 200, Err: err}
	}
}

// Err is the first thing that went wrong, a *chat.Error of kind ErrBadReply.
func (a *Assembly) Err() error { return a.err }

// Drain returns the events since the last Drain; valid until more is fed.
func (a *Assembly) Drain() []chat.Event {
	out := a.events
	a.events = a.events[:0]
	return out
}

// Reply is what was put together so far, parts in the order of their slots. It
// ends the filter; whoever wants the events of that calls Flush before.
func (a *Assembly) Reply() *chat.Reply {
	if len(a.filters) > 0 {
		events := a.events
		a.Flush()
		a.events = events
	}
	r := &chat.Reply{ID: a.ID, Model: a.Model, Usage: a.Usage, Timing: a.Timing, RawFinish: a.rawFinish}
	order := slices.SortedStableFunc(slices.Values(a.parts), func(x, y *part) int { return x.slot - y.slot })
	for _, p := range order {
		if part := p.toPart(); part != nil {
			r.Parts = append(r.Parts, part)
		}
	}
	r.Finish = a.deriveFinish()
	return r
}

// deriveFinish is the canonical finish: complete calls win over the provider's word
// unless it reported a cut, a filter or an error, and a refusal wins over stop.
func (a *Assembly) deriveFinish() chat.FinishReason {
	switch a.finish {
	case chat.FinishLength, chat.FinishFiltered, chat.FinishPaused, chat.FinishMalformed, chat.FinishError:
		return a.finish
	case chat.FinishStop, chat.FinishStopSequence, chat.FinishToolCalls, chat.FinishOther, "":
	}
	switch {
	case a.malformed:
		return chat.FinishMalformed
	case a.calls > 0:
		return chat.FinishToolCalls
	case a.Refused:
		return chat.FinishFiltered
	case a.finish == "":
		return chat.FinishOther
	case a.finish == chat.FinishToolCalls: // the word without a call
		return chat.FinishStop
	}
	return a.finish
}

// toPart is nil for a part that says nothing.
func (p *part) toPart() chat.Part {
	sig := chat.Signature{Kind: p.sigKind, Data: p.sig.String()}
	if p.kind != callPart && p.buf.Len() == 0 && sig.IsZero() {
		return nil
	}
	switch p.kind {
	case textPart:
		return chat.Text{Text: p.buf.String(), Signature: sig}
	case thinkingPart:
		return chat.Thinking{Text: p.buf.String(), Signature: sig}
	case callPart:
	case skippedPart:
		return nil
	}
	if p.id == "" {
		p.id = MakeCallID()
	}
	return chat.ToolCall{ID: p.id, Name: p.name, Arguments: objectText(p.buf.String()), Signature: sig}
}

// appendString appends b and returns it as a string that shares the part's memory.
func (p *part) appendString(b []byte) string {
	p.buf.Write(b)
	return p.buf.String()[p.buf.Len()-len(b):]
}

// objectText is the call's JSON text; none at all, and the null that some
// servers write for a call without parameters, mean an empty object.
func objectText(s string) json.RawMessage {
	switch b := bytes.TrimSpace([]byte(s)); {
	case len(b) == 0, string(b) == "null":
		return json.RawMessage("{}")
	default:
		return b
	}
}

// MakeCallID makes up an id for a call that came without one.
func MakeCallID() string { return "call_" + rand.Text() }

func (a *Assembly) findPart(slot int) *part {
	if a.last != nil && a.last.slot == slot {
		return a.last
	}
	if p := a.slots[slot]; p != nil {
		a.last = p
		return p
	}
	return nil
}

// openPart returns the slot's part, made if need be; nil after an error.
func (a *Assembly) openPart(slot int, kind partKind) *part {
	if a.err != nil {
		return nil
	}
	p := a.findPart(slot)
	if p == nil {
		if len(a.parts) >= maxParts {
			a.Fail(fmt.Errorf("more than %d parts", maxParts))
			return nil
		}
		p = &part{slot: slot, kind: kind}
		a.parts = append(a.parts, p)
		a.slots[slot], a.last = p, p
		if kind == callPart {
			a.calls++
		}
	}
	if p.kind == skippedPart {
		return nil
	}
	if p.kind != kind {
		a.Fail(errors.New("a part changed its kind in the middle of a reply"))
		return nil
	}
	return p
}

// countBytes counts n bytes against the limit.
func (a *Assembly) countBytes(n int) bool {
	if a.err != nil {
		return false
	}
	if a.size += n; a.size > a.limits.Reply {
		a.Fail(fmt.Errorf("reply exceeds %d bytes", a.limits.Reply))
		return false
	}
	return true
}

// Resign rewrites the token that a slot's part holds, for wires that send it
// in fragments which can't simply be joined. Nothing happens where there is no
// token.
func (a *Assembly) Resign(slot int, rewrite func(data string) string) {
	p := a.slots[slot]
	if p == nil || p.sig.Len() == 0 {
		return
	}
	data := rewrite(p.sig.String())
	p.sig = strings.Builder{}
	p.sig.WriteString(data)
}

// SignedAs is the kind of the token that a slot's part holds; empty if it holds
// none.
func (a *Assembly) SignedAs(slot int) string {
	if p := a.slots[slot]; p != nil {
		return p.sigKind
	}
	return ""
}

// Has reports whether a slot holds a part.
func (a *Assembly) Has(slot int) bool { return a.findPart(slot) != nil }

// Rest is what a whole text has beyond the text, thought or arguments that a
// slot holds already. It is nothing where the slot's text isn't the beginning
// of the whole: what was fed can't be taken back.
func (a *Assembly) Rest(slot int, whole []byte) []byte {
	p := a.findPart(slot)
	if p == nil {
		return whole
	}
	held := p.buf.Len()
	if len(whole) < held || string(whole[:held]) != p.buf.String() {
		return nil
	}
	return whole[held:]
}
