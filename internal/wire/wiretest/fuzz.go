package wiretest

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// Seeds are the contents of all files below dir whose names start with prefix.
func Seeds(tb testing.TB, dir, prefix string) [][]byte {
	tb.Helper()
	var out [][]byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), prefix) {
			return err
		}
		b, err := os.ReadFile(path) //nolint:gosec // test data of the package under test
		out = append(out, b)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// FuzzEvents feeds arbitrary streams to DecodeEvent: no panic, every error
// typed, and events that agree with the reply.
func FuzzEvents(f *testing.F, c wire.Codec, dir string) {
	f.Helper()
	for _, b := range Seeds(f, dir, "stream.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		reply, events, err := Stream(c, strings.NewReader(string(body)))
		if err != nil {
			checkTyped(t, err)
			return
		}
		if err := checkConsistent(events, reply); err != nil {
			t.Error(err)
		}
		if _, err := reply.Message().MarshalJSON(); err != nil {
			t.Errorf("reply can't be stored: %v", err)
		}
	})
}

// FuzzReply feeds arbitrary bodies to DecodeReply, and as the only frame of a
// stream to DecodeEvent.
func FuzzReply(f *testing.F, c wire.Codec, dir string) {
	f.Helper()
	for _, b := range Seeds(f, dir, "reply.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if reply, err := Reply(c, body); err != nil {
			checkTyped(t, err)
		} else if reply == nil {
			t.Error("neither reply nor error")
		}
		if err := c.DecodeEvent(wire.NewAssembly(wire.Limits{}), frame.Frame{Data: body}); err != nil {
			checkTyped(t, err)
		}
	})
}

// FuzzError feeds arbitrary bodies to DecodeError.
func FuzzError(f *testing.F, c wire.Codec, dir string) {
	f.Helper()
	for i, b := range Seeds(f, dir, "error.") {
		f.Add(400+i%130, b)
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := c.DecodeError(status, http.Header{}, body)
		if e == nil || e.Kind == nil || e.Status != status {
			t.Errorf("status %d: %+v", status, e)
		}
	})
}

func checkTyped(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		t.Fatalf("not a *chat.Error: %v", err)
	}
	if e.Kind == nil {
		t.Errorf("no kind: %v", err)
	}
}
