package compact_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// speech makes conversations at random.
type speech struct {
	*rand.Rand
	ids int
	out []chat.Message
}

func (s *speech) text(most int) chat.Text { return chat.Text{Text: lines(1 + s.IntN(most))} }

func (s *speech) say(role chat.Role, parts ...chat.Part) {
	s.out = append(s.out, chat.Message{Role: role, Parts: parts})
}

// turn is a question, steps, and an answer unless the turn goes on.
func (s *speech) turn(open bool) {
	if s.IntN(4) == 0 {
		s.say(chat.RoleSystem, s.text(20))
	}
	s.say(chat.RoleUser, s.text(60))
	for range s.IntN(6) {
		s.step()
		if s.IntN(8) == 0 {
			s.say(chat.RoleUser, s.text(10))
		}
	}
	if !open {
		s.say(chat.RoleAssistant, s.thought(), s.text(80))
		if s.IntN(8) == 0 {
			s.say(chat.RoleAssistant, s.text(10)) // goes on after a pause
		}
	}
}

func (s *speech) thought() chat.Part {
	kind := []string{"signature", "redacted", "reasoning_content"}[s.IntN(3)]
	return chat.Thinking{Text: "Hm.", Signature: chat.Signature{Engine: "anthropic", Kind: kind, Data: lines(10)}}
}

func (s *speech) step() {
	var parts []chat.Part
	if s.IntN(2) == 0 {
		parts = append(parts, s.thought())
	}
	if s.IntN(3) == 0 {
		parts = append(parts, s.text(20))
	}
	results := make([]chat.ToolResult, 0, 3)
	for range 1 + s.IntN(3) {
		s.ids++
		id := fmt.Sprintf("call_%d", s.ids)
		parts = append(parts, chat.ToolCall{ID: id, Name: "read_page", Arguments: json.RawMessage(`{"page":1}`)})
		r := chat.TextResult(id, lines(s.IntN(400)))
		if s.IntN(10) == 0 {
			r.Parts = append(r.Parts, chat.Image{MediaType: "image/png", Data: []byte("png")})
		}
		r.IsError = s.IntN(10) == 0
		results = append(results, r)
	}
	s.say(chat.RoleAssistant, parts...)
	if len(results) > 1 && s.IntN(3) == 0 { // one message for each result
		for _, r := range results {
			s.out = append(s.out, chat.Results(r))
		}
		return
	}
	s.out = append(s.out, chat.Results(results...))
}

func conversation(seed uint64) ([]chat.Message, *rand.Rand) {
	s := &speech{Rand: rand.New(rand.NewPCG(seed, 1))}
	for range s.IntN(4) {
		s.turn(false)
	}
	s.turn(true)
	return s.out, s.Rand
}

// TestCompactAnyConversation: whatever is shortened stays a conversation that
// can be planned, its kept end as it was, and shortening it again does nothing.
func TestCompactAnyConversation(t *testing.T) {
	t.Parallel()
	engines := make([]engine.Engine, 0, len(engine.Catalog()))
	for _, e := range engine.Catalog() {
		eng, err := engine.New(e.Profile.Name, engine.Config{APIKey: "k", BaseURL: "http://localhost", Model: e.Profile.Example})
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, eng)
	}
	shortened := 0
	for seed := range uint64(400) {
		input, random := conversation(seed)
		untouched := decoded(t, input)
		c := compact.Compactor{Window: 200 + random.IntN(2500), Keep: random.IntN(10)}
		c.Model = []agent.Model{nil, always(notes("The notes.")), scripted()}[random.IntN(3)]
		sent, events, result := shortenedBy(t, c, input)
		if !reflect.DeepEqual(decoded(t, input), untouched) {
			t.Fatalf("seed %d: the caller's messages were changed", seed)
		}
		if !reflect.DeepEqual(decoded(t, result.Archive[:len(input)]), untouched) || len(result.Archive) != len(input)+1 {
			t.Fatalf("seed %d: the archive isn't what was said", seed)
		}
		if len(events) == 0 {
			if !reflect.DeepEqual(decoded(t, sent), untouched) {
				t.Fatalf("seed %d: changed without a word", seed)
			}
			continue
		}
		shortened++
		checkKept(t, seed, input, sent, c, events[0])
		for _, eng := range []engine.Engine{engines[seed%uint64(len(engines))], engines[0]} {
			planned(t, seed, eng, input, sent)
		}
		if limit := int(0.8 * float64(c.Window)); events[0].After <= limit {
			if again, events, _ := shortenedBy(t, c, sent); len(events) > 0 || !reflect.DeepEqual(again, sent) {
				t.Fatalf("seed %d: shortened twice: %+v", seed, events)
			}
		}
	}
	if shortened < 200 {
		t.Errorf("only %d were shortened", shortened)
	}
}

