package truthtable

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const head = `# What the planner does with every choice, thinking and output, on every engine.
#
# [engine] names the engine's models. Below stands a block for each family of
# models: "family: models", then a line for each outcome:
#
#   choice | thinking | output → what happens
#
# A column may list several values; * is all of them. "otherwise" is every place
# that no line of the block names. A model that differs from the first of its
# family has a block of its own, "as" that first one, "but" for its lines.
#
# choice:   unset auto none any named
# thinking: unset off on
# output:   none, or a schema
`

const indent = "  "

// Fold writes the table in its short form. The family of a model is asked for
// by name; empty means that none is known.
func Fold(rows []Row, family func(model string) string) ([]byte, error) {
	hosts, err := group(rows)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(head)
	for _, h := range hosts {
		fmt.Fprintf(&b, "\n[%s]", h.name)
		for _, m := range h.models {
			fmt.Fprintf(&b, " %s", m.name)
		}
		b.WriteString("\n")
		foldHost(&b, h, family)
	}
	return b.Bytes(), nil
}

func foldHost(b *bytes.Buffer, h *host, family func(string) string) {
	var names []string
	members := map[string][]*model{}
	for _, m := range h.models {
		name := family(m.name)
		if name == "" {
			name = "other"
		}
		if members[name] == nil {
			names = append(names, name)
		}
		members[name] = append(members[name], m)
	}
	for _, name := range names {
		foldFamily(b, name, members[name])
	}
}

// foldFamily writes the first model in full, and of the others what differs.
func foldFamily(b *bytes.Buffer, name string, models []*model) {
	first := models[0]
	for len(models) > 0 {
		m := models[0]
		alike := func(o *model) bool { return maps.Equal(o.outcomes, m.outcomes) }
		fmt.Fprintf(b, "%s:", name)
		for _, o := range models {
			if alike(o) {
				fmt.Fprintf(b, " %s", o.name)
			}
		}
		models = slices.DeleteFunc(slices.Clone(models), alike)
		full, differing := m.lines(nil), m.lines(first.outcomes)
		if m == first || len(full) <= len(differing) {
			fmt.Fprintf(b, "\n%s\n", strings.Join(full, "\n"))
			continue
		}
		fmt.Fprintf(b, ", as %s, but\n%s\n", first.name, strings.Join(differing, "\n"))
	}
}

// lines say the outcomes in few words: all of them, or where they differ from a
// base.
func (m *model) lines(base outcomes) []string {
	usual := ""
	if base == nil {
		usual = m.usual()
	}
	var lines []string
	done := map[Cell]bool{}
	for _, c := range Cells() {
		outcome := m.outcomes[c]
		if done[c] || outcome == usual || base != nil && base[c] == outcome {
			continue
		}
		b := m.largest(c, done, base)
		for _, inside := range b.cells() {
			done[inside] = true
		}
		lines = append(lines, fmt.Sprintf("%s%s → %s", indent, b, outcome))
	}
	if base == nil {
		lines = append(lines, indent+"otherwise → "+usual)
	}
	return lines
}

// usual is the most frequent outcome, the first of those that are.
func (m *model) usual() string {
	count := map[string]int{}
	for _, o := range m.outcomes {
		count[o]++
	}
	best := ""
	for _, c := range Cells() {
		if o := m.outcomes[c]; best == "" || count[o] > count[best] {
			best = o
		}
	}
	return best
}

// block is a set of cells: all that lie in its columns.
type block struct{ choices, thinkings, outputs []string }

func (b block) cells() []Cell {
	cells := make([]Cell, 0, len(b.choices)*len(b.thinkings)*len(b.outputs))
	for _, c := range b.choices {
		for _, t := range b.thinkings {
			for _, o := range b.outputs {
				cells = append(cells, Cell{c, t, o})
			}
		}
	}
	return cells
}

func (b block) String() string {
	return fmt.Sprintf("%-20s | %-9s | %-6s", list(b.choices, Choices), list(b.thinkings, Thinkings), list(b.outputs, Outputs))
}

func list(some, all []string) string {
	if len(some) == len(all) {
		return "*"
	}
	return strings.Join(some, " ")
}

// largest finds the block around a cell that says the most that isn't said yet.
// All its cells have the same outcome.
func (m *model) largest(c Cell, done map[Cell]bool, base outcomes) block {
	outcome, best, most := m.outcomes[c], block{}, 0
	for _, choices := range subsets(Choices, c.Choice) {
		for _, thinkings := range subsets(Thinkings, c.Thinking) {
			for _, outputs := range subsets(Outputs, c.Output) {
				b := block{choices, thinkings, outputs}
				gain := 0
				for _, inside := range b.cells() {
					if m.outcomes[inside] != outcome {
						gain = 0
						break
					}
					if !done[inside] && (base == nil || base[inside] != outcome) {
						gain++
					}
				}
				if gain > most || gain == most && gain > 0 && len(b.cells()) > len(best.cells()) {
					best, most = b, gain
				}
			}
		}
	}
	return best
}

// subsets are the parts of a list that have one value in them.
func subsets(all []string, with string) [][]string {
	var sets [][]string
	for bits := range 1 << len(all) {
		var set []string
		for i, v := range all {
			if bits&(1<<i) != 0 {
				set = append(set, v)
			}
		}
		if slices.Contains(set, with) {
			sets = append(sets, set)
		}
	}
	return sets
}
