package engine_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/internal/truthtable"
)

var (
	update = flag.Bool("update", false, "rewrite golden files")
	unfold = flag.String("unfold", "", "write the truth table in full to this file")
)

// modelsOf are the models of an engine that the tests look at: the profile's
// example and those that the claims name.
func modelsOf(entry engine.Entry) []string {
	example := entry.Profile.Example
	others := slices.DeleteFunc(claims.Models(entry.Profile.Name), func(m string) bool { return m == example })
	return append([]string{example}, others...)
}

var matrixTools = []chat.ToolDef{
	{Name: "place", Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)},
	{Name: "trip", Schema: []byte(`{"type":"object","properties":{"to":{"type":"string"}},"required":["to"],"additionalProperties":false}`)},
}

var matrixOutput = &chat.Output{
	Name:   "answer",
	Schema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`),
	Strict: true,
}

// TestTruthTable compares what every engine does with every choice, thinking
// and output to a file that was reviewed by hand.
func TestTruthTable(t *testing.T) {
	t.Parallel()
	var rows []truthtable.Row
	for _, entry := range engine.Catalog() {
		eng := entry.New(engine.Config{})
		for _, model := range modelsOf(entry) {
			for _, row := range matrixRows(model) {
				rows = append(rows, truthtable.Row{Engine: entry.Profile.Name, Model: model, Cell: row.cell, Outcome: outcome(eng, row.req)})
			}
		}
	}
	folded, err := truthtable.Fold(rows, claims.Family)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := truthtable.Unfold(folded); err != nil || !slices.Equal(again, rows) {
		t.Errorf("the folded table does not unfold to the rows: %v", err)
	}
	golden(t, "matrix.txt", folded)
	if *unfold != "" {
		writeUnfolded(t, rows)
	}
}

// writeUnfolded writes the full table, to compare it with that of another tree.
func writeUnfolded(t *testing.T, rows []truthtable.Row) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# engine model | choice | thinking | output → what happens\n")
	for _, r := range rows {
		fmt.Fprintln(&b, r)
	}
	if err := os.WriteFile(*unfold, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

type matrixRow struct {
	cell truthtable.Cell
	req  *chat.Request
}

func matrixRows(model string) []matrixRow {
	var (
		modes   = map[string]chat.ThinkingMode{"off": chat.ThinkingOff, "on": chat.ThinkingOn}
		outputs = map[string]*chat.Output{"schema": matrixOutput}
	)
	rows := make([]matrixRow, 0, 30)
	for _, c := range truthtable.Cells() {
		rows = append(rows, matrixRow{c, &chat.Request{
			Model: model, Messages: chat.Prompt("Where is the Gravensteen?"),
			Tools: matrixTools, ToolChoice: allChoices[c.Choice],
			Thinking: chat.ThinkingConfig{Mode: modes[c.Thinking]}, Output: outputs[c.Output],
		}})
	}
	return rows
}

func outcome(eng engine.Engine, req *chat.Request) string {
	plan, err := eng.Plan(req)
	if err != nil {
		refused, ok := errors.AsType[*chat.UnsupportedError](err)
		if !ok {
			return "INVALID: " + err.Error()
		}
		return "refused: " + refused.Reason
	}
	return strings.TrimSpace(sentOrRewritten(plan) + uncertain(plan))
}

func sentOrRewritten(plan *chat.Plan) string {
	kinds := make([]string, 0, len(plan.Steps))
	for _, s := range plan.Steps {
		kinds = append(kinds, string(s.Kind))
	}
	if len(kinds) == 0 {
		return "sent"
	}
	return "rewritten: " + strings.Join(kinds, ", ")
}

func uncertain(plan *chat.Plan) string {
	var fields []string
	for _, w := range plan.Warnings {
		if strings.Contains(w.Message, "not known") {
			fields = append(fields, w.Field)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	slices.Sort(fields)
	return " (not known: " + strings.Join(slices.Compact(fields), ", ") + ")"
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run go test -update and review the diff\n%s", path, diffLines(want, got))
	}
}

func diffLines(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	var b strings.Builder
	for i := range max(len(w), len(g)) {
		var x, y string
		if i < len(w) {
			x = w[i]
		}
		if i < len(g) {
			y = g[i]
		}
		if x != y {
			fmt.Fprintf(&b, "- %s\n+ %s\n", x, y)
		}
	}
	return b.String()
}
