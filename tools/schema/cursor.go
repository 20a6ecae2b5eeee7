package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// cursor walks JSON text that json.Valid has accepted, which is why none of
// its methods can fail.
type cursor struct {
	data []byte
	at   int
}

// peek returns the next byte that isn't space, without consuming it.
func (c *cursor) peek() byte {
	for {
		switch b := c.data[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
}

// open consumes the bracket that begins an object or array.
func (c *cursor) open() {
	c.peek()
	c.at++
}

// more reports whether the open object or array has another element, and
// stands before it. At the end it consumes the closing bracket.
func (c *cursor) more() bool {
	switch c.peek() {
	case '}', ']':
		c.at++
		return false
	case ',':
		c.at++
		c.peek()
	}
	return true
}

// readKey consumes a member's name and colon. raw is the name as written, with
// its quotes.
func (c *cursor) readKey() (name, raw []byte) {
	raw = c.skip()
	c.peek()
	c.at++ // the colon
	return unquote(raw), raw
}

// skip consumes one value and returns its text.
func (c *cursor) skip() []byte {
	first := c.peek()
	start := c.at
	switch first {
	case '"':
		c.skipString()
	case '{', '[':
		c.skipNested()
	default:
		for c.at < len(c.data) && !endsScalar(c.data[c.at]) {
			c.at++
		}
	}
	return c.data[start:c.at]
}

func endsScalar(b byte) bool {
	switch b {
	case ',', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

func (c *cursor) skipString() {
	c.at++
	for {
		c.at += bytes.IndexByte(c.data[c.at:], '"') + 1
		end := c.at - 2 // before the quote
		for c.data[end] == '\\' {
			end--
		}
		if (c.at-end)%2 == 0 { // an even number of backslashes
			return
		}
	}
}

func (c *cursor) skipNested() {
	for depth := 0; ; {
		switch c.data[c.at] {
		case '"':
			c.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		c.at++
		if depth == 0 {
			return
		}
	}
}

// unquote decodes a JSON string. Without escapes it shares memory with raw.
func unquote(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return inner
	}
	return []byte(s)
}

func checkJSON(raw []byte) error {
	if json.Valid(raw) {
		return nil
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return errors.New("not JSON: empty")
	}
	var v json.RawMessage
	err := json.Unmarshal(raw, &v)
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON: %w at byte %d", err, se.Offset)
	}
	return fmt.Errorf("not JSON: %w", err)
}

// kindOf names the kind of the value that starts with b: "an object".
func kindOf(b byte) string {
	switch b {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// parse reads a JSON value. A member that occurs twice is refused: readers
// disagree about which one counts.
func parse(data []byte) (*node, error) {
	if err := checkJSON(data); err != nil {
		return nil, err
	}
	c := cursor{data: data}
	return c.readNode(0)
}

func (c *cursor) readNode(level int) (*node, error) {
	if level > maxLevels {
		return nil, fault("nested deeper than " + strconv.Itoa(maxLevels) + " levels")
	}
	switch first := c.peek(); first {
	case '{':
		return c.readObject(level)
	case '[':
		return c.readArray(level)
	case '"':
		raw := c.skip()
		return &node{kind: '"', raw: raw, text: string(unquote(raw))}, nil
	case 't', 'f':
		return &node{kind: 't', raw: c.skip()}, nil
	case 'n':
		return &node{kind: 'n', raw: c.skip()}, nil
	default:
		return &node{kind: '0', raw: c.skip()}, nil
	}
}

func (c *cursor) readObject(level int) (*node, error) {
	n := &node{kind: '{'}
	seen := map[string]bool{}
	c.open()
	for c.more() {
		key, raw := c.readKey()
		name := string(key)
		if seen[name] {
			return nil, within(step(name), fault("occurs twice"))
		}
		seen[name] = true
		val, err := c.readNode(level + 1)
		if err != nil {
			return nil, within(step(name), err)
		}
		n.fields = append(n.fields, field{name, raw, val})
	}
	return n, nil
}

func (c *cursor) readArray(level int) (*node, error) {
	n := &node{kind: '['}
	c.open()
	for c.more() {
		val, err := c.readNode(level + 1)
		if err != nil {
			return nil, within(index(len(n.items)), err)
		}
		n.items = append(n.items, val)
	}
	return n, nil
}

// parseSchema is parse for text that must be a schema, see [Check].
func parseSchema(raw []byte) (*node, error) {
	if err := Check(raw); err != nil {
		return nil, err
	}
	return parse(raw)
}
