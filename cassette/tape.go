package cassette

import (
	"context"
	"iter"
	"sync"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
	"github.com/sabir-go/sabir/internal/terms"
)

// Tape records what engines answer to a program's tests in a file, the cassette,
// and answers in their place later, without network and key; [Tape.Wrap] is the
// middleware.
//
//	var record = flag.Bool("record", false, "ask the provider and write the cassettes anew")
//
//	tape := &cassette.Tape{Path: "testdata/answer.jsonl", Record: *record}
//	client := sabir.New(engine.NewAnthropic(engine.Config{Model: "claude-sonnet-4-5"}), tape.Wrap)
//
// A call is found again by what would be sent, the engine's plan: its name, the
// model, the body, and whether it was streamed. Equal calls are answered in the
// order in which they were recorded, streams with the same events, failures with
// an error that errors.Is finds the same kinds in. A call that isn't on the
// cassette fails with a *[DriftError], which says what is different. Requests
// that the plan refuses are refused as ever and not recorded.
//
// The file holds one call per line. Headers are not in it, and so no key; what
// looks like a secret in bodies and replies is replaced by "[redacted]": keys in
// the forms of the well-known providers, bearer tokens, passwords and tokens in
// addresses, and members with names such as "api_key" or "password". Review a
// cassette all the same before it is committed: prompts and replies are in it.
//
// A Tape is safe for concurrent use and may serve several engines; set its
// fields before the first call.
type Tape struct {
	// Path is the cassette's file. Its directory is made if need be.
	Path string
	// Record asks the engine and writes the file anew, from the first call on;
	// otherwise the file answers.
	Record bool
	// Secrets are texts that must not get into the file, such as a customer's
	// name; those of fewer than four bytes are ignored.
	Secrets []string
	// Scrub changes every text of a request and of a reply before it is written
	// and before a request is looked up, for what differs between two runs, such
	// as the date in a prompt. To scrub twice must be to scrub once. nil: nothing.
	Scrub func(text string) string

	mu sync.Mutex
	// begun: the file was written anew; loaded: it was read, with what error.
	begun, loaded bool
	failed        error
	tracks        []*track
	// waiting are the tracks of equal calls that were not asked for yet, by
	// their request.
	waiting map[string][]*track
}

// Wrap is the middleware.
func (c *Tape) Wrap(e engine.Engine) engine.Engine { return taped{e, c} }

// Unused names the recorded calls that nobody asked for so far, by file, line,
// engine and model: at the end of a test, a sign that the program does less than
// it did. While recording there are none.
func (c *Tape) Unused() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Record {
		return nil
	}
	if err := c.load(); err != nil {
		return []string{err.Error()}
	}
	var unused []string
	for _, t := range c.tracks {
		if !t.used {
			unused = append(unused, t.String())
		}
	}
	return unused
}

// taped is an engine with a cassette in front of it.
type taped struct {
	engine.Engine

	tape *Tape
}

// ask plans a request and finds its name on the tape.
func (t taped) ask(req *chat.Request, streamed bool) (*asked, error) {
	plan, err := plan(t.Engine, req)
	if err != nil {
		return nil, err
	}
	a := &asked{Engine: t.Name(), Model: req.Model, Stream: streamed, Terms: terms.Of(req)}
	if plan != nil {
		a.Engine, a.Model = plan.Engine, plan.Model
		if a.Body, err = plan.Body(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// plan is an engine's plan; nil if it doesn't plan. A request that is nil is
// refused by all.
func plan(e engine.Engine, req *chat.Request) (*chat.Plan, error) {
	plan, err := e.Plan(req)
	if err == nil && req == nil {
		err = chat.Invalid("Request", "is nil")
	}
	return plan, err
}

// Chat implements [engine.Engine].
func (t taped) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	a, err := t.ask(req, false)
	switch {
	case err != nil:
		return nil, err
	case !t.tape.Record:
		found, err := t.tape.find(ctx, a)
		if err != nil {
			return nil, err
		}
		return found.answer()
	case ctx.Err() != nil: // nothing will come of it
		return t.Engine.Chat(ctx, req)
	}
	if err := t.tape.begin(); err != nil {
		return nil, err
	}
	reply, err := t.Engine.Chat(ctx, req)
	if failed := t.tape.keep(&recording{Asked: a, Reply: reply, Error: storeError(err)}, nil); failed != nil {
		return nil, failed
	}
	return reply, err
}

// Stream implements [engine.Engine].
func (t taped) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(t.Name(), func(yield func(chat.Event, error) bool) {
		a, err := t.ask(req, true)
		switch {
		case err != nil:
			yield(nil, err)
		case !t.tape.Record:
			if found, err := t.tape.find(ctx, a); err != nil {
				yield(nil, err)
			} else {
				found.replay(ctx, yield)
			}
		case ctx.Err() != nil:
			t.Engine.Stream(ctx, req)(yield)
		default:
			if err := t.tape.begin(); err != nil {
				yield(nil, err)
				return
			}
			t.record(ctx, a, req, yield)
		}
	})
}

// record passes a stream on and keeps what came, also of one that is left. The
// end is delivered once it was kept.
func (t taped) record(ctx context.Context, a *asked, req *chat.Request, yield func(chat.Event, error) bool) {
	r := &recording{Asked: a}
	var events []chat.Event
	for ev, err := range t.Engine.Stream(ctx, req) {
		done, ended := ev.(chat.Done)
		switch {
		case err != nil:
			r.Error, ended = storeError(err), true
		case ended:
			r.Reply = done.Reply
		default:
			events = append(events, ev)
		}
		if ended {
			if failed := t.tape.keep(r, events); failed != nil {
				ev, err = nil, failed
			}
			yield(ev, err)
			return
		}
		if !yield(ev, nil) {
			break
		}
	}
	// There is nobody left to tell: the next call will meet the same failure.
	_ = t.tape.keep(r, events)
}
