package wiretest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// Read is the content of a file below testdata.
func Read(tb testing.TB, path ...string) string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// Decoded is what a codec makes of a reply that must be one.
func Decoded(t *testing.T, c wire.Codec, body string) *chat.Reply {
	t.Helper()
	r, err := Reply(c, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
