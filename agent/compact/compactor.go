package compact

import (
	"cmp"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
)

// Compactor keeps the conversation of a long run within the model's context
// window. Before a step whose request would fill more than the share At of the
// window, and once after a provider said chat.ErrTooLong, the working history,
// [agent.Result.Messages], is shortened until it fills no more than To:
//
//  1. The oldest tool results give way to a note that says how large they were.
//  2. If that isn't enough, Model sums up the oldest messages in one user
//     message. What the user asked for since the last answer stays behind it,
//     word for word, and so do system messages.
//  3. If it is still more than At, the same is done with all that stands before
//     the last step. Results of the last step give way only if the window would
//     not hold them.
//
// The last Keep messages are left alone until 3. A call and its result stay
// together, and neither calls nor their signatures are changed. What was said
// before is in [agent.Result.Archive].
//
// Thoughts behind the first change that are signed in the manner of Anthropic
// are left out: on newer models they hold only as long as nothing before them
// has changed. Where the planner insists that an open tool loop begin with its
// thought they all stay: older models want that, and bind a thought to nothing.
// A Model that can't plan is taken for a newer one. Thoughts and signatures of
// others stay: Gemini wants those on calls back, and OpenAI itself passes over
// reasoning whose history has changed. Sources: Anthropic, "Preserved thinking",
// "Thinking in tool and multi-turn workflows"; ai.google.dev, "Thought
// signatures"; OpenAI, "Preserved reasoning"; read 2026-11-30.
//
// Shortening costs the cached part of the prompt from the first change on,
// which is why it goes down to To at once. A size that the provider refused
// takes the place of a larger Window for the rest of the run. Tokens are those
// that the last reply's usage counted; what came after it is estimated, and the
// estimate is corrected by what the counts were so far.
type Compactor struct {
	// Window is the model's context window in tokens, input and output; it must
	// be stated. With a Policy that changes models, it is the smallest one.
	Window int
	// At is the share of Window that a request may fill; 0: 0.8. It may fill less
	// if Agent.Request.MaxTokens would not fit beside it.
	At float64
	// To is the share that is aimed at, below At; 0: 0.5, or less for a lower At.
	To float64
	// Keep is how many messages at the end stay as they are; 0: 8. Those of the
	// last step always count among them. In front, Agent.Request.Messages stay, and
	// as many as Agent.Request.Cache.Messages marks.
	Keep int
	// Model writes the summary. Where it is nil, only results are left out as
	// long as that keeps a request below At, and then the oldest messages, with a
	// note of the tools that were called. If its call fails, see [agent.Compacted], the
	// run goes on with what leaving out results has saved, and that note takes
	// the summary's place where the window would not hold the rest.
	Model agent.Model
	// Request is the template of the summary's call, such as Model, MaxTokens and
	// Thinking. A System replaces the instruction that says what to write down.
	// Its Messages and Tools must be empty.
	Request chat.Request
}

// Defaults of Compactor.
const (
	defaultAt   = 0.8
	defaultTo   = 0.5
	defaultKeep = 8
)

// check refuses what can't work.
func (c Compactor) check(req *chat.Request) error {
	isShare := func(f float64) bool { return f >= 0 && f <= 1 }
	switch {
	case c.Window <= 0:
		return chat.Invalid("Agent.Compact.Window", "must be stated")
	case req.MaxTokens >= c.Window:
		return chat.Invalid("Agent.Compact.Window", "leaves no room beside Agent.Request.MaxTokens")
	case !isShare(c.At):
		return chat.Invalid("Agent.Compact.At", "is not a share from 0 to 1")
	case !isShare(c.To):
		return chat.Invalid("Agent.Compact.To", "is not a share from 0 to 1")
	case c.to() >= c.at():
		return chat.Invalid("Agent.Compact.To", "is not below At")
	case c.Keep < 0:
		return chat.Invalid("Agent.Compact.Keep", "is negative")
	case len(c.Request.Messages) > 0:
		return chat.Invalid("Agent.Compact.Request.Messages", "must be empty: the conversation is put there")
	case len(c.Request.Tools) > 0:
		return chat.Invalid("Agent.Compact.Request.Tools", "must be empty: a summary calls nothing")
	}
	return nil
}

func (c Compactor) at() float64 { return cmp.Or(c.At, defaultAt) }
func (c Compactor) to() float64 { return cmp.Or(c.To, defaultTo/defaultAt*c.at()) }
func (c Compactor) keep() int   { return cmp.Or(c.Keep, defaultKeep) }

// bounds are sizes of a request, in tokens.
type bounds struct {
	limit int // what it may have
	goal  int // what shortening aims at
	most  int // what the model takes at all
}

// bounds leaves room for the reply, maxTokens where that is stated, and is the
// narrower for a size that was refused, where one was.
func (c Compactor) bounds(maxTokens, refused int) bounds {
	window := c.Window
	b := bounds{most: window - maxTokens}
	if refused > 0 {
		window = min(window, refused)
		b.most = min(b.most, window)
	}
	b.limit = min(int(c.at()*float64(window)), b.most)
	b.goal = int(float64(b.limit) * c.to() / c.at())
	return b
}
