package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// declaredKinds are the names of the kinds that errors.go declares, in order.
func declaredKinds(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(f, func(node ast.Node) bool {
		if v, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Err") {
			names = append(names, v.Names[0].Name)
		}
		return true
	})
	return names
}

// TestKinds: no kind is forgotten in the list of them, and each is found by its
// name.
func TestKinds(t *testing.T) {
	t.Parallel()
	kinds := chat.Kinds()
	names := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		name := chat.KindName(fmt.Errorf("wrapped: %w", &chat.Error{Kind: kind}))
		names = append(names, name)
		if got := chat.KindByName(name); got != kind { //nolint:errorlint // compares the sentinels themselves
			t.Errorf("%q is %v, want %v", name, got, kind)
		}
	}
	if declared := declaredKinds(t); !slices.Equal(names, declared) {
		t.Errorf("listed are %q\ndeclared %q", names, declared)
	}
	if kind := chat.KindByName(""); kind != nil || chat.KindName(errors.New("bored")) != "" || chat.KindName(nil) != "" {
		t.Errorf("what is no kind is %v", kind)
	}
}

func TestErrorRoundTrip(t *testing.T) {
	t.Parallel()
	for _, kind := range append(chat.Kinds(), nil) {
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
