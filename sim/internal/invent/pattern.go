package invent

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// matchesPattern reports whether a pattern occurs in a text. A pattern that Go can't
// read matches everything.
func matchesPattern(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(text)
}

// makeMatching makes a text that matches a pattern. A larger n repeats more where
// the pattern leaves it open.
func makeMatching(pattern string, n int) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	writeMatch(&b, re.Simplify(), n)
	return b.String(), matchesPattern(pattern, b.String())
}

func writeMatch(b *strings.Builder, re *syntax.Regexp, n int) {
	if b.Len() > 1<<16 {
		return
	}
	switch re.Op { //nolint:exhaustive // the others match no text of their own: anchors, boundaries, nothing
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pickRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[0], n)
	case syntax.OpStar, syntax.OpQuest:
		if n > 1 {
			writeRepeated(b, re.Sub[0], countRepeats(re, n-1), n)
		}
	case syntax.OpPlus:
		writeRepeated(b, re.Sub[0], n, n)
	case syntax.OpRepeat:
		writeRepeated(b, re.Sub[0], re.Min, n)
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			writeMatch(b, sub, n)
		}
	}
}

func countRepeats(re *syntax.Regexp, n int) int {
	if re.Op == syntax.OpQuest {
		return 1
	}
	return n
}

func writeRepeated(b *strings.Builder, re *syntax.Regexp, times, n int) {
	for range times {
		writeMatch(b, re, n)
	}
}

// pickRune takes a plain character of a class where there is one.
func pickRune(ranges []rune) rune {
	for _, want := range "aA1x0 _-" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
