package claims

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// name is a model's name taken apart: its words in lower case, and the first
// version that it names, if any. Dates, builds and sizes are no versions.
type name struct {
	words   []string
	version []int // one or two numbers; nil: the name says none
}

var (
	// size is a number of parameters, such as 70b, a22b, e4b, 1.7b and 1t.
	size = regexp.MustCompile(`^[ae]?\d+(\.\d+)?[bmt]$`)
	// piece is a run of letters or of digits.
	piece = regexp.MustCompile(`\pL+|\d+`)
)

// parseName reads a name in any spelling: claude-opus-4-5, claude-opus-4.5,
// us.anthropic.claude-opus-4-5-20251101-v1:0 and Anthropic/Claude-Opus-4.5 have
// the same family and version.
func parseName(model string) name {
	n := name{}
	done := false // a version was read and something else came after it
	for _, chunk := range strings.FieldsFunc(strings.ToLower(model), isSeparator) {
		if size.MatchString(chunk) {
			done = done || n.version != nil
			continue
		}
		for _, p := range piece.FindAllString(chunk, -1) {
			v, err := strconv.Atoi(p)
			isVersion := err == nil && len(p) <= 2
			switch {
			case isVersion && !done && len(n.version) < 2:
				n.version = append(n.version, v)
			case err == nil:
				done = done || n.version != nil
			default:
				n.words = append(n.words, p)
				done = done || n.version != nil
			}
		}
	}
	return n
}

func isSeparator(r rune) bool { return strings.ContainsRune("-_:/@ ", r) }

// pattern says which names are meant. It is written as words that must all be
// there (a|b is either), words with ! that must not, and bounds of the version
// (>=5.5, <6, =4.6). A name without a version is the newest: it is above every
// bound.
type pattern struct {
	with, without [][]string
	bounds        []bound
}

type bound struct {
	op      string
	version []int
}

func parsePattern(s string) (pattern, error) {
	var p pattern
	for f := range strings.FieldsSeq(s) {
		op := f[:len(f)-len(strings.TrimLeft(f, "<>="))]
		switch word, no := strings.CutPrefix(f, "!"); {
		case op != "":
			v, err := parseVersion(f[len(op):])
			if err != nil || !slices.Contains([]string{"<", "=", ">="}, op) {
				return pattern{}, fmt.Errorf("can't read %q in the pattern %q", f, s)
			}
			p.bounds = append(p.bounds, bound{op, v})
		case no:
			p.without = append(p.without, strings.Split(word, "|"))
		default:
			p.with = append(p.with, strings.Split(word, "|"))
		}
	}
	return p, nil
}

func parseVersion(s string) ([]int, error) {
	var v []int
	for n := range strings.SplitSeq(s, ".") {
		i, err := strconv.Atoi(n)
		if err != nil {
			return nil, err
		}
		v = append(v, i)
	}
	return v, nil
}

func (p pattern) matches(n name) bool {
	has := func(either []string) bool {
		return slices.ContainsFunc(either, func(w string) bool { return slices.Contains(n.words, w) })
	}
	for _, either := range p.with {
		if !has(either) {
			return false
		}
	}
	return !slices.ContainsFunc(p.without, has) &&
		!slices.ContainsFunc(p.bounds, func(b bound) bool { return !b.holds(n.version) })
}

// holds compares numbers, not text: 5.10 is above 5.9, and 5 is 5.0.
func (b bound) holds(version []int) bool {
	c := 1
	if version != nil {
		c = slices.Compare(pad(version), pad(b.version))
	}
	switch b.op {
	case "<":
		return c < 0
	case "=":
		return c == 0
	}
	return c >= 0
}

func pad(v []int) []int { return append(slices.Clone(v), 0, 0)[:2] }
