package truthtable

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Unfold gives the rows of a folded table, in the order of the full one.
func Unfold(folded []byte) ([]Row, error) {
	u := unfolder{}
	for line := range strings.Lines(string(folded)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := u.read(line); err != nil {
			return nil, fmt.Errorf("truthtable: %w in the line %q", err, line)
		}
	}
	if err := u.closeBlock(); err != nil {
		return nil, fmt.Errorf("truthtable: %w", err)
	}
	return u.rows()
}

// unfolder reads a folded table line by line.
type unfolder struct {
	hosts []*host
	// models are those of the block that is read; base is what they are like,
	// own what their lines say.
	models []*model
	base   outcomes
	own    outcomes
}

func (u *unfolder) read(line string) error {
	switch rest, isEngine := strings.CutPrefix(line, "["); {
	case isEngine:
		return u.readEngine(rest)
	case strings.HasPrefix(line, indent):
		return u.readLine(strings.TrimSpace(line))
	}
	return u.readHeader(line)
}

func (u *unfolder) readEngine(rest string) error {
	if err := u.closeBlock(); err != nil {
		return err
	}
	name, models, ok := strings.Cut(rest, "] ")
	if !ok {
		return errors.New("no models")
	}
	h := &host{name: name}
	for m := range strings.FieldsSeq(models) {
		h.models = append(h.models, &model{name: m})
	}
	u.hosts = append(u.hosts, h)
	return nil
}

// readHeader reads "family: models", perhaps with ", as model, but".
func (u *unfolder) readHeader(line string) error {
	if err := u.closeBlock(); err != nil {
		return err
	}
	_, models, ok := strings.Cut(line, ": ")
	if !ok {
		return errors.New("no family")
	}
	models, like, isLike := strings.Cut(models, ", as ")
	if isLike {
		first, err := u.find(strings.TrimSuffix(like, ", but"))
		if err != nil {
			return err
		}
		u.base = first.outcomes
	}
	for name := range strings.FieldsSeq(models) {
		m, err := u.find(name)
		if err != nil {
			return err
		}
		u.models = append(u.models, m)
	}
	u.own = outcomes{}
	return nil
}

// find looks a model of the engine up.
func (u *unfolder) find(name string) (*model, error) {
	if n := len(u.hosts); n > 0 {
		models := u.hosts[n-1].models
		if i := slices.IndexFunc(models, func(m *model) bool { return m.name == name }); i >= 0 {
			return models[i], nil
		}
	}
	return nil, fmt.Errorf("the engine has no model %s", name)
}

func (u *unfolder) readLine(line string) error {
	left, outcome, ok := strings.Cut(line, " → ")
	if !ok || u.own == nil {
		return errors.New("no outcome, or no family above")
	}
	if left == "otherwise" {
		u.base = outcomes{}
		for _, c := range Cells() {
			u.base[c] = outcome
		}
		return nil
	}
	columns := strings.Split(left, "|")
	if len(columns) != 3 {
		return fmt.Errorf("%d columns", len(columns))
	}
	b := block{values(columns[0], Choices), values(columns[1], Thinkings), values(columns[2], Outputs)}
	for _, c := range b.cells() {
		if was := u.own[c]; was != "" && was != outcome {
			return fmt.Errorf("two outcomes for %v", c)
		}
		u.own[c] = outcome
	}
	return nil
}

func values(column string, all []string) []string {
	if set := strings.Fields(column); !slices.Equal(set, []string{"*"}) {
		return set
	}
	return all
}

// closeBlock gives the block's models what was read.
func (u *unfolder) closeBlock() error {
	for _, m := range u.models {
		if m.outcomes != nil {
			return fmt.Errorf("%s has two blocks", m.name)
		}
		m.outcomes = outcomes{}
		maps.Copy(m.outcomes, u.base)
		maps.Copy(m.outcomes, u.own)
	}
	u.models, u.base, u.own = nil, nil, nil
	return nil
}

func (u *unfolder) rows() ([]Row, error) {
	var rows []Row
	for _, h := range u.hosts {
		for _, m := range h.models {
			if err := checkComplete(h.name, m); err != nil {
				return nil, err
			}
			for _, c := range Cells() {
				rows = append(rows, Row{h.name, m.name, c, m.outcomes[c]})
			}
		}
	}
	return rows, nil
}
