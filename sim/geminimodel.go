package sim

import (
	"strconv"
	"strings"
)

// geminiThinking says when a model thinks.
type geminiThinking int

const (
	thinksNot geminiThinking = iota
	thinksWhenAsked
	thinksByDefault
)

// geminiVersion is what a model accepts.
type geminiVersion struct {
	known bool
	major int
	// thinks, and how much: the least and the most of a budget, and whether it
	// can be 0.
	thinks           geminiThinking
	least, most      int
	off              bool
	levels           []string // nil: takes a budget
	ids, jsonAndTool bool     // calls have ids; JSON goes together with functions
}

// geminiModel finds what a model accepts. Source: vercel/ai, packages/google,
// google-model-catalog.ts and google-language-model.ts; Google Cloud, "Gemini
// 3.8 Flash"; read 2026-11-30.
func geminiModel(name string) geminiVersion {
	rest, ok := strings.CutPrefix(name, "gemini-")
	if !ok {
		return geminiVersion{}
	}
	number, _, _ := strings.Cut(rest, "-")
	version, err := strconv.ParseFloat(number, 64)
	v := geminiVersion{known: err == nil, major: int(version)}
	switch {
	case version < 2.5:
		return v
	case version < 3:
		v.thinks, v.most, v.off = thinksByDefault, 24576, true
		if strings.Contains(name, "flash-lite") {
			v.thinks, v.least = thinksWhenAsked, 512
		} else if strings.Contains(name, "pro") {
			v.least, v.most, v.off = 128, 32768, false
		}
		return v
	}
	v.thinks, v.ids, v.jsonAndTool = thinksByDefault, true, true
	v.levels = []string{"LOW", "MEDIUM", "HIGH"}
	switch {
	case strings.HasPrefix(name, "gemini-4-hydrogen"):
		v.levels = append(v.levels, "XHIGH")
	case version < 3.7 && !strings.Contains(name, "pro"):
		v.levels = append(v.levels, "MINIMAL")
	}
	return v
}
