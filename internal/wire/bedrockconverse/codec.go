package bedrockconverse

import "github.com/sabir-go/sabir/internal/wire"

// Codec speaks Converse. The zero Codec is ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// The kinds of signature that this dialect puts on a [chat.Thinking].
const (
	kindSignature = "signature" // the token on a reasoningText
	kindRedacted  = "redacted"  // a redactedContent, in base64
)
