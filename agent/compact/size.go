package compact

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// A unit is a token as it is estimated: four bytes of text, and fixed sizes for
// what is no text. They need be no better than to keep the proportions: the
// meter corrects them by what the provider counts.
const (
	unitBytes    = 4
	messageUnits = 4
	callUnits    = 16
	imageUnits   = 1200
	fileUnits    = 3000
	audioBytes   = 1000 // per unit
)

func textUnits(n int) int { return (n + unitBytes - 1) / unitBytes }

// units is the size of a message.
func units(m chat.Message) int { return messageUnits + partsUnits(m.Parts) }

func partsUnits(parts []chat.Part) int {
	n := 0
	for _, part := range parts {
		switch p := part.(type) {
		case chat.Text:
			n += textUnits(len(p.Text))
		case chat.Thinking:
			// A token in base64 stands for the thought that it hides.
			n += textUnits(max(len(p.Text), len(p.Signature.Data)*3/4))
		case chat.Image:
			n += imageUnits
		case chat.File:
			n += fileUnits
		case chat.Audio:
			n += messageUnits + len(p.Data)/audioBytes
		case chat.ToolCall:
			n += callUnits + textUnits(len(p.Name)+len(p.Arguments))
		case chat.ToolResult:
			n += callUnits + partsUnits(p.Parts)
		}
	}
	return n
}

// headUnits is the size of what stands before the messages.
func headUnits(req *chat.Request) int {
	n := textUnits(len(req.System))
	for _, t := range req.Tools {
		n += callUnits + textUnits(len(t.Name)+len(t.Description)+len(t.Schema))
	}
	if req.Output != nil {
		n += textUnits(len(req.Output.Schema) + len(req.Output.Description))
	}
	return n
}

// meter counts the tokens of a conversation that grows at its end. Each message
// is measured once.
type meter struct {
	// ratio is how many tokens the provider counts for a unit; 0: not known yet.
	ratio float64
	// sums holds in i the units of the head and the first i messages.
	sums []int
	// known is what the provider counted for the first at messages; at 0: not
	// counted.
	known, at int
}

// Beyond these ratios, it is the count that is wrong.
const minRatio, maxRatio = 0.2, 5

func newMeter(head int, ratio float64) meter { return meter{ratio: ratio, sums: []int{head}} }

// upTo is the units of the first n messages.
func (m *meter) upTo(messages []chat.Message, n int) int {
	for i := len(m.sums); i <= n; i++ {
		m.sums = append(m.sums, m.sums[i-1]+units(messages[i-1]))
	}
	return m.sums[n]
}

// learn takes in what a reply cost, if it is the last assistant message: one
// that was cut was not said.
func (m *meter) learn(messages []chat.Message, reply *chat.Reply) {
	n := lastReply(messages)
	if reply == nil || reply.Usage.Input <= 0 || n < 0 || !reflect.DeepEqual(messages[n].Parts, reply.Parts) {
		return
	}
	measured := float64(reply.Usage.Input) / float64(max(m.upTo(messages, n), 1))
	m.ratio = min(max(measured, minRatio), maxRatio)
	m.known, m.at = reply.Usage.Input+said(reply), n+1
}

// said is how much of a reply's output is said back: thinking only if it came
// along.
func said(reply *chat.Reply) int {
	for _, p := range reply.Parts {
		if t, ok := p.(chat.Thinking); ok && !t.Signature.IsZero() {
			return reply.Usage.Output
		}
	}
	return max(reply.Usage.Output-reply.Usage.Reasoning, 0)
}

// tokens is the size of a request with these messages.
func (m *meter) tokens(messages []chat.Message) int {
	n := m.upTo(messages, len(messages))
	if m.at > 0 {
		n -= m.sums[m.at]
	}
	return m.known + int(float64(n)*cmp.Or(m.ratio, 1))
}

// lastReply is the place of the last message of the model; -1 if there is none.
func lastReply(messages []chat.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == chat.RoleAssistant {
			return i
		}
	}
	return -1
}
