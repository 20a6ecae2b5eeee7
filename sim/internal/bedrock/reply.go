package bedrock

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// reply writes an answer of Converse.
type reply struct {
	x       *core.Exchange
	request *request
	answer  *core.Answer
	turn    *core.Turn
	seed    string
	blocks  []outBlock
}

// outBlock is a content block: its final form, what opens it in a stream
// (calls only), and the deltas.
type outBlock struct {
	whole, start object
	deltas       []object
	call         bool
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	b := &reply{x: x, request: r, answer: out, turn: t, seed: seed}
	if out.Thinking != "" && r.family.Claude {
		b.blocks = append(b.blocks, b.encodeThought())
	}
	if out.Text != "" {
		b.blocks = append(b.blocks, b.encodeText())
	}
	for i, call := range out.Calls {
		if call.ID == "" {
			call.ID = "tooluse_" + core.MakeID(22, fmt.Sprint(seed, i))
			if r.family.ShortIDs {
				call.ID = core.MakeID(9, fmt.Sprint(seed, i))
			}
		}
		b.blocks = append(b.blocks, b.encodeCall(call))
	}
	return b
}

func (p *reply) encodeThought() outBlock {
	shown, sig := p.request.translated.SignThought(p.answer.Thinking)
	out := outBlock{whole: object{"reasoningContent": object{"reasoningText": object{"text": shown, "signature": sig}}}}
	for _, piece := range p.x.CutText(p.turn.Fault, shown, true) {
		out.deltas = append(out.deltas, object{"reasoningContent": object{"text": piece}})
	}
	out.deltas = append(out.deltas, object{"reasoningContent": object{"signature": sig}})
	return out
}

func (p *reply) encodeText() outBlock {
	out := outBlock{whole: object{"text": p.answer.Text}}
	for _, piece := range p.x.CutText(p.turn.Fault, p.answer.Text, true) {
		out.deltas = append(out.deltas, object{"text": piece})
	}
	return out
}

func (p *reply) encodeCall(call core.ToolCall) outBlock {
	args := call.Arguments
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	var input any = args
	if !json.Valid(args) {
		input = string(args)
	}
	out := outBlock{
		call:  true,
		whole: object{"toolUse": object{"toolUseId": call.ID, "name": call.Name, "input": input}},
		start: object{"toolUse": object{"toolUseId": call.ID, "name": call.Name}},
	}
	parts := p.x.CutText(p.turn.Fault, string(args), false)
	if p.turn.Fault.WholeCalls {
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
func (p *reply) stopReason() string {
	switch p.answer.Finish {
	case "stop":
		if p.answer.Stop != "" {
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
	return p.answer.Finish
}

// encodeUsage counts the input without what the cache served or took in.
func (p *reply) encodeUsage() object {
	u := p.answer.Usage
	return object{
		"inputTokens": u.Input - u.Cached - u.CacheWrite, "outputTokens": u.Output, "totalTokens": u.Input + u.Output,
		"cacheReadInputTokens": u.Cached, "cacheWriteInputTokens": u.CacheWrite,
	}
}

func (p *reply) Whole() object {
	content := make([]any, len(p.blocks))
	for i, block := range p.blocks {
		content[i] = block.whole
	}
	return object{
		"output":     object{"message": object{"role": "assistant", "content": content}},
		"stopReason": p.stopReason(), "usage": p.encodeUsage(), "metrics": object{"latencyMs": 1432},
	}
}

// eventStream writes the reply as binary events.
type eventStream struct {
	*reply
	out *core.Flow
}

func (p *reply) Stream() {
	s := &eventStream{p, p.x.OpenFlow(p.turn.Fault, "application/vnd.amazon.eventstream")}
	s.sendEvent("messageStart", object{"role": "assistant"})
	var queues [][]func()
	for i := range p.blocks {
		steps := s.listSteps(i)
		if p.blocks[i].call && p.turn.Fault.Interleave {
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
	if p.turn.Fault.NoEndMark {
		return
	}
	s.sendEvent("messageStop", object{"stopReason": p.stopReason()})
	s.sendEvent("metadata", object{"usage": p.encodeUsage(), "metrics": object{"latencyMs": 1432}})
}

func (s *eventStream) listSteps(i int) []func() {
	b := s.blocks[i]
	var steps []func()
	add := func(name string, doc object) {
		doc["contentBlockIndex"] = i
		steps = append(steps, func() { s.sendEvent(name, doc) })
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

// sendEvent writes one event, or the scripted failure where it is due. Payloads are
// padded. Source: aws-sdk-go-v2, service/bedrockruntime v1.63.13, types.go,
// read 2026-11-30.
func (s *eventStream) sendEvent(name string, doc object) {
	if s.turn.Fail != nil && s.out.FailureDue() {
		s.sendFailure()
		return
	}
	doc["p"] = core.MakeID(6+s.out.Sent%20, s.seed, strconv.Itoa(s.out.Sent))
	s.sendFrame("event", ":event-type", name, doc)
}

func (s *eventStream) sendFrame(kind, header, name string, doc object) {
	payload, err := jsondoc.Marshal(doc)
	if err != nil {
		s.out.Ended = true
		return
	}
	s.out.WriteFrame(encodeFrame([][2]string{
		{header, name}, {":message-type", kind}, {":content-type", core.JSONType},
	}, payload))
}

// sendFailure sends an exception, with which the stream ends.
func (s *eventStream) sendFailure() {
	f := s.turn.Fail.MakeRefusal()
	typ, message := wordsFor(f.Status)
	f.FillWords(typ, "", message)
	names := map[int]string{
		400: "validationException", 429: "throttlingException", 500: "internalServerException",
		503: "serviceUnavailableException",
	}
	name, doc := names[f.Status], object{"message": f.Message}
	if name == "" {
		name = "modelStreamErrorException"
		doc["originalStatusCode"], doc["originalMessage"] = f.Status, f.Message
	}
	s.sendFrame("exception", ":exception-type", name, doc)
	s.out.Ended = true
}

// object is a JSON object to be sent.
type object = map[string]any
