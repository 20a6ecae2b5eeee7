package models

import (
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
)

// Thinking says when a model thinks.
type Thinking int

// When a model thinks.
const (
	ThinksNot Thinking = iota
	ThinksWhenAsked
	ThinksByDefault
)

// Gemini is what a model accepts.
type Gemini struct {
	Known bool
	Facts claims.Facts
	Major int
	// Thinks, and how much: the least and the most of a budget, and whether it
	// can be 0.
	Thinks      Thinking
	Least, Most int
	Off         bool
	Levels      []string // nil: takes a budget
	IDs         bool     // calls have ids
}

// FindGemini finds what a model accepts. That calls have ids from 3 on: source:
// go-genai v1.77.0, types.go, read 2026-11-30.
func FindGemini(name string) Gemini {
	rest, ok := strings.CutPrefix(name, "gemini-")
	if !ok {
		return Gemini{}
	}
	number, _, _ := strings.Cut(rest, "-")
	version, err := strconv.ParseFloat(number, 64)
	facts := claims.About("gemini", name)
	budget := facts[claims.Budget]
	v := Gemini{
		Known: err == nil, Major: int(version), Least: budget.Least, Most: budget.Most, Off: facts.Is(claims.Off) == "budget",
		IDs: version >= 3, Facts: facts,
	}
	if words, _ := facts.Words(claims.Efforts); len(words) > 0 {
		v.Levels = words
	}
	switch facts.Is(claims.Thinks) {
	case "if_asked":
		v.Thinks = ThinksWhenAsked
	case "by_default", "always":
		v.Thinks = ThinksByDefault
	}
	return v
}
