package readme_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/readme"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTableIsFresh(t *testing.T) {
	t.Parallel()
	table, err := readme.Table(read(t, "../../engine/testdata/matrix.txt"))
	if err != nil {
		t.Fatal(err)
	}
	old := read(t, "../../README.md")
	fresh, err := readme.Replace(old, table)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old, fresh) {
		t.Error("README.md's table is stale: run go generate ./...")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	matrix := strings.Join([]string{
		"# head",
		"[x] m n",
		"a: m n",
		"  any   | unset off | * → sent (not known: ToolChoice)",
		"  any   | on      | *      → refused: not with extended thinking",
		"  named | off     | none   → refused: this model always thinks",
		"  named | unset   | none   → rewritten: tool_as_schema",
		"  named | on      | none   → refused: not with extended thinking",
		"  none  | off     | none   → rewritten: tools_left_out",
		"  none  | unset   | schema → rewritten: tools_left_out, output_as_prompt",
		"  otherwise → sent",
	}, "\n")
	got, err := readme.Table([]byte(matrix))
	if err != nil {
		t.Fatal(err)
	}
	want := "| x | m, n | ✓ | tools left out | ✓? | as schema | refused | in prompt |\n"
	if !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant the last line\n%s", got, want)
	}
}

func TestTableRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	if _, err := readme.Table([]byte("nonsense\n")); err == nil {
		t.Error("no error")
	}
	if _, err := readme.Replace([]byte("no markers"), ""); err == nil {
		t.Error("no error")
	}
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestCodeIsFromExamples: every line of a Go block stands in an example, so it
// was compiled and run.
func TestCodeIsFromExamples(t *testing.T) {
	t.Parallel()
	code := make([]byte, 0, 16<<10)
	for _, path := range []string{"quickstart/main.go", "stream/main.go", "unittest/main_test.go", "errors/main.go", "first/main.go", "approval/main.go", "fallback/main.go"} {
		code = append(code, read(t, "../../examples/"+path)...)
	}
	known := map[string]bool{}
	for line := range bytes.Lines(code) {
		known[string(bytes.TrimSpace(line))] = true
	}
	blocks := goBlock.FindAllSubmatch(read(t, "../../README.md"), -1)
	if len(blocks) == 0 {
		t.Fatal("no Go block in README.md")
	}
	for _, block := range blocks {
		for line := range bytes.Lines(block[1]) {
			if s := string(bytes.TrimSpace(line)); !known[s] {
				t.Errorf("this line of README.md stands in no example: %s", s)
			}
		}
	}
}
