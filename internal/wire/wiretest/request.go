package wiretest

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/wire"
)

// Encode spells a call. The body must be JSON, and the same when the call is
// spelled again.
func Encode(t *testing.T, c wire.Codec, call wire.Call) wire.Encoded {
	t.Helper()
	e, err := c.EncodeRequest(call)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(e.Body) {
		t.Fatalf("not JSON: %s", e.Body)
	}
	again, err := c.EncodeRequest(call)
	if err != nil || !bytes.Equal(again.Body, e.Body) {
		t.Errorf("encoded again: %s, %v; first: %s", again.Body, err, e.Body)
	}
	return e
}

// Exception is a request in testdata that sabir doesn't send, or not like that.
type Exception struct {
	Why string
	// Change makes it what sabir sends; nil: there is no call for it.
	Change func(t *testing.T, request any)
}

// Requests compares what a codec makes of calls with the files of the same
// names in testdata/requests. Each file needs a call or an exception.
func Requests(t *testing.T, c wire.Codec, calls map[string]wire.Call, except map[string]Exception) {
	t.Helper()
	files, err := os.ReadDir("testdata/requests")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".json")
		ex, odd := except[name]
		if odd && ex.Change == nil {
			continue
		}
		call, ok := calls[name]
		if !ok {
			t.Errorf("no call for %s", f.Name())
			continue
		}
		compared++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := Tree(t, Read(t, "requests", f.Name()))
			if odd {
				t.Logf("changed: %s", ex.Why)
				ex.Change(t, want)
			}
			got := Encode(t, c, call).Body
			if !reflect.DeepEqual(Tree(t, string(got)), want) {
				w, _ := json.Marshal(want)
				t.Errorf("\n got %s\nwant %s", got, w)
			}
		})
	}
	if compared != len(calls) {
		t.Errorf("%d of %d calls have a request in testdata", compared, len(calls))
	}
}

// Extra are members, given as names and values in turn.
func Extra(pairs ...string) []wire.Member {
	var out []wire.Member
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, wire.Member{Name: pairs[i], Value: json.RawMessage(pairs[i+1])})
	}
	return out
}
