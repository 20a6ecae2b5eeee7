package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth bounds how deeply schemas may be nested in each other.
const maxDepth = 128

// Check reports whether raw is a JSON Schema, without compiling it: a JSON
// object whose known keywords have values of the right shape, nested schemas
// included. The error begins with the path of the fault, such as
// "properties.city.type: …". It is one pass over the text and fit for being
// called on every request. What it leaves to [Compile]: whether references
// lead anywhere and patterns are regular expressions.
func Check(raw json.RawMessage) error {
	if err := checkJSON(raw); err != nil {
		return err
	}
	c := cursor{data: raw}
	if first := c.peek(); first != '{' {
		return fmt.Errorf("a schema must be an object, not %s", shownKind(raw[c.at:]))
	}
	return c.checkSchema(0)
}

// shownKind is the kind of a value, and a string's beginning: tools that could
// not be defined carry the reason in place of a schema.
func shownKind(raw []byte) string {
	if raw[0] != '"' {
		return kindOf(raw[0])
	}
	s := string(unquote((&cursor{data: raw}).skip()))
	if cut := 300; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return "the string " + strconv.Quote(s)
}

// CheckArguments is [Check] for the schema of a tool's arguments, which are
// always an object: where the schema states a type, it must be "object".
func CheckArguments(raw json.RawMessage) error {
	if err := Check(raw); err != nil {
		return err
	}
	c := cursor{data: raw}
	c.open()
	for c.more() {
		name, _ := c.readKey()
		value := c.skip()
		if string(name) == "type" && string(unquoteIfText(value)) != "object" {
			return fmt.Errorf(`type: arguments are an object, so this must be "object", not %s`, value)
		}
	}
	return nil
}

func unquoteIfText(raw []byte) []byte {
	if raw[0] == '"' {
		return unquote(raw)
	}
	return raw
}

func (c *cursor) checkSchema(depth int) error {
	switch first := c.peek(); first {
	case 't', 'f':
		c.skip()
		return nil
	case '{':
	default:
		return fault("a schema must be an object or a boolean, not " + kindOf(first))
	}
	if depth > maxDepth {
		return fault("nested deeper than " + strconv.Itoa(maxDepth) + " schemas")
	}
	c.open()
	for c.more() {
		name, _ := c.readKey()
		if err := c.checkKeyword(keywords[string(name)], depth); err != nil {
			return within(step(string(name)), err)
		}
	}
	return nil
}

func (c *cursor) checkKeyword(s shape, depth int) error {
	first := c.peek()
	switch s {
	case oneSchema:
		return c.checkSchema(depth + 1)
	case schemaOrList:
		if first != '[' {
			return c.checkSchema(depth + 1)
		}
		return c.checkElements(oneSchema, depth)
	case schemaList:
		return c.checkElements(oneSchema, depth)
	case schemaMap:
		return c.checkMembers(oneSchema, depth)
	case schemaOrNames:
		return c.checkMembers(anything, depth)
	case namesMap:
		return c.checkMembers(names, depth)
	case names:
		return c.checkElements(text, depth)
	case typeWord:
		return c.checkTypes(first)
	case anything, text, number, positive, count, flag, values, list:
	}
	return checkScalar(s, c.skip())
}

func (c *cursor) checkElements(s shape, depth int) error {
	if first := c.peek(); first != '[' {
		return fault("must be a list, not " + kindOf(first))
	}
	c.open()
	n := 0
	for ; c.more(); n++ {
		if err := c.checkKeyword(s, depth); err != nil {
			return within(index(n), err)
		}
	}
	if n == 0 && s == oneSchema {
		return fault("must not be empty")
	}
	return nil
}

// checkMembers checks an object whose values have shape s. The shape anything
// stands for the values of dependencies: lists of names or schemas.
func (c *cursor) checkMembers(s shape, depth int) error {
	if first := c.peek(); first != '{' {
		return fault("must be an object, not " + kindOf(first))
	}
	c.open()
	for c.more() {
		name, _ := c.readKey()
		want := s
		if want == anything {
			want = oneSchema
			if c.peek() == '[' {
				want = names
			}
		}
		if err := c.checkKeyword(want, depth); err != nil {
			return within(step(string(name)), err)
		}
	}
	return nil
}

func (c *cursor) checkTypes(first byte) error {
	switch first {
	case '"':
		return checkType(c.skip())
	case '[':
	default:
		return fault("must be a type word or a list of them, not " + kindOf(first))
	}
	c.open()
	n := 0
	for ; c.more(); n++ {
		if first := c.peek(); first != '"' {
			return within(index(n), fault("must be a type word, not "+kindOf(first)))
		}
		if err := checkType(c.skip()); err != nil {
			return within(index(n), err)
		}
	}
	if n == 0 {
		return fault("must not be empty")
	}
	return nil
}

func checkType(raw []byte) error {
	if word := unquote(raw); !isType(string(word)) {
		return fault("unknown type " + string(raw) +
			"; the types are object, array, string, integer, number, boolean and null")
	}
	return nil
}

func checkScalar(s shape, raw []byte) error {
	first := raw[0]
	isNumber := first == '-' || first >= '0' && first <= '9'
	want := ""
	switch s {
	case text:
		want = unless(first == '"', "a string")
	case number:
		want = unless(isNumber, "a number")
	case positive:
		want = unless(isNumber && isAbove(raw, 0), "a number above 0")
	case count:
		want = unless(isNumber && isCount(raw), "an integer of 0 or more")
	case flag:
		want = unless(first == 't' || first == 'f', "true or false")
	case list:
		want = unless(first == '[', "a list")
	case values:
		want = unless(first == '[' && !isEmptyList(raw), "a list of at least one value")
	case anything, oneSchema, schemaList, schemaMap, schemaOrList, schemaOrNames, names, namesMap, typeWord:
	}
	if want == "" {
		return nil
	}
	return fault("must be " + want + ", not " + brief(raw))
}

func unless(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

func isAbove(raw []byte, limit float64) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && f > limit
}

func isCount(raw []byte) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && f >= 0 && f == float64(int64(f))
}

func isEmptyList(raw []byte) bool {
	c := cursor{data: raw}
	c.open()
	return !c.more()
}

// brief returns a value for an error text: the value itself if it is short,
// else its kind.
func brief(raw []byte) string {
	if len(raw) <= 40 {
		return string(raw)
	}
	return kindOf(raw[0])
}
