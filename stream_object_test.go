package sabir_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/sim"
)

// visit has what only means something when it is whole, and what grows.
type visit struct {
	Castles []castle       `json:"castles"`
	At      time.Time      `json:"at"`
	Stone   stone          `json:"stone"`
	Mood    string         `json:"mood" enum:"good,bad"`
	Paid    bool           `json:"paid"`
	Left    int            `json:"left,string"`
	Notes   map[string]any `json:"notes,omitempty"`
	Found   *finding       `json:"found,omitempty"`
}

// speller is an engine that writes its answers in pieces of a few bytes and
// holds them against nothing.
type speller struct {
	engine.Engine

	answers []string
	size    int
	left    int // streams that were left before their end
}

func (s *speller) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		text := s.answers[0]
		s.answers = s.answers[1:]
		for rest := text; rest != ""; rest = rest[min(s.size, len(rest)):] {
			if !yield(chat.TextDelta{Text: rest[:min(s.size, len(rest))]}, nil) {
				s.left++
				return
			}
		}
		out, _ := rawjson.Loose(text)
		yield(chat.Done{Reply: &chat.Reply{Parts: []chat.Part{chat.Text{Text: text}}, Finish: chat.FinishStop, Output: out}}, nil)
	}
}

func spelled[T any](t *testing.T, answers ...string) ([]sabir.Partial[T], error) {
	t.Helper()
	client := sabir.New(&speller{answers: answers, size: 1})
	return watch(t, sabir.StreamObject[T](t.Context(), client, &chat.Request{Messages: chat.Prompt("Which?")}))
}

// shown prints partial values, one string each.
func shown[T any](seen []sabir.Partial[T]) []string {
	out := make([]string, len(seen))
	for i, p := range seen {
		out[i] = fmt.Sprintf("%d %+v", p.Round, p.Value)
	}
	return out
}

