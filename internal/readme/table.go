package readme

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/truthtable"
)

// The markers between which the table stands in README.md.
const (
	begin = "<!-- table: made by go generate ./... from engine/testdata/matrix.txt -->\n"
	end   = "<!-- end of table -->\n"
)

// choices are the table's columns.
var choices = []string{"auto", "none", "any", "named"}

// row is a model's answers, by choice and thinking.
type row struct {
	engine, model string
	outcomes      map[string]string
}

// Table writes the support table of a truth table. Models of an engine that
// are alike share a line.
func Table(matrix []byte) (string, error) {
	rows, err := parseRows(matrix)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| engine | model | auto | none | any | one tool | any or one tool while thinking | JSON Schema output |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, l := range mergeRows(rows) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.engine, strings.Join(l.models, ", "), l.cells)
	}
	return b.String(), nil
}

// line is one line of the table: the models of an engine that are alike.
type line struct {
	engine string
	models []string
	cells  string
}

func mergeRows(rows []*row) []*line {
	var lines []*line
	for _, r := range rows {
		cells := r.formatCells()
		i := slices.IndexFunc(lines, func(l *line) bool { return l.engine == r.engine && l.cells == cells })
		if i < 0 {
			i = len(lines)
			lines = append(lines, &line{engine: r.engine, cells: cells})
		}
		lines[i].models = append(lines[i].models, r.model)
	}
	return lines
}

func (r *row) formatCells() string {
	cells := make([]string, 0, len(choices)+2)
	for _, c := range choices {
		cells = append(cells, r.plainOutcome(c))
	}
	return strings.Join(append(cells, r.thinkingOutcome(), r.schemaOutcome()), " | ")
}

// Replace puts a table between the markers of a README.
func Replace(readme []byte, table string) ([]byte, error) {
	head, rest, ok := bytes.Cut(readme, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, fmt.Errorf("readme: the markers %q and %q are missing", begin, end)
	}
	return bytes.Join([][]byte{head, []byte(begin), []byte(table), []byte(end), tail}, nil), nil
}

func parseRows(matrix []byte) ([]*row, error) {
	all, err := truthtable.Unfold(matrix)
	if err != nil {
		return nil, fmt.Errorf("readme: %w", err)
	}
	var rows []*row
	for _, r := range all {
		if n := len(rows); n == 0 || rows[n-1].engine != r.Engine || rows[n-1].model != r.Model {
			rows = append(rows, &row{r.Engine, r.Model, map[string]string{}})
		}
		rows[len(rows)-1].outcomes[r.Choice+" "+r.Thinking+" "+r.Output] = r.Outcome
	}
	return rows, nil
}

// plainOutcome is the outcome with thinking off, or, on a model that always
// thinks, with thinking unset.
func (r *row) plainOutcome(choice string) string {
	off := r.outcomes[choice+" off none"]
	if strings.Contains(off, "always thinks") {
		off = r.outcomes[choice+" unset none"]
	}
	return shorten(off)
}

func (r *row) thinkingOutcome() string {
	anyway, named := shorten(r.outcomes["any on none"]), shorten(r.outcomes["named on none"])
	if anyway == named {
		return anyway
	}
	return anyway + ", " + named
}

func (r *row) schemaOutcome() string {
	out := r.outcomes["none unset schema"]
	if rest, ok := strings.CutPrefix(out, "rewritten: tools_left_out"); ok {
		if out, ok = strings.CutPrefix(rest, ", "); !ok {
			out = "sent" + rest
		}
	}
	return shorten(out)
}

func shorten(outcome string) string {
	unsure := ""
	if plain, what, ok := strings.Cut(outcome, " (not known: "); ok {
		outcome = plain
		if what != "Thinking)" { // that one has no column
			unsure = "?"
		}
	}
	switch {
	case outcome == "sent":
		return "✓" + unsure
	case strings.Contains(outcome, "as_schema"):
		return "as schema" + unsure
	case strings.Contains(outcome, "output_as_tool"):
		return "as tool" + unsure
	case strings.Contains(outcome, "output_as_prompt"):
		return "in prompt" + unsure
	case strings.Contains(outcome, "named_as_any"):
		return "alone" + unsure
	case strings.Contains(outcome, "tools_as_text"):
		return "in text" + unsure
	case strings.Contains(outcome, "tools_left_out"):
		return "tools left out" + unsure
	case strings.Contains(outcome, "does not think"):
		return "–"
	}
	return "refused"
}
