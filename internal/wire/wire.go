package wire

import (
	"encoding/json"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/toolchoice"
)

// Codec speaks one dialect. Its methods are safe for concurrent use.
type Codec interface {
	// EncodeRequest spells a call. It is deterministic: the same call gives the
	// same bytes. An error means that the call holds something that the planner
	// should have refused.
	EncodeRequest(Call) (Encoded, error)
	// DecodeReply reads a whole reply into an empty assembly, so that limits and
	// text filters hold for both forms. An error object in the body is a
	// *chat.Error of the kind that the provider means; a body that is no reply is
	// one of kind ErrBadReply, with io.ErrUnexpectedEOF as a cause if its JSON is
	// cut short. Call [ReadReply] instead.
	DecodeReply(a *Assembly, body []byte) error
	// DecodeEvent reads one frame of a stream into the assembly. Its data isn't
	// blank, unless it is an exception. Errors are as in DecodeReply, half a
	// frame included: only the reader of the stream knows what follows. What was
	// fed before an error came is dropped. Call [Stream.Next] instead.
	DecodeEvent(*Assembly, frame.Frame) error
	// DecodeError reads the body of an answer whose status says that it failed.
	// It never returns nil; bodies that are no JSON at all are survived.
	DecodeError(status int, h http.Header, body []byte) *chat.Error
}

// Call is a planned request: every decision is taken, every part is one that
// the wire can carry.
type Call struct {
	Model    string
	Stream   bool
	System   string
	Messages []chat.Message

	Tools []chat.ToolDef
	// Choice is the choice to send, and ToolFormat how it is spelled; the zero
	// Choice leaves it out. [Call.SpellChoice] is its value on the wire.
	Choice     toolchoice.Choice
	ToolFormat toolchoice.WireFormat
	// Allowed restricts the tools to a subset by the wire's own means; nil: no
	// restriction. Choice still says how.
	Allowed       []string
	ParallelTools *bool

	// Format is the answer's form; nil leaves it to the model.
	Format   *Format
	Thinking Thinking

	MaxTokens   int // 0 leaves it out
	Temperature *float64
	TopP        *float64
	Stop        []string
	Seed        *int64
	Cache       chat.PromptCache
	Metadata    map[string]string

	// Extra are raw members for the end of the body, sorted by name.
	Extra  []Member
	Quirks Quirks
}

// SpellChoice spells the tool choice; nil leaves it out.
func (c *Call) SpellChoice() (json.RawMessage, error) { return c.Choice.To(c.ToolFormat) }

// Format asks for JSON. A nil Schema asks for any JSON object.
type Format struct {
	Name        string
	Description string
	Schema      json.RawMessage
	Strict      bool
}

// Thinking holds the words that the wire wants, already chosen for the model.
type Thinking struct {
	// Type is "enabled", "adaptive", "disabled" or "between_tools" where the
	// wire has a thinking object; empty leaves it out.
	Type   string
	Budget int    // tokens; 0 leaves it out
	Effort string // "none", "low", …; empty leaves it out
	// Display is "summarized" or "omitted"; empty leaves it out.
	Display string
	// Format is where thoughts should be put ("parsed"); empty leaves it out.
	Format string
	// Replay asks for thoughts in a form that can be said back, where the wire
	// has a switch for that. It is for models that think unasked; a stated
	// effort has the same effect.
	Replay bool
}

// Member is one raw member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Encoded is a request body and where it goes.
type Encoded struct {
	// Path is appended to the base URL; it starts with a slash.
	Path   string
	Header http.Header // headers of the dialect itself; may be nil
	Body   []byte
	// KeyMember names the body's member for the key, on wires that want it
	// there; the engine adds it when sending.
	KeyMember string
}

// Quirks are small, named departures from a dialect, as data. The zero value
// is the dialect as its inventor documents it.
type Quirks struct {
	// MaxTokensKey names the output limit's member.
	MaxTokensKey string
	// SystemRole is the role of system text.
	SystemRole string
	// SeedKey names the seed's member.
	SeedKey string
	// ThinkingObject sends Thinking.Type as {"thinking":{"type":…}} beside
	// reasoning_effort.
	ThinkingObject bool
	// ReplayThinking names the assistant member in which thoughts go back,
	// such as "reasoning_content"; empty: they don't.
	ReplayThinking string
	// ReplayOnToolTurns sends that member on every turn with tool calls, empty
	// if there was no thought.
	ReplayOnToolTurns bool
	// NoStreamOptions leaves out stream_options, for servers that report usage
	// unasked or refuse the member.
	NoStreamOptions bool
	// ShortToolIDs sends tool call ids as nine letters and digits.
	ShortToolIDs bool
	// ThinkTags reads <think>…</think> at the beginning of the text as thoughts.
	ThinkTags bool
	// NoResultStatus leaves out the status of tool results, for models that
	// refuse it; a failure is then said in words.
	NoResultStatus bool
	// TextOnlyContent sends text-only content as one string, never as a list.
	TextOnlyContent bool
	// CallSignature is sent in the place of a missing token on the calls of
	// the current turn, where the API refuses calls without one; empty: none is.
	CallSignature string
}
