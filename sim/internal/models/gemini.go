package models

import (
	"strconv"
	"strings"
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
	Major int
	// Thinks, and how much: the least and the most of a budget, and whether it
	// can be 0.
	Thinks           Thinking
	Least, Most      int
	Off              bool
	Levels           []string // nil: takes a budget
	IDs, JSONAndTool bool     // calls have ids; JSON goes together with functions
}

// FindGemini finds what a model accepts. Source: vercel/ai, packages/google,
// google-model-catalog.ts and google-language-model.ts; Google Cloud, "Gemini
// 3.8 Flash"; read 2026-11-30.
func FindGemini(name string) Gemini {
	rest, ok := strings.CutPrefix(name, "gemini-")
	if !ok {
		return Gemini{}
	}
	number, _, _ := strings.Cut(rest, "-")
	version, err := strconv.ParseFloat(number, 64)
	v := Gemini{Known: err == nil, Major: int(version)}
	switch {
	case version < 2.5:
		return v
	case version < 3:
		v.Thinks, v.Most, v.Off = ThinksByDefault, 24576, true
		if strings.Contains(name, "flash-lite") {
			v.Thinks, v.Least = ThinksWhenAsked, 512
		} else if strings.Contains(name, "pro") {
			v.Least, v.Most, v.Off = 128, 32768, false
		}
		return v
	}
	v.Thinks, v.IDs, v.JSONAndTool = ThinksByDefault, true, true
	v.Levels = []string{"LOW", "MEDIUM", "HIGH"}
	switch {
	case strings.HasPrefix(name, "gemini-4-hydrogen"):
		v.Levels = append(v.Levels, "XHIGH")
	case version < 3.7 && !strings.Contains(name, "pro"):
		v.Levels = append(v.Levels, "MINIMAL")
	}
	return v
}
