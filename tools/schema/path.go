package schema

import (
	"errors"
	"strconv"
	"strings"
)

// pathError is a fault at a place inside a schema or value.
type pathError struct {
	path string // "" is the root
	why  string
}

func (e *pathError) Error() string {
	if e.path == "" {
		return e.why
	}
	return e.path + ": " + e.why
}

func fault(why string) error { return &pathError{why: why} }

// within puts a step before an error's path, as recursion unwinds.
func within(step string, err error) error {
	if pe, ok := errors.AsType[*pathError](err); ok {
		return &pathError{path: join(step, pe.path), why: pe.why}
	}
	return err
}

// join appends a path to a path: steps into objects are joined with a dot,
// steps into arrays and odd names stand in brackets.
func join(path, rest string) string {
	switch {
	case path == "":
		return rest
	case rest == "" || rest[0] == '[':
		return path + rest
	}
	return path + "." + rest
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// maxStep bounds how much of a name stands in a path: a model may have made
// it up.
const maxStep = 80

// step is a member's name as one step of a path.
func step(name string) string {
	if len(name) > maxStep {
		name = strings.ToValidUTF8(name[:maxStep], "") + "…"
	}
	if name == "" || strings.ContainsAny(name, ".[]\"\\ \n\r\t:") {
		return "[" + strconv.Quote(name) + "]"
	}
	return name
}
