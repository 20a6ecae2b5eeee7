package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Run is one case, or one variant of a case, ready to be run.
type Run struct {
	Case *Case
	// Name is the file's name, with the variant's behind it.
	Name  string
	Given Given
	Want  Expect
	// RawWant is Want as written, variants laid over.
	RawWant json.RawMessage
	// Err is why the case can't be read. It is red, the others are run.
	Err error
}

// Load reads all cases of a folder, in order of their names.
func Load(dir string) ([]*Run, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no cases in %s", dir)
	}
	var out []*Run
	for _, file := range files {
		data, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		runs, err := Parse(name, data)
		if err != nil {
			runs = []*Run{{Case: new(Case), Name: name, Err: err}}
		}
		out = append(out, runs...)
	}
	return out, nil
}

// Parse reads one case.
func Parse(name string, data []byte) ([]*Run, error) {
	var c Case
	if err := decodeStrict(expandRepeats(data), &c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(c.Given, &given); err != nil {
		return nil, fmt.Errorf("given: %w", err)
	}
	var variants []map[string]json.RawMessage
	if raw, ok := given["variants"]; ok {
		if err := json.Unmarshal(raw, &variants); err != nil {
			return nil, fmt.Errorf("variants: %w", err)
		}
		delete(given, "variants")
	}
	if len(variants) == 0 {
		run, err := c.makeRun(name, given, c.Expect)
		return []*Run{run}, err
	}
	runs := make([]*Run, len(variants))
	for i, v := range variants {
		var err error
		if runs[i], err = c.makeVariant(name, i, given, v); err != nil {
			return nil, fmt.Errorf("variant %d: %w", i, err)
		}
	}
	return runs, nil
}

// makeVariant lays a variant's members over the case's.
func (c *Case) makeVariant(name string, i int, given, v map[string]json.RawMessage) (*Run, error) {
	label := strconv.Itoa(i)
	if raw, ok := v["name"]; ok {
		if err := json.Unmarshal(raw, &label); err != nil {
			return nil, err
		}
	}
	want := c.Expect
	if more, ok := v["expect"]; ok {
		var err error
		if want, err = addExpect(want, more); err != nil {
			return nil, err
		}
	}
	laid := maps.Clone(given)
	for key, value := range v {
		switch key {
		case "name", "expect":
		case "request", "config":
			merged, err := overlayObject(laid[key], value)
			if err != nil {
				return nil, err
			}
			laid[key] = merged
		default:
			laid[key] = value
		}
	}
	return c.makeRun(name+"/"+label, laid, want)
}

func (c *Case) makeRun(name string, given map[string]json.RawMessage, want json.RawMessage) (*Run, error) {
	r := &Run{Case: c, Name: name, RawWant: want}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	if err := decodeStrict(raw, &r.Given); err != nil {
		return nil, fmt.Errorf("given: %w", err)
	}
	if err := r.Given.check(); err != nil {
		return nil, err
	}
	r.Want, err = ParseExpect(want)
	return r, err
}

func overlayObject(base, over json.RawMessage) (json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	for _, raw := range []json.RawMessage{base, over} {
		if len(raw) == 0 {
			continue
		}
		if err := json.Unmarshal(raw, &merged); err != nil {
			return nil, err
		}
	}
	return json.Marshal(merged)
}

// addExpect adds an expectation to another: wire lists are joined, both
// one_of lists must hold, objects are merged, and of other values the added one
// is taken.
func addExpect(base, more json.RawMessage) (json.RawMessage, error) {
	var b, m map[string]json.RawMessage
	if err := json.Unmarshal(base, &b); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(more, &m); err != nil {
		return nil, err
	}
	for key, value := range m {
		old, both := b[key]
		var err error
		switch {
		case !both:
		case key == "wire":
			value, err = joinLists(old, value)
		case key == "one_of":
			value, err = bothOneOf(old, value)
		case value[0] == '{' && old[0] == '{':
			value, err = overlayObject(old, value)
		}
		if err != nil {
			return nil, err
		}
		if b == nil {
			b = map[string]json.RawMessage{}
		}
		b[key] = value
	}
	return json.Marshal(b)
}

func joinLists(a, b json.RawMessage) (json.RawMessage, error) {
	var x, y []json.RawMessage
	if err := json.Unmarshal(a, &x); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return nil, err
	}
	return json.Marshal(slices.Concat(x, y))
}

// bothOneOf puts the second list into each alternative of the first.
func bothOneOf(first, second json.RawMessage) (json.RawMessage, error) {
	var alternatives []json.RawMessage
	if err := json.Unmarshal(first, &alternatives); err != nil {
		return nil, err
	}
	inner, err := json.Marshal(map[string]json.RawMessage{"one_of": second})
	if err != nil {
		return nil, err
	}
	for i := range alternatives {
		if alternatives[i], err = addExpect(alternatives[i], inner); err != nil {
			return nil, err
		}
	}
	return json.Marshal(alternatives)
}

var repeat = regexp.MustCompile(`\{\{REPEAT:(.*?):(\d+)\}\}`)

// expandRepeats expands {{REPEAT:x:N}} in the JSON text itself, so x may be
// escaped.
func expandRepeats(data []byte) []byte {
	return repeat.ReplaceAllFunc(data, func(m []byte) []byte {
		part := repeat.FindSubmatch(m)
		n, err := strconv.Atoi(string(part[2]))
		if err != nil || n > 1<<24 {
			return m
		}
		return []byte(strings.Repeat(string(part[1]), n))
	})
}
