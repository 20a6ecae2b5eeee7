package models

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
)

// Claude is what a model accepts on Messages.
type Claude struct {
	Family string
	Known  bool
	// Facts are what is claimed of the model; none of one that isn't known.
	Facts claims.Facts

	ByDefault bool // thinks without being told to
	Omits     bool // withholds the thought's text unless asked
	// EffortsWhenOff are the efforts beside thinking that is off or only between
	// tools; nil: all.
	EffortsWhenOff []string
	Sampling       SamplingRule
	Bound          bool // signatures cover the conversation before them
}

// SamplingRule says which sampling members a model accepts.
type SamplingRule int

// The rules.
const (
	SamplingFree    SamplingRule = iota
	SamplingDefault              // at the defaults only
	SamplingNone
)

// FindClaude finds what a model accepts: from what is claimed, and what no claim
// is about. Source of the rest: Anthropic, "Thinking" and the migration guides;
// vercel/ai, packages/anthropic, anthropic-model-catalog.ts; read 2026-11-30.
func FindClaude(name string) Claude {
	family, major, minor := parseClaudeName(name)
	if family == "" {
		return Claude{}
	}
	facts := claims.About("anthropic", name)
	c := Claude{Family: family, Known: true, Facts: facts}
	version := 10*major + minor
	thinks := facts.Is(claims.Thinks)
	c.ByDefault = thinks == "by_default" || thinks == "always"
	c.Omits = version >= 47
	c.EffortsWhenOff, _ = facts.Words(claims.EffortsWhenOff)
	if c.TakesThinking("between_tools") {
		c.EffortsWhenOff = []string{"low", "medium", "high"}
	}
	switch {
	case family == "sonnet" && major == 5 && minor < 5:
		c.Sampling = SamplingDefault
	case facts.Is(claims.Sampling) == "refused":
		c.Sampling = SamplingNone
	}
	switch family {
	case "opus", "sonnet", "haiku":
		c.Bound = version >= 55
	default:
		c.Bound = version >= 51
	}
	return c
}

// parseClaudeName reads family and version from claude-opus-4-6,
// claude-3-5-haiku-20241022 and their like.
func parseClaudeName(name string) (family string, major, minor int) {
	rest, ok := strings.CutPrefix(name, "claude-")
	if !ok {
		return "", 0, 0
	}
	var version []int
	for word := range strings.SplitSeq(rest, "-") {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && len(word) < 3:
			version = append(version, n)
		case slices.Contains([]string{"opus", "sonnet", "haiku", "fable", "mythos"}, word):
			family = word
		}
	}
	version = append(version, 0, 0)
	if family == "" || version[0] == 0 {
		return "", 0, 0
	}
	return family, version[0], version[1]
}

// TakesThinking reports whether a type of thinking is accepted. A model that
// isn't known takes all but between_tools.
func (c Claude) TakesThinking(kind string) bool {
	if !c.Known {
		return slices.Contains([]string{"enabled", "adaptive", "disabled"}, kind)
	}
	kinds, _ := c.Facts.Words(claims.ThinkingTypes)
	return slices.Contains(kinds, kind)
}
