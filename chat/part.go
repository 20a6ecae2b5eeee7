package chat

import "encoding/json"

// Part is one piece of a message: [Text], [Thinking], [Image], [File],
// [Audio], [ToolCall] or [ToolResult]. The union is sealed.
//
//sumtype:decl
type Part interface{ part() }

// Text is written text.
type Text struct {
	Text string
	// Signature is the provider's opaque token on this text; zero if none.
	Signature Signature
}

// Thinking is what a model reasoned before it answered. Text may be empty: a
// provider can withhold the thought and send only its signature, and the part
// must be said back all the same.
type Thinking struct {
	Text string
	// Signature is the provider's opaque token on this thought.
	Signature Signature
}

// Image is a picture: Data with its MediaType, or a URL that the provider
// fetches. sabir never fetches it.
type Image struct {
	MediaType string // such as "image/png"; required with Data
	Data      []byte
	URL       string
	// Detail is how closely to look ("low", "high", "auto"), where the wire
	// has such a switch; empty is the provider's default.
	Detail string
}

// File is a document: Data with its MediaType, a URL, or the ID of a file
// uploaded to the provider earlier.
type File struct {
	Name      string
	MediaType string // such as "application/pdf"; required with Data
	Data      []byte
	URL       string
	ID        string
}

// Audio is a sound.
type Audio struct {
	MediaType string // "audio/wav" or "audio/mpeg"
	Data      []byte
}

// ToolCall is the model's request to run a tool.
type ToolCall struct {
	// ID joins the call to its [ToolResult]. It is unique in a conversation;
	// where a wire has no ids, one is made up.
	ID   string
	Name string
	// Arguments is the JSON text as the model wrote it, an object when it is
	// sound. It may be invalid when the reply was cut; see [ToolCall.Sound].
	Arguments json.RawMessage
	// Synthetic marks a call that a rewrite made from the model's text. In
	// later history the provider is shown the text it wrote, which Signature
	// keeps.
	Synthetic bool
	// Signature is the provider's opaque token on this call.
	Signature Signature
}

// Sound reports whether the arguments are one complete JSON object, so that
// the call can be run.
func (c ToolCall) Sound() bool {
	for _, b := range c.Arguments {
		switch b {
		case ' ', '\t', '\n', '\r':
			continue
		case '{':
			return json.Valid(c.Arguments)
		}
		return false
	}
	return false
}

// ToolResult answers one [ToolCall].
type ToolResult struct {
	CallID string
	// Name is the tool's name. It may be left empty: the planner finds it in
	// the history when a wire needs it.
	Name string
	// Parts is what the tool returned: Text and, where the wire takes them,
	// Image and File.
	Parts []Part
	// IsError tells the model that the tool failed and that Parts say how.
	IsError bool
}

func (Text) part()       {}
func (Thinking) part()   {}
func (Image) part()      {}
func (File) part()       {}
func (Audio) part()      {}
func (ToolCall) part()   {}
func (ToolResult) part() {}

// Signature is an opaque token that a provider put on a part and wants back,
// byte for byte, when the part is said back. It is never decoded. A signature
// goes back only to the engine that made it; elsewhere the planner leaves it
// out. The zero Signature means that there is none.
type Signature struct {
	// Engine and Model name the origin.
	Engine string `json:"engine,omitempty"`
	Model  string `json:"model,omitempty"`
	// Kind says what Data is, in the words of the wire: "signature",
	// "redacted", "reasoning_content", …
	Kind string `json:"kind,omitempty"`
	Data string `json:"data,omitempty"`
}

// IsZero reports whether there is no signature.
func (s Signature) IsZero() bool { return s == Signature{} }
