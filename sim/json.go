package sim

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
)

// object is a JSON object to be sent; its keys are marshalled in order of
// their names.
type object = map[string]any

// hashed is n characters that depend on nothing but the parts.
func hashed(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base32.StdEncoding.EncodeToString(sum[:])[:n]
}

// hexed is n hexadecimal digits that depend on nothing but the parts.
func hexed(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:n]
}

func requestID(n int) string { return fmt.Sprintf("req_sim%06d", n+1) }

// tokens estimates how many tokens a text has: four characters each, rounded
// up.
func tokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// created is when every reply was made: a fixed time, so that replies are the
// same in every run.
const created = 1796040000
