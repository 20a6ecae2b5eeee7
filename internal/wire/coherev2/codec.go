package coherev2

import "github.com/sabir-go/sabir/internal/wire"

// Codec speaks Chat v2. The zero Codec is ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// The kinds of signature that this dialect puts on a [chat.Thinking], to say
// where it came from. There is no token.
const (
	kindThinking = "thinking"
	kindPlan     = "tool_plan"
)

// planSlot puts the plan in front of everything else.
const planSlot = wire.ThoughtSlot - 1
