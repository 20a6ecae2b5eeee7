package toolchoice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Parse reads a choice in any provider's spelling. v is a [Choice], a Go
// string with one of the words, JSON text as [json.RawMessage] or []byte, or
// anything that marshals to such JSON: a map, a provider's own Go struct.
//
// Words and keys count exactly as they are written, case included. Members
// that are no part of a choice, such as disable_parallel_tool_use, are passed
// over. Beyond the words and objects of OpenAI, Anthropic and Mistral, Parse
// reads Gemini's toolConfig (or a part of it, in either case style), Bedrock's
// union and Cohere's words.
//
// A forced choice without a name is [ErrNoName]. Everything else that isn't
// exactly one choice is [ErrUnknown]: null, unknown words, names that aren't
// strings, a member given twice, a subset of the tools (that is the request's
// AllowedTools). Nothing is weakened; [Lenient] has the forgiving answers. A
// zero Choice comes back as it is, without error.
func Parse(v any) (Choice, error) {
	switch v := v.(type) {
	case nil:
		return Choice{}, newUnknown("nothing given; leave the choice unset instead")
	case Choice:
		return checkChoice(v)
	case *Choice:
		if v == nil {
			return Parse(nil)
		}
		return checkChoice(*v)
	case string:
		return parseWord(v)
	case json.RawMessage:
		return parseJSON(v)
	case []byte:
		return parseJSON(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return Choice{}, fmt.Errorf("%w: %w", newUnknown("a %T", v), err)
	}
	return parseJSON(raw)
}

// newUnknown returns an ErrUnknown with its reason. Reasons quote no more than
// a few words of the input.
func newUnknown(format string, args ...any) error {
	return fmt.Errorf("toolchoice: %w: %s", ErrUnknown, fmt.Sprintf(format, args...))
}

func checkChoice(c Choice) (Choice, error) {
	if err := c.Err(); err != nil {
		return Choice{}, err
	}
	return c, nil
}

// findWord reads the words that are the same as bare strings and as type.
func findWord(s string) (Choice, bool) {
	switch s {
	case "auto":
		return Auto(), true
	case "any", "required":
		return Any(), true
	case "none":
		return None(), true
	}
	return Choice{}, false
}

func parseWord(s string) (Choice, error) {
	if c, ok := findWord(s); ok {
		return c, nil
	}
	switch s {
	case "REQUIRED": // Cohere's
		return Any(), nil
	case "NONE": // Cohere's
		return None(), nil
	}
	return Choice{}, newUnknown("the word %.40q", s)
}

func parseJSON(raw []byte) (Choice, error) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return Choice{}, newUnknown("not JSON text")
	}
	switch raw[0] {
	case '"':
		s, err := readText("the word", raw)
		if err != nil {
			return Choice{}, err
		}
		return parseWord(s)
	case '{':
		return parseObject(raw)
	}
	return Choice{}, newUnknown("%s, not a word or an object", kindOf(raw))
}

func parseObject(raw []byte) (Choice, error) {
	m, err := readMembers(raw)
	if err != nil {
		return Choice{}, err
	}
	typ, ok := m["type"]
	if !ok {
		return parseUntyped(m)
	}
	s, err := readText("the type", typ)
	if err != nil {
		return Choice{}, err
	}
	if c, ok := findWord(s); ok {
		return c, nil // a name beside these is ignored
	}
	switch s {
	case "tool": // only the flat name counts
		return readNamed(m["name"])
	case "function":
		if kindOf(m["function"]) == kindObject { // it hides the flat name, even when it has none
			if m, err = readMembers(m["function"]); err != nil {
				return Choice{}, err
			}
		}
		return readNamed(m["name"])
	case "allowed_tools":
		return Choice{}, errSubset()
	}
	return Choice{}, newUnknown("the type %.40q", s)
}

func errSubset() error {
	return newUnknown("a subset of the tools; a request has AllowedTools for that")
}

func readNamed(raw json.RawMessage) (Choice, error) {
	if k := kindOf(raw); k == kindNothing || k == kindNull {
		return checkChoice(Tool(""))
	}
	name, err := readText("the tool's name", raw)
	if err != nil {
		return Choice{}, err
	}
	return checkChoice(Tool(name))
}

// parseUntyped reads the shapes that have no type member: Gemini's and
// Bedrock's. Exactly one member may state the choice.
func parseUntyped(m map[string]json.RawMessage) (Choice, error) {
	var key string
	for _, k := range [...]string{
		"toolConfig", "tool_config", "functionCallingConfig", "function_calling_config", "mode", "auto", "any", "tool",
	} {
		if s := kindOf(m[k]); s == kindNothing || s == kindNull {
			continue
		}
		if key != "" {
			return Choice{}, newUnknown("an object with both %s and %s", key, k)
		}
		key = k
	}
	switch key {
	case "":
		return Choice{}, newUnknown("an object without a type")
	case "mode":
		return parseGemini(m)
	}
	inner, err := readMembers(m[key])
	if err != nil {
		return Choice{}, err
	}
	switch key {
	case "auto":
		return Auto(), nil
	case "any":
		return Any(), nil
	case "tool":
		return readNamed(inner["name"])
	}
	return parseNested(key, inner)
}

// parseNested goes one step into Gemini's toolConfig.
func parseNested(key string, inner map[string]json.RawMessage) (Choice, error) {
	if key == "functionCallingConfig" || key == "function_calling_config" {
		return parseGemini(inner)
	}
	config, err := pickMember(inner, "functionCallingConfig", "function_calling_config")
	if err != nil {
		return Choice{}, err
	}
	m, err := readMembers(config)
	if err != nil {
		return Choice{}, err
	}
	return parseGemini(m)
}

// parseGemini reads the members of a functionCallingConfig. Names beside ANY
// narrow it: one is a named choice, more are a subset.
func parseGemini(m map[string]json.RawMessage) (Choice, error) {
	mode, err := readText("the mode", m["mode"])
	if err != nil {
		return Choice{}, err
	}
	names, err := allowedNames(m)
	if err != nil {
		return Choice{}, err
	}
	switch {
	case mode == "NONE":
		return None(), nil
	case mode == "ANY" && len(names) == 1:
		return readNamed(names[0])
	case (mode == "ANY" || mode == "AUTO") && len(names) > 0:
		return Choice{}, errSubset()
	case mode == "ANY":
		return Any(), nil
	case mode == "AUTO":
		return Auto(), nil
	}
	return Choice{}, newUnknown("the mode %.40q", mode)
}

func allowedNames(m map[string]json.RawMessage) ([]json.RawMessage, error) {
	raw, err := pickMember(m, "allowedFunctionNames", "allowed_function_names")
	if err != nil || raw == nil {
		return nil, err
	}
	var names []json.RawMessage
	if err := json.Unmarshal(raw, &names); err != nil {
		return nil, newUnknown("%s where a list of names belongs", kindOf(raw))
	}
	return names, nil
}
