package sim

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// bedrockReply writes an answer of Converse.
type bedrockReply struct {
	x       *core.Exchange
	request *bedrockRequest
	answer  *core.Answer
	turn    *core.Turn
	seed    string
	blocks  []bedrockOut
}

// bedrockOut is a content block: its final form, what opens it in a stream
// (calls only), and the deltas.
type bedrockOut struct {
	whole, start object
	deltas       []object
	call         bool
}

func (r *bedrockRequest) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	b := &bedrockReply{x: x, request: r, answer: out, turn: t, seed: seed}
	if out.Thinking != "" && r.family.Claude {
		b.blocks = append(b.blocks, b.thought())
	}
	if out.Text != "" {
		b.blocks = append(b.blocks, b.text())
	}
	for i, call := range out.Calls {
		if call.ID == "" {
			call.ID = "tooluse_" + core.MakeID(22, fmt.Sprint(seed, i))
			if r.family.ShortIDs {
				call.ID = core.MakeID(9, fmt.Sprint(seed, i))
			}
		}
		b.blocks = append(b.blocks, b.call(call))
	}
	return b
}

func (b *bedrockReply) thought() bedrockOut {
	shown, sig := b.request.plain.signThought(b.answer.Thinking)
	out := bedrockOut{whole: object{"reasoningContent": object{"reasoningText": object{"text": shown, "signature": sig}}}}
	for _, piece := range b.x.CutText(b.turn.Fault, shown, true) {
		out.deltas = append(out.deltas, object{"reasoningContent": object{"text": piece}})
	}
	out.deltas = append(out.deltas, object{"reasoningContent": object{"signature": sig}})
	return out
}

func (b *bedrockReply) text() bedrockOut {
	out := bedrockOut{whole: object{"text": b.answer.Text}}
	for _, piece := range b.x.CutText(b.turn.Fault, b.answer.Text, true) {
		out.deltas = append(out.deltas, object{"text": piece})
	}
	return out
}

func (b *bedrockReply) call(call core.ToolCall) bedrockOut {
	args := call.Arguments
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	var input any = args
	if !json.Valid(args) {
		input = string(args)
	}
	out := bedrockOut{
		call:  true,
		whole: object{"toolUse": object{"toolUseId": call.ID, "name": call.Name, "input": input}},
		start: object{"toolUse": object{"toolUseId": call.ID, "name": call.Name}},
	}
	parts := b.x.CutText(b.turn.Fault, string(args), false)
	if b.turn.Fault.WholeCalls {
		parts = []string{string(args)}
	}
	if string(args) == "{}" {
		parts = []string{""}
	}
	for _, piece := range parts {
		out.deltas = append(out.deltas, object{"toolUse": object{"input": piece}})
	}
	return out
}

// stopReason: source: aws-sdk-go-v2, bedrockruntime enums.go, StopReason, read
// 2026-11-30.
func (b *bedrockReply) stopReason() string {
	switch b.answer.Finish {
	case "stop":
		if b.answer.Stop != "" {
			return "stop_sequence"
		}
		return "end_turn"
	case "tool_calls":
		return "tool_use"
	case "length":
		return "max_tokens"
	case "refusal":
		return "content_filtered"
	}
	return b.answer.Finish
}

// usage counts the input without what the cache served or took in.
func (b *bedrockReply) usage() object {
	u := b.answer.Usage
	return object{
		"inputTokens": u.Input - u.Cached - u.CacheWrite, "outputTokens": u.Output, "totalTokens": u.Input + u.Output,
		"cacheReadInputTokens": u.Cached, "cacheWriteInputTokens": u.CacheWrite,
	}
}

func (b *bedrockReply) Whole() object {
	content := make([]any, len(b.blocks))
	for i, block := range b.blocks {
		content[i] = block.whole
	}
	return object{
		"output":     object{"message": object{"role": "assistant", "content": content}},
		"stopReason": b.stopReason(), "usage": b.usage(), "metrics": object{"latencyMs": 1432},
	}
}

// bedrockStream writes the reply as binary events.
type bedrockStream struct {
	*bedrockReply
	out *core.Flow
}

func (b *bedrockReply) Stream() {
	s := &bedrockStream{b, b.x.OpenFlow(b.turn.Fault, "application/vnd.amazon.eventstream")}
	s.send("messageStart", object{"role": "assistant"})
	var queues [][]func()
	for i := range b.blocks {
		steps := s.steps(i)
		if b.blocks[i].call && b.turn.Fault.Interleave {
			queues = append(queues, steps)
			continue
		}
		for _, step := range steps {
			step()
		}
	}
	for _, step := range core.Interleave(queues) {
		step()
	}
	if b.turn.Fault.NoEndMark {
		return
	}
	s.send("messageStop", object{"stopReason": b.stopReason()})
	s.send("metadata", object{"usage": b.usage(), "metrics": object{"latencyMs": 1432}})
}

// steps are the events of one block.
func (s *bedrockStream) steps(i int) []func() {
	b := s.blocks[i]
	var steps []func()
	add := func(name string, doc object) {
		doc["contentBlockIndex"] = i
		steps = append(steps, func() { s.send(name, doc) })
	}
	if b.start != nil {
		add("contentBlockStart", object{"start": b.start})
	}
	for _, d := range b.deltas {
		add("contentBlockDelta", object{"delta": d})
	}
	add("contentBlockStop", object{})
	return steps
}

// send writes one event, or the scripted failure where it is due. Payloads are
// padded. Source: aws-sdk-go-v2, service/bedrockruntime v1.63.13, types.go,
// read 2026-11-30.
func (s *bedrockStream) send(name string, doc object) {
	if s.turn.Fail != nil && s.out.FailureDue() {
		s.fail()
		return
	}
	doc["p"] = core.MakeID(6+s.out.Sent%20, s.seed, strconv.Itoa(s.out.Sent))
	s.frame("event", ":event-type", name, doc)
}

func (s *bedrockStream) frame(kind, header, name string, doc object) {
	payload, err := jsondoc.Marshal(doc)
	if err != nil {
		s.out.Ended = true
		return
	}
	s.out.WriteFrame(eventFrame([][2]string{{header, name}, {":message-type", kind}, {":content-type", core.JSONType}}, payload))
}

// fail sends an exception, with which the stream ends.
func (s *bedrockStream) fail() {
	f := s.turn.Fail.MakeRefusal()
	typ, message := bedrockWords(f.Status)
	f.FillWords(typ, "", message)
	names := map[int]string{
		400: "validationException", 429: "throttlingException", 500: "internalServerException", 503: "serviceUnavailableException",
	}
	name, doc := names[f.Status], object{"message": f.Message}
	if name == "" {
		name = "modelStreamErrorException"
		doc["originalStatusCode"], doc["originalMessage"] = f.Status, f.Message
	}
	s.frame("exception", ":exception-type", name, doc)
	s.out.Ended = true
}
