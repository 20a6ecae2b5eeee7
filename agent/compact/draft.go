package compact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// draft is a shorter history in the making. The messages that it was made from
// are never changed.
type draft struct {
	messages []chat.Message
	size     int     // units, the head included
	scale    float64 // tokens for a unit
	fixed    int     // so many messages at the start stay as they are
	changed  int     // the first message that is not as it was; len(messages): none
	dropped  int     // results
	summed   int     // messages
}

// newDraft begins with messages that have so many units and tokens, the head
// included.
func newDraft(messages []chat.Message, fixed, size, tokens int) *draft {
	fixed = min(fixed, len(messages))
	for fixed > 0 && fixed < len(messages) && joined(messages[fixed-1], messages[fixed]) {
		fixed++
	}
	return &draft{
		messages: slices.Clone(messages), size: size, scale: float64(tokens) / float64(max(size, 1)),
		fixed: fixed, changed: len(messages),
	}
}

func (d *draft) tokens() int { return int(float64(d.size) * d.scale) }

// drop puts notes in the place of results before end, oldest first, until no
// more than goal tokens are left.
func (d *draft) drop(end, goal int) {
	for i := d.fixed; i < end; i++ {
		if d.messages[i].Role != chat.RoleTool {
			continue
		}
		cloned := false
		for j, part := range d.messages[i].Parts {
			if d.tokens() <= goal {
				return
			}
			note, gain := leftOut(part)
			if gain <= 0 {
				continue
			}
			if !cloned {
				d.messages[i].Parts, cloned = slices.Clone(d.messages[i].Parts), true
			}
			d.messages[i].Parts[j] = note
			d.size -= gain
			d.dropped++
			d.changed = min(d.changed, i)
		}
	}
}

// leftOut is the note that takes a result's place, and how many units it saves.
func leftOut(part chat.Part) (note chat.Part, gain int) {
	r, ok := part.(chat.ToolResult)
	if !ok {
		return part, 0
	}
	had := partsUnits(r.Parts)
	r.Parts = []chat.Part{chat.Text{Text: fmt.Sprintf("[left out to save room: about %d tokens]", had)}}
	return r, had - partsUnits(r.Parts)
}

// tail is where the last keep messages begin, or a little before, so that calls
// and results, and the pieces of a reply that was paused, stay together.
func tail(messages []chat.Message, keep int) int {
	start := max(len(messages)-keep, 0)
	if last := lastReply(messages); last >= 0 {
		start = min(start, last)
	}
	for start > 0 && start < len(messages) && joined(messages[start-1], messages[start]) {
		start--
	}
	return start
}

// joined reports whether a message needs the one before it.
func joined(before, m chat.Message) bool {
	return m.Role == chat.RoleTool || m.Role == chat.RoleAssistant && before.Role == chat.RoleAssistant
}

// summaryHead begins a summary, and tells it from what a user said.
const summaryHead = "[Summary of the conversation up to here, which was left out to save room.]\n"

func isSummary(m chat.Message) bool {
	return m.Role == chat.RoleUser && len(m.Parts) == 1 && strings.HasPrefix(m.Text(), summaryHead)
}

// old are the messages before end that a summary is to be made of.
func (d *draft) old(end int) []chat.Message { return d.messages[d.fixed:max(end, d.fixed)] }

// carried are those of the old messages that stay behind their summary: what
// was asked for since the last answer, and instructions.
func carried(old []chat.Message) []chat.Message {
	answer := -1
	for i, m := range old {
		if m.Role == chat.RoleAssistant && len(m.ToolCalls()) == 0 && (i+1 == len(old) || old[i+1].Role != chat.RoleAssistant) {
			answer = i
		}
	}
	var out []chat.Message
	for i, m := range old {
		if m.Role == chat.RoleSystem || m.Role == chat.RoleUser && i > answer && !isSummary(m) {
			out = append(out, m)
		}
	}
	return out
}

// replace puts a summary in the place of the messages before end. It reports
// whether that is shorter; if not, nothing is changed.
func (d *draft) replace(end int, summary string) bool {
	old := d.old(end)
	instead := append([]chat.Message{chat.User(summaryHead + summary)}, carried(old)...)
	gain := allUnits(old) - allUnits(instead)
	if gain <= 0 {
		return false
	}
	d.summed = len(old) - len(instead) + 1
	d.messages = slices.Concat(d.messages[:d.fixed], instead, d.messages[end:])
	d.size -= gain
	d.changed = d.fixed
	return true
}

func allUnits(messages []chat.Message) int {
	n := 0
	for _, m := range messages {
		n += units(m)
	}
	return n
}

// bound reports whether a thought may hold only for what stood before it.
// "signature" and "redacted" are the kinds of Anthropic's wire and of Bedrock's.
func bound(p chat.Part) bool {
	t, ok := p.(chat.Thinking)
	return ok && (t.Signature.Kind == "signature" || t.Signature.Kind == "redacted")
}

// withoutBound is the conversation without the bound thoughts from start on. ok
// is false if there are none.
func withoutBound(messages []chat.Message, start int) (out []chat.Message, ok bool) {
	out = slices.Clone(messages[:start])
	for _, m := range messages[start:] {
		if slices.ContainsFunc(m.Parts, bound) {
			ok = true
			m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), bound)
			if len(m.Parts) == 0 {
				continue
			}
		}
		out = append(out, m)
	}
	return out, ok
}
