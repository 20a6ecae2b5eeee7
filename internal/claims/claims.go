package claims

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

//go:embed claims.json
var embedded []byte

// Row is one claim: on these engines, for these models, this holds.
type Row struct {
	// On lists engines by their names; none means all of them.
	On []string `json:"on"`
	// Family is the name of a family; empty means every model.
	Family string `json:"family"`
	// Models narrows the row by a pattern; empty means the whole family.
	Models string `json:"models"`
	What   What   `json:"what"`
	// Is is the claim in a word; Words, Least and Most say it where What
	// needs a list or a range. A Most of 0 is no bound.
	Is    string   `json:"is"`
	Words []string `json:"words"`
	Least int      `json:"least"`
	Most  int      `json:"most"`
	// Source is the key of a source; Sure is high, medium or low.
	Source string `json:"source"`
	Sure   string `json:"sure"`
	Note   string `json:"note"`

	pattern pattern
}

// Source is where a claim was read.
type Source struct {
	Title string `json:"title"`
	Read  string `json:"read"` // a day: 2006-01-02
}

// family is a name for the models that a pattern matches.
type family struct {
	Name    string `json:"name"`
	Pattern string `json:"models"`

	pattern pattern
}

// example lists the models of an engine that the tests look at.
type example struct {
	Engine string   `json:"engine"`
	Models []string `json:"models"`
}

type table struct {
	Sources  map[string]Source `json:"sources"`
	Families []family          `json:"families"`
	Examples []example         `json:"examples"`
	Rows     []Row             `json:"claims"`
}

var load = sync.OnceValues(func() (*table, error) { return read(embedded) })

// read takes a table and checks its form.
func read(data []byte) (*table, error) {
	t := &table{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(t); err != nil {
		return nil, fmt.Errorf("claims: %w", err)
	}
	for key, s := range t.Sources {
		if _, err := time.Parse(time.DateOnly, s.Read); err != nil || s.Title == "" {
			return nil, fmt.Errorf("claims: source %q: needs a title and the day it was read", key)
		}
	}
	for i := range t.Families {
		f := &t.Families[i]
		var err error
		if f.pattern, err = parsePattern(f.Pattern); err != nil {
			return nil, fmt.Errorf("claims: family %q: %w", f.Name, err)
		}
	}
	for i := range t.Rows {
		if err := t.checkRow(&t.Rows[i]); err != nil {
			return nil, fmt.Errorf("claims: row %d (%s %s %s): %w", i+1, t.Rows[i].Family, t.Rows[i].Models, t.Rows[i].What, err)
		}
	}
	return t, nil
}

func (t *table) checkRow(r *Row) error {
	var err error
	if r.pattern, err = parsePattern(r.Models); err != nil {
		return err
	}
	if _, ok := t.Sources[r.Source]; !ok {
		return fmt.Errorf("unknown source %q", r.Source)
	}
	if !slices.Contains([]string{"high", "medium", "low"}, r.Sure) {
		return fmt.Errorf("sure is high, medium or low, not %q", r.Sure)
	}
	known := func(f family) bool { return f.Name == r.Family }
	if r.Family != "" && !slices.ContainsFunc(t.Families, known) {
		return fmt.Errorf("unknown family %q", r.Family)
	}
	return checkForm(r)
}

// checkForm holds a row against the form of its What.
func checkForm(r *Row) error {
	form, ok := forms[r.What]
	switch {
	case !ok:
		return fmt.Errorf("unknown claim %q", r.What)
	case !form.takes(r.Is):
		return fmt.Errorf("%q is none of %q", r.Is, form.is)
	case !form.list && r.Words != nil, form.list && r.Words == nil && r.Is == "":
		return fmt.Errorf("words: the claim has them: %t", form.list)
	case !form.bounds && (r.Least != 0 || r.Most != 0):
		return errors.New("least and most: the claim has none")
	case r.Most != 0 && r.Most < r.Least:
		return fmt.Errorf("least %d is above most %d", r.Least, r.Most)
	}
	return nil
}

// Check reports what is wrong with the form of the embedded claims.
func Check() error {
	_, err := load()
	return err
}

// Rows are all claims, in their order: where two of one kind hold for a model,
// the later one counts.
func Rows() []Row {
	t, err := load()
	if err != nil {
		return nil
	}
	return slices.Clone(t.Rows)
}

// SourceOf is where a row was read.
func SourceOf(r Row) Source {
	t, err := load()
	if err != nil {
		return Source{}
	}
	return t.Sources[r.Source]
}

// Family is the name of a model's family, whatever the publisher, the cloud and
// the spelling; empty if no family is known.
func Family(model string) string {
	t, err := load()
	if err != nil {
		return ""
	}
	return t.family(parseName(model))
}

func (t *table) family(n name) string {
	i := slices.IndexFunc(t.Families, func(f family) bool { return f.pattern.matches(n) })
	if i < 0 {
		return ""
	}
	return t.Families[i].Name
}

// Models are the models of an engine that the tests look at: at least one for
// each way in which its models differ.
func Models(engine string) []string {
	t, err := load()
	if err != nil {
		return nil
	}
	for _, e := range t.Examples {
		if e.Engine == engine {
			return slices.Clone(e.Models)
		}
	}
	return nil
}

// Knows reports whether any row is about this engine by name.
func Knows(engine string) bool {
	return slices.ContainsFunc(Rows(), func(r Row) bool { return slices.Contains(r.On, engine) })
}

// Facts is what holds for one model on one engine.
type Facts map[What]Row

// About finds what holds for a model on an engine.
func About(engine, model string) Facts {
	facts := Facts{}
	t, err := load()
	if err != nil {
		return facts
	}
	n := parseName(model)
	fam := t.family(n)
	for _, r := range t.Rows {
		if (r.Family == "" || r.Family == fam) && (len(r.On) == 0 || slices.Contains(r.On, engine)) && r.pattern.matches(n) {
			facts[r.What] = r
		}
	}
	return facts
}

// Is is the word of a claim; empty if nothing is claimed.
func (f Facts) Is(w What) string { return f[w].Is }

// Words are the list of a claim; known is false if nothing is claimed.
func (f Facts) Words(w What) (words []string, known bool) {
	r, known := f[w]
	return r.Words, known && r.Words != nil
}
