package core

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

// MakeID makes n characters that depend on nothing but the parts.
func MakeID(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base32.StdEncoding.EncodeToString(sum[:])[:n]
}

// MakeHexID makes n hexadecimal digits that depend on nothing but the parts.
func MakeHexID(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:n]
}

// MakeRequestID makes the id of a request from its number, from 0.
func MakeRequestID(n int) string { return fmt.Sprintf("req_sim%06d", n+1) }

// CountTokens estimates how many tokens a text has: four characters each, rounded
// up.
func CountTokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// Created is when every reply was made: a fixed time, so that replies are the
// same in every run.
const Created = 1796040000
