package examples_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"testing"
)

// tasks are the eight everyday tasks with the most lines that each may cost:
// those of the function and of the types and helpers it needs, blank lines and
// comments not counted. The first and thinking reuse the tool of the loop.
var tasks = []struct {
	name, file string
	decls      []string
	most       int
}{
	{"hello", "hello/main.go", []string{"hello"}, 7},
	{"stream", "stream/main.go", []string{"tell"}, 9},
	{"tool loop", "loop/main.go", []string{"place", "weather", "loop"}, 15},
	{"forced first", "first/main.go", []string{"first"}, 9},
	{"structured output", "extract/main.go", []string{"castle", "extract"}, 11},
	{"thinking with tools", "thinking/main.go", []string{"think"}, 10},
	{"two providers", "providers/main.go", []string{"both"}, 12},
	{"unit test", "unittest/main_test.go", []string{"TestAnswer"}, 7},
}

// together is the most lines that the tasks may cost.
const together = 80

func TestTasksStayShort(t *testing.T) {
	t.Parallel()
	sum := 0
	for _, task := range tasks {
		n := lines(t, task.file, task.decls)
		if n > task.most {
			t.Errorf("%s takes %d lines, at most %d", task.name, n, task.most)
		}
		sum += n
	}
	t.Logf("%d tasks take %d lines", len(tasks), sum)
	if sum > together || len(tasks) != 8 {
		t.Errorf("%d tasks take %d lines, at most %d for eight", len(tasks), sum, together)
	}
}

// lines counts the lines of declarations that hold code.
func lines(t *testing.T, file string, decls []string) int {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n, found := 0, 0
	for _, d := range f.Decls {
		if !slices.ContainsFunc(names(d), func(name string) bool { return slices.Contains(decls, name) }) {
			continue
		}
		found++
		for line := range bytes.Lines(src[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset]) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
				n++
			}
		}
	}
	if found != len(decls) {
		t.Fatalf("%s declares %d of %q", file, found, decls)
	}
	return n
}

// names are what a declaration declares.
func names(d ast.Decl) []string {
	var out []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		out = append(out, d.Name.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					out = append(out, n.Name)
				}
			}
		}
	}
	return out
}
