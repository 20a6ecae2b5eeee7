package hermes

import (
	"bytes"
	"encoding/json"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// extent finds where a JSON object or list ends, in a text that comes in
// pieces. It goes on where it stopped, so the work is linear.
type extent struct {
	depth             int
	inString, escaped bool
}

type ending uint8

const (
	goesOn ending = iota
	whole
	noJSON // a tag stands where JSON has none
)

// readValue returns how much of b belongs to the value.
func (e *extent) readValue(b []byte) (n int, end ending) {
	for i, c := range b {
		switch {
		case e.escaped:
			e.escaped = false
		case e.inString:
			e.escaped = c == '\\'
			e.inString = c != '"'
		case c == '"':
			e.inString = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			if e.depth--; e.depth == 0 {
				return i + 1, whole
			}
		case c == '<':
			return i, noJSON
		}
	}
	return len(b), goesOn
}

// call is one call as the model wrote it.
type call struct{ name, arguments []byte }

// readCalls reads a call, or a list of calls.
func readCalls(raw []byte) (calls []call, ok bool) {
	if !rawjson.Valid(raw) {
		return nil, false
	}
	var s rawjson.Scanner
	s.Reset(raw)
	if s.Kind() != rawjson.Array {
		c := readCall(&s)
		return []call{c}, len(c.name) > 0
	}
	for range s.Elems() {
		c := readCall(&s)
		if len(c.name) == 0 {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, len(calls) > 0
}

// readCall reads {"name":…,"arguments":…}, or OpenAI's object that holds this
// as its function. Some models say parameters.
func readCall(s *rawjson.Scanner) call {
	var c call
	for key := range s.Members() {
		switch string(key) {
		case "name":
			if s.Kind() == rawjson.String {
				c.name = bytes.Clone(s.Bytes())
			}
		case "arguments", "parameters":
			c.arguments = readArguments(s.Raw())
		case "function":
			if f := readCall(s); len(f.name) > 0 {
				c = f
			}
		}
	}
	return c
}

// readArguments reads an object, or a string that holds one.
func readArguments(raw []byte) []byte {
	var s rawjson.Scanner
	s.Reset(raw)
	switch s.Kind() {
	case rawjson.String:
	case rawjson.Null:
		return nil
	case rawjson.Object, rawjson.Array, rawjson.Number, rawjson.Bool, rawjson.Invalid:
		return raw
	}
	text := bytes.TrimSpace(s.Bytes())
	if len(text) > 0 && text[0] != '{' {
		return raw
	}
	return text
}

// readPart reads a call that breaks off, as far as it goes: its name, and the
// arguments that were begun.
func readPart(raw []byte) (c call, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return c, false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		rest := bytes.TrimLeft(raw[dec.InputOffset():], whiteSpace+":")
		var v json.RawMessage
		err = dec.Decode(&v)
		switch key {
		case "name":
			var name string
			if json.Unmarshal(v, &name) == nil {
				c.name = []byte(name)
			}
		case "arguments", "parameters":
			if c.arguments = rest; err == nil {
				c.arguments = readArguments(v)
			}
		}
		if err != nil {
			break
		}
	}
	return c, len(c.name) > 0 && len(c.arguments) > 0
}
