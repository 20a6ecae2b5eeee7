package toolchoice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/sabir-go/sabir/toolchoice"
)

// The parts of testdata/toolchoice.json that the tests read.
type (
	canonical struct {
		Type string          `json:"type"`
		Name json.RawMessage `json:"name"`
	}
	vector struct {
		ID        string                     `json:"id"`
		Input     json.RawMessage            `json:"input"`
		Canonical *canonical                 `json:"canonical"`
		Wires     map[string]json.RawMessage `json:"wires"`
	}
	vectorFile struct {
		Vectors      []vector       `json:"vectors"`
		Constructors []constructor  `json:"constructors"`
		Dispatch     dispatch       `json:"dispatch"`
		RoundTrips   []roundTrip    `json:"round_trips"`
		Perplexity   map[string]any `json:"perplexity_legacy_strings"`
	}
	constructor struct {
		Constructor string                     `json:"constructor"`
		Wires       map[string]json.RawMessage `json:"wires"`
	}
	dispatch struct {
		Tags []struct {
			Format string `json:"format"`
			OK     bool   `json:"ok"`
		} `json:"tags"`
	}
	roundTrip struct {
		From json.RawMessage `json:"from"`
		Via  string          `json:"via"`
	}
)

func loadVectors(tb testing.TB) vectorFile {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "toolchoice.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var f vectorFile
	if err := json.Unmarshal(data, &f); err != nil {
		tb.Fatal(err)
	}
	if len(f.Vectors) != 130 {
		tb.Fatalf("%d vectors, want 130", len(f.Vectors))
	}
	return f
}

// choice returns the vector's own answer. Names that are JSON numbers count
// as the text they are written as.
func (v vector) choice() (toolchoice.Choice, bool) {
	if v.Canonical == nil {
		return toolchoice.Choice{}, false
	}
	switch v.Canonical.Type {
	case "auto":
		return toolchoice.Auto(), true
	case "any":
		return toolchoice.Any(), true
	case "none":
		return toolchoice.None(), true
	}
	var name string
	if json.Unmarshal(v.Canonical.Name, &name) != nil {
		name = string(v.Canonical.Name)
	}
	return toolchoice.Tool(name), true
}

var vectorWires = map[string]toolchoice.WireFormat{
	"openai": toolchoice.OpenAI, "responses": toolchoice.Responses,
	"anthropic": toolchoice.Anthropic, "gemini": toolchoice.Gemini,
}

func TestVectorsLenientAndTo(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Vectors {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			want, wantOK := v.choice()
			for form, in := range forms(t, v.Input) {
				if got, ok := toolchoice.Lenient(in); got != want || ok != wantOK {
					t.Errorf("Lenient(%s %s) = %v, %v; want %v, %v", form, v.Input, got, ok, want, wantOK)
				}
			}
			if !wantOK {
				return
			}
			checkWires(t, want, v.Wires)
		})
	}
}

// checkWires compares what To writes with a vector's four wires.
func checkWires(t *testing.T, c toolchoice.Choice, wires map[string]json.RawMessage) {
	t.Helper()
	if len(wires) != len(vectorWires) {
		t.Fatalf("%d wires, want %d", len(wires), len(vectorWires))
	}
	for name, want := range wires {
		got, err := c.To(vectorWires[name])
		if err != nil {
			t.Errorf("%v on %s: %v", c, name, err)
			continue
		}
		if g, w := decode(t, got), decode(t, want); !reflect.DeepEqual(g, w) {
			t.Errorf("%v on %s = %s, want %s", c, name, got, want)
		}
	}
}

// decode reads JSON for comparing; numbers, which are only ever names here,
// count as strings.
func decode(t *testing.T, raw []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return stringify(v)
}

func stringify(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case map[string]any:
		for k := range v {
			v[k] = stringify(v[k])
		}
	case []any:
		for i := range v {
			v[i] = stringify(v[i])
		}
	}
	return v
}

// forms gives one JSON input in every Go type that may carry it.
func forms(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "\t", " "); err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"go value": v, "raw": raw, "bytes": []byte(raw), "spaced": append([]byte("\r\n \t"), indented.Bytes()...),
	}
}

func TestVectorsParse(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Vectors {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			want, wantErr := parseWants(v)
			for form, in := range forms(t, v.Input) {
				got, err := toolchoice.Parse(in)
				if got != want || !errors.Is(err, wantErr) {
					t.Errorf("Parse(%s %s) = %v, %v; want %v, %v", form, v.Input, got, err, want, wantErr)
				}
			}
		})
	}
}

