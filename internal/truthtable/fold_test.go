package truthtable_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/truthtable"
)

func tableOf(engine, model string, outcome func(truthtable.Cell) string) []truthtable.Row {
	rows := make([]truthtable.Row, 0, 30)
	for _, c := range truthtable.Cells() {
		rows = append(rows, truthtable.Row{Engine: engine, Model: model, Cell: c, Outcome: outcome(c)})
	}
	return rows
}

func familyOf(model string) string {
	family, _, known := strings.Cut(model, "-")
	if !known {
		return ""
	}
	return family
}

func TestFold(t *testing.T) {
	t.Parallel()
	forced := func(c truthtable.Cell) bool { return c.Choice == "any" || c.Choice == "named" }
	plain := func(c truthtable.Cell) string {
		if forced(c) && c.Thinking == "on" {
			return "refused: not while thinking"
		}
		return "sent"
	}
	strict := func(c truthtable.Cell) string {
		if c.Choice == "any" {
			return "refused: never"
		}
		return plain(c)
	}
	rows := slices.Concat(
		tableOf("x", "a-1", plain), tableOf("x", "b:2", plain), tableOf("x", "a-2", plain), tableOf("x", "a-3", strict),
		tableOf("y", "a-1", func(truthtable.Cell) string { return "sent" }))
	folded, err := truthtable.Fold(rows, familyOf)
	if err != nil {
		t.Fatal(err)
	}
	const want = `
[x] a-1 b:2 a-2 a-3
a: a-1 a-2
  any named            | on        | *      → refused: not while thinking
  otherwise → sent
a: a-3, as a-1, but
  any                  | *         | *      → refused: never
other: b:2
  any named            | on        | *      → refused: not while thinking
  otherwise → sent

[y] a-1
a: a-1
  otherwise → sent
`
	if !strings.HasSuffix(string(folded), want) {
		t.Errorf("got\n%s\nwant\n%s", folded, want)
	}
	checkUnfolds(t, folded, rows)
}

// TestFoldLosesNothing folds tables of all sorts.
func TestFoldLosesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := make([]truthtable.Row, 0, 360)
		for e := range 3 {
			kinds := 1 + rng.IntN(4)
			for m := range 4 {
				rows = append(rows, tableOf(fmt.Sprint("engine", e), fmt.Sprintf("f%d-%d", m%2, m), func(truthtable.Cell) string {
					return fmt.Sprint("outcome: ", rng.IntN(kinds), " (not known: x)")
				})...)
			}
		}
		folded, err := truthtable.Fold(rows, familyOf)
		if err != nil {
			t.Fatal(err)
		}
		checkUnfolds(t, folded, rows)
	}
}

func checkUnfolds(t *testing.T, folded []byte, want []truthtable.Row) {
	t.Helper()
	got, err := truthtable.Unfold(folded)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("unfolded\n%v\nwant\n%v\nfolded\n%s", got, want, folded)
	}
}

func TestFoldRefuses(t *testing.T) {
	t.Parallel()
	whole := tableOf("x", "m", func(truthtable.Cell) string { return "sent" })
	odd := truthtable.Row{Engine: "x", Model: "m", Cell: truthtable.Cell{Choice: "odd"}, Outcome: "sent"}
	for name, rows := range map[string][]truthtable.Row{
		"missing": whole[1:],
		"twice":   append(slices.Clone(whole), whole[0]),
		"unknown": append(slices.Clone(whole), odd),
	} {
		if _, err := truthtable.Fold(rows, familyOf); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestUnfoldRefuses(t *testing.T) {
	t.Parallel()
	for name, folded := range map[string]string{
		"no engine":       "a: m\n  otherwise → sent\n",
		"no models":       "[x]\n",
		"no family":       "[x] m\nm\n  otherwise → sent\n",
		"unknown model":   "[x] m\na: n\n  otherwise → sent\n",
		"unknown base":    "[x] m\na: m, as n, but\n",
		"no block":        "[x] m\n",
		"two blocks":      "[x] m\na: m\n  otherwise → sent\na: m\n  otherwise → sent\n",
		"half a block":    "[x] m\na: m\n  any | * | * → sent\n",
		"line alone":      "[x] m\n  otherwise → sent\n",
		"no outcome":      "[x] m\na: m\n  otherwise\n",
		"columns":         "[x] m\na: m\n  any | * → sent\n  otherwise → sent\n",
		"two outcomes":    "[x] m\na: m\n  any | * | * → sent\n  any | on | * → refused\n  otherwise → sent\n",
		"unknown choice":  "[x] m\na: m\n  maybe | * | * → sent\n  otherwise → sent\n",
		"nothing to read": "nonsense",
	} {
		if rows, err := truthtable.Unfold([]byte(folded)); err == nil {
			t.Errorf("%s: no error, but %v", name, rows)
		}
	}
}
