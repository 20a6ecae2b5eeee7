package truthtable

import "fmt"

// Row is what happens to one request.
type Row struct {
	Engine, Model string
	Cell
	Outcome string
}

// Cell is a place in the table of one model.
type Cell struct{ Choice, Thinking, Output string }

// String is a row of the full table.
func (r Row) String() string {
	return fmt.Sprintf("%s %s | %-5s | %-7s | %-6s → %s", r.Engine, r.Model, r.Choice, r.Thinking, r.Output, r.Outcome)
}

// The columns, in their order.
var (
	Choices   = []string{"unset", "auto", "none", "any", "named"}
	Thinkings = []string{"unset", "off", "on"}
	Outputs   = []string{"none", "schema"}
)

// Cells are all places, in their order.
func Cells() []Cell { return block{Choices, Thinkings, Outputs}.cells() }

// outcomes is the table of one model.
type outcomes map[Cell]string

// model is a model of an engine with its table.
type model struct {
	name     string
	outcomes outcomes
}

// host is an engine with its models.
type host struct {
	name   string
	models []*model
}

// group puts rows under their engines and models. It fails if a model lacks a
// row or has one twice.
func group(rows []Row) ([]*host, error) {
	var hosts []*host
	for _, r := range rows {
		if n := len(hosts); n == 0 || hosts[n-1].name != r.Engine {
			hosts = append(hosts, &host{name: r.Engine})
		}
		h := hosts[len(hosts)-1]
		if n := len(h.models); n == 0 || h.models[n-1].name != r.Model {
			h.models = append(h.models, &model{r.Model, outcomes{}})
		}
		m := h.models[len(h.models)-1]
		if _, twice := m.outcomes[r.Cell]; twice || r.Outcome == "" {
			return nil, fmt.Errorf("truthtable: twice, or without an outcome: %s", r)
		}
		m.outcomes[r.Cell] = r.Outcome
	}
	for _, h := range hosts {
		for _, m := range h.models {
			if err := checkComplete(h.name, m); err != nil {
				return nil, err
			}
		}
	}
	return hosts, nil
}

func checkComplete(engine string, m *model) error {
	for _, c := range Cells() {
		if m.outcomes[c] == "" {
			return fmt.Errorf("truthtable: no outcome: %s", Row{engine, m.name, c, ""})
		}
	}
	if len(m.outcomes) != len(Cells()) {
		return fmt.Errorf("truthtable: %s %s has a row of no known column", engine, m.name)
	}
	return nil
}
