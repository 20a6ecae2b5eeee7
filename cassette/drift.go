package cassette

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DriftError says that a call is not on a cassette: the program, or what an
// engine makes of its request, is not what it was when it was recorded.
type DriftError struct {
	// Path is the cassette's file.
	Path string
	// Engine and Model are those that were asked.
	Engine string
	Model  string
	// Recorded is how often this very call is on the cassette; it has been asked
	// for that often before. If it isn't, Line is the nearest recording (0: there
	// is none) and Diffs say where the two differ, one member each. They show
	// texts of the requests, scrubbed: a test that fails can't do without.
	Recorded int
	Line     int
	Diffs    []string
}

// shownDiffs is how many differences are told in an error's text.
const shownDiffs = 5

func (e *DriftError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cassette %s: %s %s: ", e.Path, e.Engine, e.Model)
	switch {
	case e.Recorded > 0:
		fmt.Fprintf(&b, "asked for more often than recorded (%d)", e.Recorded)
	case e.Line == 0:
		b.WriteString("nothing is recorded")
	default:
		fmt.Fprintf(&b, "not recorded; nearest is line %d: %s", e.Line, strings.Join(e.Diffs[:min(len(e.Diffs), shownDiffs)], "; "))
		if more := len(e.Diffs) - shownDiffs; more > 0 {
			fmt.Fprintf(&b, "; and %d more", more)
		}
	}
	return b.String()
}

// drift compares a call with all recordings. Of those that are equally near,
// one that nobody asked for is the likelier.
func (c *Tape) drift(a *asked, doc any, name string) error {
	e := &DriftError{Path: c.Path, Engine: a.Engine, Model: a.Model}
	var best []diff
	nearest, used := 0.0, false
	for _, t := range c.tracks {
		if t.name == name {
			e.Recorded++
			continue
		}
		diffs := compare(nil, "", t.doc, doc)
		far := 0.0
		for _, d := range diffs {
			far += d.weight()
		}
		if e.Line == 0 || far < nearest || far == nearest && used && !t.used {
			e.Line, best, nearest, used = t.line, diffs, far, t.used
		}
	}
	if e.Recorded > 0 {
		e.Line = 0
		return e
	}
	for _, d := range best {
		e.Diffs = append(e.Diffs, d.String())
	}
	return e
}

// diff is a place in which two documents differ. A side that has nothing there
// is nil, which JSON's null is not told from.
type diff struct {
	path            string
	recorded, asked any
}

// weight is 1 for another value, and less for a text that begins alike.
func (d diff) weight() float64 {
	r, recorded := d.recorded.(string)
	a, asked := d.asked.(string)
	if !recorded || !asked {
		return 1
	}
	return 1 - float64(common(r, a))/float64(max(len(r), len(a)))
}

// compare adds the differences of two trees of JSON.
func compare(diffs []diff, path string, recorded, asked any) []diff {
	switch r := recorded.(type) {
	case map[string]any:
		if a, ok := asked.(map[string]any); ok {
			return compareObjects(diffs, path, r, a)
		}
	case []any:
		if a, ok := asked.([]any); ok {
			for i := range max(len(r), len(a)) {
				diffs = compare(diffs, fmt.Sprintf("%s[%d]", path, i), at(r, i), at(a, i))
			}
			return diffs
		}
	default:
		if _, object := asked.(map[string]any); object {
			break
		}
		if _, list := asked.([]any); !list && recorded == asked {
			return diffs
		}
	}
	return append(diffs, diff{path, recorded, asked})
}

func compareObjects(diffs []diff, path string, recorded, asked map[string]any) []diff {
	names := slices.Collect(maps.Keys(recorded))
	for name := range asked {
		if _, both := recorded[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		diffs = compare(diffs, strings.TrimPrefix(path+"."+name, "."), recorded[name], asked[name])
	}
	return diffs
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func (d diff) String() string {
	r, recorded := d.recorded.(string)
	a, asked := d.asked.(string)
	from := 0 // some of what is alike is shown for orientation
	if recorded && asked {
		from = max(0, common(r, a)-shownBefore)
	}
	return fmt.Sprintf("%s: recorded %s, asked %s", d.path, shown(d.recorded, from), shown(d.asked, from))
}

const (
	shownBefore = 12 // characters before the first difference
	shownValue  = 60
)

// common is how many characters two texts have in common at their beginning.
func common(a, b string) int {
	n := 0
	other := []rune(b)
	for i, r := range []rune(a) {
		if i >= len(other) || other[i] != r {
			break
		}
		n++
	}
	return n
}

// shown is a value in one short line; of a text, what stands from a character
// on.
func shown(v any, from int) string {
	if v == nil {
		return "nothing"
	}
	text, isText := v.(string)
	if !isText {
		raw, _ := json.Marshal(v) // it came from JSON
		text = string(raw)
	}
	runes := []rune(text)
	lead, tail := "", ""
	if runes = runes[min(from, len(runes)):]; from > 0 {
		lead = "…"
	}
	if len(runes) > shownValue {
		runes, tail = runes[:shownValue], "…"
	}
	if text = lead + string(runes) + tail; isText {
		return fmt.Sprintf("%q", text)
	}
	return text
}