// parseWants is the vector's answer with the reviewed departures of Parse.
func parseWants(v vector) (toolchoice.Choice, error) {
	beyond := map[string]toolchoice.Choice{ // null there, read here
		"tc-007": toolchoice.None(), "tc-008": toolchoice.Any(), // Cohere's words
		"tc-104": toolchoice.Auto(), "tc-105": toolchoice.Any(), "tc-106": toolchoice.None(), // Gemini
		"tc-108": toolchoice.Tool("extract"), "tc-109": toolchoice.Tool("extract"),
		"tc-111": toolchoice.Any(), "tc-112": toolchoice.Any(), "tc-113": toolchoice.Any(), "tc-114": toolchoice.Auto(),
		"tc-115": toolchoice.Auto(), "tc-116": toolchoice.Any(), "tc-117": toolchoice.Tool("extract"), // Bedrock
	}
	nameless := []string{ // weakened to auto there, refused here
		"tc-047", "tc-048", "tc-049", "tc-054", "tc-056", "tc-059", "tc-060", "tc-061", "tc-064", "tc-065", "tc-066",
		"tc-068", "tc-069", "tc-073",
	}
	numbers := []string{"tc-119", "tc-120", "tc-121", "tc-126"} // names there, refused here
	if c, ok := beyond[v.ID]; ok {
		return c, nil
	}
	if slices.Contains(nameless, v.ID) {
		return toolchoice.Choice{}, toolchoice.ErrNoName
	}
	c, ok := v.choice()
	if !ok || slices.Contains(numbers, v.ID) {
		return toolchoice.Choice{}, toolchoice.ErrUnknown
	}
	return c, nil
}

func TestVectorConstructors(t *testing.T) {
	t.Parallel()
	made := map[string]toolchoice.Choice{
		"auto()": toolchoice.Auto(), "any()": toolchoice.Any(), "none()": toolchoice.None(),
		"specific(extract)": toolchoice.Tool("extract"), "specific(empty)": toolchoice.Tool(""),
		"specific(null)": toolchoice.Tool(""), "new(type=tool)": toolchoice.Tool(""),
	}
	// These can't be written in Go: the word is no mode, or a name stands
	// beside another mode than tool.
	unwritable := []string{
		"new()", "new(type=any,name=x)", "new(type=auto,name=x)", "new(type=function,name=x)", "new(type=required)",
	}
	for _, v := range loadVectors(t).Constructors {
		if slices.Contains(unwritable, v.Constructor) {
			continue
		}
		t.Run(v.Constructor, func(t *testing.T) {
			t.Parallel()
			c, ok := made[v.Constructor]
			if !ok {
				t.Fatal("a constructor without an expectation")
			}
			if c.Err() == nil {
				checkWires(t, c, v.Wires)
				return
			}
			for name := range v.Wires { // auto there, refused here
				if raw, err := c.To(vectorWires[name]); raw != nil || !errors.Is(err, toolchoice.ErrNoName) {
					t.Errorf("on %s: %s, %v; want ErrNoName", name, raw, err)
				}
			}
		})
	}
}

func TestVectorDispatch(t *testing.T) {
	t.Parallel()
	byName := map[string]toolchoice.WireFormat{}
	for _, w := range allFormats {
		byName[w.String()] = w
	}
	for _, tag := range loadVectors(t).Dispatch.Tags {
		t.Run("tag "+tag.Format, func(t *testing.T) {
			t.Parallel()
			w, known := byName[tag.Format]
			if !known {
				if tag.OK {
					t.Error("no such wire format")
				}
				return
			}
			if _, err := toolchoice.Any().To(w); (err == nil) != tag.OK {
				t.Errorf("To: %v, want ok %v", err, tag.OK)
			}
		})
	}
}

// TestVectorRoundTrips goes there and back as the vectors do. Gemini's shape
// comes back as null there and as the choice here.
func TestVectorRoundTrips(t *testing.T) {
	t.Parallel()
	f := loadVectors(t)
	for _, v := range f.RoundTrips {
		t.Run(v.Via+" "+string(v.From), func(t *testing.T) {
			t.Parallel()
			from, err := toolchoice.Parse(v.From)
			if err != nil {
				t.Fatal(err)
			}
			var there any
			want := from
			switch v.Via {
			case "perplexity": // a word that loses the name
				key := from.Mode().String()
				if from.Mode() == toolchoice.ModeTool {
					key, want = "tool_with_name", toolchoice.Any()
				}
				there = f.Perplexity[key]
			case "to_hash":
				there, err = json.Marshal(from)
			default:
				there, err = from.To(vectorWires[v.Via])
			}
			if err != nil {
				t.Fatal(err)
			}
			if back, err := toolchoice.Parse(there); err != nil || back != want {
				t.Errorf("back from %s: %v, %v; want %v", there, back, err, want)
			}
		})
	}
}
