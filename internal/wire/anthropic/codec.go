package anthropic

import "github.com/sabir-go/sabir/internal/wire"

// Codec speaks Messages. The zero Codec is ready.
type Codec struct{}

var _ wire.Codec = Codec{}

// The kinds of signature that this dialect puts on a [chat.Thinking].
const (
	kindSignature = "signature" // the token on a thinking block
	kindRedacted  = "redacted"  // the data of a redacted_thinking block
)
