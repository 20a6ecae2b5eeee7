package responses

import (
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// Encrypted reasoning begins with sealLead whoever made it, and with sealMark
// where it was made here and can be checked.
const (
	sealLead = "gAAAAA"
	sealMark = sealLead + "Bsim-"
)

// sealThought makes the encrypted content of a thought, bound to the item after it.
func sealThought(thought, follower string) string {
	return sealMark + core.Sign("responses", follower, thought, nil)
}

// isUnaltered reports whether encrypted content is what was sent, before the item
// that followed it. What was made elsewhere can't be checked.
func isUnaltered(content, follower string) bool {
	sig, ours := strings.CutPrefix(content, sealMark)
	if ours {
		return core.Verify("responses", follower, sig, nil) == core.SignatureGood
	}
	return strings.HasPrefix(content, sealLead)
}

// findFollower finds what a thought is bound to in the item after it.
func findFollower(i *item) string {
	if i.isCall() {
		return i.CallID
	}
	return i.Type
}

// Ids of items that follow a thought carry a mark, so that it can be seen when
// they come back without it.
const thoughtFollower = "7"

func makeItemID(prefix string, follows bool, parts ...string) string {
	mark := "0"
	if follows {
		mark = thoughtFollower
	}
	return prefix + "_51" + mark + core.MakeHexID(45, parts...)
}

func followsThought(id string) bool {
	_, rest, _ := strings.Cut(id, "_")
	return len(rest) == 48 && strings.HasPrefix(rest, "51"+thoughtFollower)
}