// TestStreamObjectGrows: texts grow, the rest comes whole.
func TestStreamObjectGrows(t *testing.T) {
	t.Parallel()
	seen, err := spelled[castle](t, `{"name":"Gra","year":1180,"note":"é"}`)
	want := "0 {Name:G Year:0 Note:}|0 {Name:Gr Year:0 Note:}|0 {Name:Gra Year:0 Note:}|0 {Name:Gra Year:1180 Note:}|" +
		"0 {Name:Gra Year:1180 Note:é}|0 {Name:Gra Year:1180 Note:é}"
	if got := strings.Join(shown(seen), "|"); err != nil || got != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	lists, err := spelled[[]int](t, `{"answer":[12, 345]}`)
	if got := strings.Join(shown(lists), "|"); err != nil || got != "0 []|0 [12]|0 [12 345]|0 [12 345]" {
		t.Errorf("%s, %v", got, err)
	}
	kinds, err := spelled[[]stone](t, `{"answer":["granite","limestone"]}`)
	if got := strings.Join(shown(kinds), "|"); err != nil || got != "0 []|0 [granite]|0 [granite limestone]|0 [granite limestone]" {
		t.Errorf("%s, %v", got, err)
	}
	mended, err := spelled[even](t, `{"answer":3}`, `{"answer":4}`)
	if got := strings.Join(shown(mended), "|"); err != nil || got != "1 0|1 4|1 4" {
		t.Errorf("%s, %v", got, err)
	}
	type pair struct {
		A string `json:"a"`
		B even   `json:"b"`
	}
	again, err := spelled[pair](t, `{"a":"x","b":3}`, `{"a":"x","b":4}`)
	if got := strings.Join(shown(again), "|"); err != nil || got != "0 {A:x B:0}|1 {A: B:0}|1 {A:x B:0}|1 {A:x B:4}|1 {A:x B:4}" {
		t.Errorf("%s, %v", got, err)
	}
	odd, err := spelled[[]even](t, `{"answer":[2,48]}`)
	if got := strings.Join(shown(odd), "|"); err != nil || got != "0 []|0 [2]|0 [2 48]|0 [2 48]" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestStreamObjectWholes: nothing is shown of a value that means something else
// before it is whole.
func TestStreamObjectWholes(t *testing.T) {
	t.Parallel()
	seen, err := spelled[visit](t, `{"castles":[{"name":"Gravensteen","year":1180},{"year":12,"name":"Steen \ud83c\udff0"}],`+
		`"at":"2026-11-30T12:00:00Z","stone":"granite","mood":"good","paid":true,"left":"125",`+
		`"notes":{"weather":"rain","tags":["a",1,null,{"b":[true]}]},"found":{"several":[{"name":"x","year":1}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range seen {
		v := p.Value
		if v.Stone != "" && v.Stone != "granite" || v.Mood != "" && v.Mood != "good" || v.Left != 0 && v.Left != 125 ||
			!v.At.IsZero() && v.At.Hour() != 12 || len(v.Castles) > 1 && v.Castles[1].Year%12 != 0 {
			t.Errorf("%+v", v)
		}
		if len(v.Castles) > 1 && strings.ContainsRune(v.Castles[1].Name, '\uFFFD') {
			t.Errorf("half a character: %q", v.Castles[1].Name)
		}
	}
	if last := seen[len(seen)-1].Value; len(seen) < 40 || last.Found == nil || (*last.Found.Several)[0].Year != 1 || last.Castles[1].Name != "Steen 🏰" {
		t.Errorf("%d partial values, at last %+v", len(seen), last)
	}
}

// TestStreamObjectChatty: fences and prose are passed over, and what only
// looked like the answer is taken back.
func TestStreamObjectChatty(t *testing.T) {
	t.Parallel()
	want := castle{Name: "Gravensteen", Year: 1180}
	for _, c := range []struct {
		name, text string
		early      bool // there is something before the end
		rounds     int
	}{
		{"fenced", "Sure! Here it is:\n```json\n" + good + "\n```\nAnything else?", true, 0},
		{"prose", "It is " + good + ", I think.", true, 0},
		{"braces in prose", "In {this} form: " + good, true, 0},
		{"an object that breaks off", `{"name":"Ste" no: ` + good, true, 1},
		{"another object before the fence", "With {\"name\":\"x\",\"year\":1} I get\n```\n" + good + "\n```", true, 1},
		{"a quoted brace", `The char "{" opens: ` + good, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seen, err := spelled[castle](t, c.text)
			if err != nil || len(seen) == 0 {
				t.Fatalf("%+v, %v", seen, err)
			}
			if last := seen[len(seen)-1]; last.Value != want || last.Round != c.rounds || len(seen) > 1 != c.early {
				t.Errorf("%+v", seen)
			}
		})
	}
}

// TestStreamObjectRepairs: each new answer is announced, and begins anew.
func TestStreamObjectRepairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		turns   []sim.Turn
		rounds  int
		err     error
		partial bool // the error has a reply
	}{
		{"at once", []sim.Turn{sim.Says(good)}, 0, nil, false},
		{"no JSON", []sim.Turn{sim.Says("The Gravensteen."), sim.Says(good)}, 1, nil, false},
		{"missing, then a wrong type", []sim.Turn{sim.Says(`{"name":"x"}`), sim.Says(`{"name":"y","year":"1180"}`), sim.Says(good)}, 2, nil, false},
		{"never", []sim.Turn{sim.Says("a"), sim.Says("b"), sim.Says("c"), sim.Says(good)}, 2, chat.ErrOutputUnmet, true},
		{"cut by the token limit", []sim.Turn{{Text: `{"name":"Grav`, Finish: "length"}, sim.Says(good)}, 0, chat.ErrOutputUnmet, true},
		{"cut on the way", []sim.Turn{enginetest.Cut(3, sim.Says(`{"name": "Gravensteen", "year": 1180}`)), sim.Says(good)}, 0, chat.ErrTruncated, true},
		{"refused", []sim.Turn{sim.Fails(401, "")}, 0, chat.ErrAuth, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range c.turns {
				c.turns[i].Usage = sim.Usage{Input: 10, Output: 1}
			}
			fake := enginetest.New(c.turns...)
			req := &chat.Request{Messages: chat.Prompt("Which?")}
			seen, err := watch(t, sabir.StreamObject[castle](t.Context(), sabir.New(fake), req))
			last := sabir.Partial[castle]{}
			if len(seen) > 0 {
				last = seen[len(seen)-1]
			}
			if !errors.Is(err, c.err) || last.Round != c.rounds || len(fake.Requests()) != c.rounds+1 || len(req.Messages) != 1 {
				t.Errorf("%+v, %v after %d requests", seen, err, len(fake.Requests()))
			}
			for i, p := range seen {
				if i > 0 && p.Round > seen[i-1].Round && (p.Value != castle{}) {
					t.Errorf("round %d is not announced: %+v", p.Round, p)
				}
			}
			reply := last.Reply
			if e, ok := errors.AsType[*chat.Error](err); ok {
				reply = e.Reply
			}
			if (err == nil || c.partial) != (reply != nil) || err == nil && reply.Usage.Total() != 11*(c.rounds+1) {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

// TestStreamObjectContract: nothing before the first range, one use, and a
// break leaves the model's stream.
func TestStreamObjectContract(t *testing.T) {
	t.Parallel()
	s := &speller{answers: []string{good}, size: 4}
	stream := sabir.StreamObject[castle](t.Context(), sabir.New(s), &chat.Request{Messages: chat.Prompt("Which?")})
	if len(s.answers) != 1 {
		t.Error("sent before the first range")
	}
	for range stream {
		break
	}
	if s.left != 1 || len(s.answers) != 0 {
		t.Errorf("after a break %d streams are closed", s.left)
	}
	if seen, err := watch(t, stream); len(seen) != 0 || !errors.Is(err, chat.ErrStreamUsed) {
		t.Errorf("the second range: %+v, %v", seen, err)
	}
	fake := enginetest.New(sim.Says("no"), sim.Says(good))
	for p := range sabir.StreamObject[castle](t.Context(), sabir.New(fake), &chat.Request{Messages: chat.Prompt("Which?")}) {
		if p.Round == 1 {
			break
		}
	}
	if n := len(fake.Sent()); n != 1 {
		t.Errorf("%d requests although nobody listened", n)
	}
	for _, req := range []*chat.Request{nil, {Output: &chat.Output{Schema: []byte(`{}`)}}, {Tools: []chat.ToolDef{{Name: "a"}}}} {
		if seen, err := watch(t, sabir.StreamObject[castle](t.Context(), sabir.New(fake), req)); len(seen) != 0 || !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("%+v, %v", seen, err)
		}
	}
	if seen, err := watch(t, sabir.StreamObject[castle](t.Context(), sabir.New(mute{newParrot()}), &chat.Request{})); len(seen) != 0 || !errors.Is(err, chat.ErrTruncated) {
		t.Errorf("no end: %+v, %v", seen, err)
	}
}

// mute ends its streams without a word.
type mute struct{ engine.Engine }

func (mute) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(func(chat.Event, error) bool) {}
}

func (mute) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return nil, nil }

// TestStreamObjectIsLinear: what is decoded is bounded by what came, whatever
// the size of the deltas.
func TestStreamObjectIsLinear(t *testing.T) {
	t.Parallel()
	const size = 128 << 10
	text := `{"answer":"` + strings.Repeat("It was built. ", size/14) + `"}`
	client := sabir.New(&speller{answers: []string{text}, size: 4})
	decoded, longest := 0, 0
	for p, err := range sabir.StreamObject[string](t.Context(), client, &chat.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Reply == nil {
			decoded += len(p.Value)
			longest = max(longest, len(p.Value))
		}
	}
	if most := 256<<10 + 32*len(text); decoded > most || decoded < most/2 {
		t.Errorf("%d bytes were decoded, at most %d are to be", decoded, most)
	}
	if behind := len(text) - longest; behind > len(text)/30 {
		t.Errorf("%d of %d bytes were not shown before the end", behind, len(text))
	}
}

// BenchmarkStreamObject: the cost per byte is the same for long answers.
func BenchmarkStreamObject(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		text := `{"answer":[` + strings.Repeat(good+",", size/len(good)) + good + `]}`
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				client := sabir.New(&speller{answers: []string{text}, size: 8})
				for _, err := range sabir.StreamObject[[]castle](b.Context(), client, &chat.Request{}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func ExampleStreamObject() {
	client := sabir.New(enginetest.New(enginetest.Says(`{"name":"Castle of the Counts","year":1180}`)))
	for p, err := range sabir.StreamObject[castle](context.Background(), client, &chat.Request{
		Messages: chat.Prompt("Which castle stands in Ghent, and since when?"),
	}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %d %v\n", p.Value.Name, p.Value.Year, p.Reply != nil)
	}
	// Output:
	// "Castle" 0 false
	// "Castle of" 0 false
	// "Castle of the" 0 false
	// "Castle of the Counts" 1180 false
	// "Castle of the Counts" 1180 true
}
