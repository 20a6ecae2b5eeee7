package toolchoice

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var (
	// ErrNoName is a forced choice that names no tool: the name is missing,
	// empty, or not UTF-8, which JSON can't carry.
	ErrNoName = errors.New("names no tool")

	// ErrNoWireForm is a stated choice that the wire has no spelling for. The
	// caller has to get there in another way, or refuse.
	ErrNoWireForm = errors.New("no wire form")

	// ErrUnknown is an input that states no choice which this package knows,
	// or states more than a choice can hold.
	ErrUnknown = errors.New("not a tool choice")
)

// Mode is the kind of a [Choice], for switches; a named tool's name is in
// [Choice.Name].
type Mode uint8

// The modes. Unset is the zero Mode: nothing was stated, nothing is sent, and
// the provider's default holds.
const (
	Unset    Mode = iota
	ModeAuto      // the model decides
	ModeAny       // the model must call some tool; OpenAI says "required"
	ModeNone      // the model must not call a tool
	ModeTool      // the model must call the one named tool
)

var modeNames = [...]string{Unset: "unset", ModeAuto: "auto", ModeAny: "any", ModeNone: "none", ModeTool: "tool"}

// String returns the mode's word in the neutral form, "unset" for [Unset].
func (m Mode) String() string {
	if int(m) >= len(modeNames) {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return modeNames[m]
}

// Choice says which tools a model may, must or must not call. Only the
// constructors make one; it can't be changed and compares with ==. The zero
// Choice states nothing.
type Choice struct {
	mode Mode
	name string
}

// Auto leaves the decision to the model. It differs from the zero Choice in
// being sent.
func Auto() Choice { return Choice{mode: ModeAuto} }

// Any makes the model call at least one tool, whichever it likes.
func Any() Choice { return Choice{mode: ModeAny} }

// None forbids tool calls, though the tools stay known to the model.
func None() Choice { return Choice{mode: ModeNone} }

// Tool makes the model call the named tool. The name is taken as it is: a tool
// called "auto" is a tool. Tool("") makes a choice that every use refuses with
// [ErrNoName].
func Tool(name string) Choice { return Choice{mode: ModeTool, name: name} }

// Mode returns the kind of choice, [Unset] for the zero Choice.
func (c Choice) Mode() Mode { return c.mode }

// Name returns the tool's name, and "" for every mode but [ModeTool].
func (c Choice) Name() string { return c.name }

// IsZero reports whether nothing was stated. It serves the omitzero tag, too.
func (c Choice) IsZero() bool { return c == Choice{} }

// Forced reports whether the model must call a tool: any or a named one.
func (c Choice) Forced() bool { return c.mode == ModeAny || c.mode == ModeTool }

// Err returns an [ErrNoName] for a named choice without a usable name, and nil
// for every other choice, the zero Choice included.
func (c Choice) Err() error {
	switch {
	case c.mode != ModeTool:
		return nil
	case c.name == "":
		return fmt.Errorf("toolchoice: %s %w", c, ErrNoName)
	case !utf8.ValidString(c.name):
		return fmt.Errorf("toolchoice: %q %w: not UTF-8", c, ErrNoName)
	}
	return nil
}

// String returns "unset", "auto", "any", "none" or "tool(name)".
func (c Choice) String() string {
	if c.mode == ModeTool {
		return "tool(" + c.name + ")"
	}
	return c.mode.String()
}

// MarshalJSON writes the neutral form, such as {"type":"any"} or
// {"type":"tool","name":"place"}, and null for the zero Choice.
func (c Choice) MarshalJSON() ([]byte, error) {
	if c.IsZero() {
		return []byte("null"), nil
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return neutral.append(c), nil
}

// UnmarshalJSON reads the neutral form, and whatever else [Parse] reads, so
// that a file may hold a provider's spelling. Null gives the zero Choice, and a
// JSON string is read by UnmarshalText: encoding/json hands the keys of an
// object to UnmarshalJSON if a type has both.
func (c *Choice) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*c = Choice{}
		return nil
	}
	if kindOf(data) == kindString {
		s, err := readText("the word", data)
		if err != nil {
			return err
		}
		return c.UnmarshalText([]byte(s))
	}
	parsed, err := parseJSON(data)
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}

// MarshalText returns what String does, but "" for the zero Choice. It lets a
// Choice be a command-line flag and the key of a JSON object.
func (c Choice) MarshalText() ([]byte, error) {
	if c.IsZero() {
		return []byte{}, nil
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads what MarshalText writes, and every word that [Parse]
// reads, such as "required". Between "tool(" and the last ")" stands the name,
// whatever it holds.
func (c *Choice) UnmarshalText(text []byte) error {
	parsed, err := parseText(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}

func parseText(s string) (Choice, error) {
	if s == "" {
		return Choice{}, nil
	}
	if name, ok := strings.CutPrefix(s, "tool("); ok {
		if name, ok = strings.CutSuffix(name, ")"); ok {
			return checkChoice(Tool(name))
		}
	}
	return parseWord(s)
}