// shortenedBy gives what a model is asked with.
func shortenedBy(t *testing.T, c compact.Compactor, input []chat.Message) ([]chat.Message, []agent.Compacted, *agent.Result) {
	t.Helper()
	model := scripted(text("done"))
	bot := agent.Agent{Model: model, Compact: c}
	events, result, err := compacted(t, &bot, input...)
	if err != nil {
		t.Fatal(err)
	}
	return model.Requests[0].Messages, events, result
}

func decoded(t *testing.T, messages []chat.Message) []chat.Message {
	t.Helper()
	raw, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	var out []chat.Message
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// planned checks that an engine which can be asked with the whole conversation
// can be asked with the shorter one.
func planned(t *testing.T, seed uint64, eng engine.Engine, input, sent []chat.Message) {
	t.Helper()
	def := chat.ToolDef{Name: "read_page", Description: "Reads a page."}
	if _, err := eng.Plan(&chat.Request{Messages: input, Tools: []chat.ToolDef{def}, MaxTokens: 100}); err != nil {
		return
	}
	if _, err := eng.Plan(&chat.Request{Messages: sent, Tools: []chat.ToolDef{def}, MaxTokens: 100}); err != nil {
		t.Fatalf("seed %d: %s: %v\n%+v", seed, eng.Name(), err, sent)
	}
}

// checkKept looks at the end of the conversation. Thoughts aside, the last step
// is as it was unless nothing else could give way, the last Keep messages unless
// nothing before them could, and more is left than was aimed at only then.
func checkKept(t *testing.T, seed uint64, input, sent []chat.Message, c compact.Compactor, ev agent.Compacted) {
	t.Helper()
	was, is := withoutThoughts(input), withoutThoughts(sent)
	same := 0
	for same < min(len(was), len(is)) && reflect.DeepEqual(was[len(was)-1-same], is[len(is)-1-same]) {
		same++
	}
	last := len(is)
	for last > 0 && is[last-1].Role != chat.RoleAssistant {
		last--
	}
	stepKept := same > len(is)-last || last == 0
	keep := min(cmp.Or(c.Keep, 8), len(was))
	front := is[:max(len(is)-keep-4, 0)] // a step of four messages may begin before those that are kept
	switch {
	case ev.After > ev.Before:
		t.Fatalf("seed %d: longer than before: %+v", seed, ev)
	case !stepKept && leavable(is[:last-1]):
		t.Fatalf("seed %d: the last step was changed before others: %+v", seed, ev)
	case stepKept && same < keep && leavable(front):
		t.Fatalf("seed %d: of %d kept messages only %d are as they were: %+v", seed, keep, same, ev)
	case stepKept && ev.After > c.Window/2 && leavable(front):
		t.Fatalf("seed %d: more could be left out: %+v", seed, ev)
	}
}

// leavable reports whether there are whole results that are larger than a note.
func leavable(messages []chat.Message) bool {
	return slices.ContainsFunc(messages, func(m chat.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p chat.Part) bool {
			r, ok := p.(chat.ToolResult)
			return ok && len(chat.Message{Parts: r.Parts}.Text()) > 100
		})
	})
}

func withoutThoughts(messages []chat.Message) []chat.Message {
	var out []chat.Message
	for _, m := range messages {
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p chat.Part) bool { _, ok := p.(chat.Thinking); return ok })
		if len(m.Parts) > 0 {
			out = append(out, m)
		}
	}
	return out
}
