package chat_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// sentinels are the kinds that errors.go declares, so that none is forgotten.
func sentinels(t *testing.T) int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		if v, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Err") {
			n++
		}
		return true
	})
	return n
}

func TestErrorRoundTrip(t *testing.T) {
	t.Parallel()
	kinds := []error{
		chat.ErrInvalid, chat.ErrUnsupported, chat.ErrAuth, chat.ErrNotFound, chat.ErrBadRequest, chat.ErrTooLong,
		chat.ErrFiltered, chat.ErrQuota, chat.ErrRateLimited, chat.ErrOverloaded, chat.ErrServer, chat.ErrNetwork,
		chat.ErrBadReply, chat.ErrMalformedCall, chat.ErrTruncated, chat.ErrStreamUsed, chat.ErrToolChoiceUnmet, chat.ErrOutputUnmet,
	}
	if n := sentinels(t); n != len(kinds) {
		t.Errorf("%d kinds are declared, and %d tested", n, len(kinds))
	}
	for _, kind := range append(kinds, nil) {
		in := chat.Error{
			Kind: kind, Engine: "groq", Model: "m", Status: 429, Type: "t", Code: "c", Param: "p", Message: "slow down",
			RequestID: "r", RetryAfter: 3 * time.Second, Retryable: true, Attempts: 2, Err: errors.New("reset"),
			Reply: &chat.Reply{Parts: []chat.Part{chat.Text{Text: "half"}}},
		}
		raw, err := json.Marshal(&in)
		if err != nil {
			t.Fatal(err)
		}
		var out chat.Error
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		for v, i := reflect.ValueOf(out), 0; i < v.NumField(); i++ {
			if v.Field(i).IsZero() && (v.Type().Field(i).Name != "Kind" || kind != nil) {
				t.Errorf("%s is lost", v.Type().Field(i).Name)
			}
		}
		if out.Error() != in.Error() || kind != nil && !errors.Is(&out, kind) || !reflect.DeepEqual(out.Reply, in.Reply) {
			t.Errorf("%v became %v", &in, &out)
		}
	}
	var foreign chat.Error
	if err := json.Unmarshal([]byte(`{"kind":"bored","message":"so"}`), &foreign); err != nil || foreign.Error() != "bored: so" {
		t.Errorf("a foreign kind was read as %v, %v", &foreign, err)
	}
}
