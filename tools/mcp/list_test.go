package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

func tool(name, rest string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}%s}`, name, rest)
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 64)
	for name, tt := range map[string]struct {
		prefix string
		tools  []string
		want   []string
	}{
		"as they are":          {"", []string{"a", "b-c_D9"}, []string{"a", "b-c_D9"}},
		"with a prefix":        {"fs_", []string{"read"}, []string{"fs_read"}},
		"not legal":            {"", []string{"files.read", "größe"}, []string{"files_read", "gr__e"}},
		"the same when legal":  {"", []string{"a.b", "a_b", "a b"}, []string{"a_b_2e7336dc", "a_b", "a_b_c8687a08"}},
		"in another order":     {"", []string{"a_b", "a b", "a.b"}, []string{"a_b", "a_b_c8687a08", "a_b_2e7336dc"}},
		"too long":             {"p", []string{long}, []string{"p" + long[:54] + "_ce068a19"}},
		"just not too long":    {"", []string{long}, []string{long}},
		"a prefix not allowed": {"a/", []string{"x"}, []string{"a_x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := make([]string, len(tt.tools))
			for i, n := range tt.tools {
				entries[i] = tool(n, "")
			}
			set := setOf(t, open(t, mcp.Config{
				Prefix: tt.prefix, Transport: listing(`"result":{"content":[]}`, strings.Join(entries, ",")),
			}))
			if got := set.Names(); !slices.Equal(got, tt.want) {
				t.Errorf("names %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNamesMapBack: the server is asked by its own name.
func TestNamesMapBack(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Config{Prefix: "far_", Transport: script(func(method string, params json.RawMessage) string {
		if method != "tools/call" {
			return answer(method, tool("files.read", ""))
		}
		return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, params)
	})})
	got := run(t.Context(), setOf(t, s), "far_files_read", `{"id":9007199254740993,"b":1,"a":2}`)
	if got != `{"name":"files.read","arguments":{"id":9007199254740993,"b":1,"a":2}}` {
		t.Errorf("the server got %s", got)
	}
}

func TestSkipped(t *testing.T) {
	t.Parallel()
	page := strings.Join([]string{
		tool("good", ""),
		`{"name":"no schema"}`,
		`{"name":"no-object","inputSchema":{"type":"string"}}`,
		`{"name":"bad-schema","inputSchema":{"type":"object","properties":{"a":{"type":"x"}}}}`,
		tool("good", `,"description":"again"`),
		`null`,
		tool("task", `,"execution":{"taskSupport":"required"}`),
		tool("may-task", `,"execution":{"taskSupport":"optional"}`),
		`{"name":"header","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}`,
		tool("unwanted", ""),
	}, ",")
	s := open(t, mcp.Config{
		Transport: listing("", page),
		Filter:    func(t *sdkTool) bool { return t.Name != "unwanted" },
	})
	if got, want := setOf(t, s).Names(), []string{"good", "may-task"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	want := []string{
		`no schema: tool "no_schema": schema: `,
		`no-object: tool "no-object": schema: type: arguments are an object`,
		`bad-schema: tool "bad-schema": schema: properties.a.type: unknown type`,
		`good: the name occurs twice`,
		`: the entry is empty`,
		`task: it only runs as a task`,
		`header: its x-mcp-header annotations are not valid`,
	}
	skipped := s.Skipped()
	if len(skipped) != len(want) {
		t.Fatalf("skipped %v", skipped)
	}
	for i, k := range skipped {
		if got := k.Name + ": " + k.Err.Error(); !strings.HasPrefix(got, want[i]) {
			t.Errorf("skipped %q, want %q", got, want[i])
		}
	}
}

// TestNameTaken: a server can't spoil a set with a name that is made of another.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	page := strings.Join([]string{tool("a.b", ""), tool("a_b", ""), tool("a_b_2e7336dc", "")}, ",")
	s := open(t, mcp.Config{Transport: listing("", page)})
	if got, want := setOf(t, s).Names(), []string{"a_b_2e7336dc", "a_b"}; !slices.Equal(got, want) || len(s.Skipped()) != 1 {
		t.Errorf("names %q, want %q; skipped %v", got, want, s.Skipped())
	}
}

// TestDefinitionsAreTheServersWords: the SDK would sort the members and round
// the number.
func TestDefinitionsAreTheServersWords(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"string","description":"a < b"}},"required":["z"]}`
	page := `{"name":"t","title":"Title","inputSchema":` + schema + `},` + tool("u", `,"title":"T","description":"D"`)
	defs := setOf(t, open(t, mcp.Config{Transport: listing("", page)})).Defs()
	if string(defs[0].Schema) != schema {
		t.Errorf("schema %s", defs[0].Schema)
	}
	if defs[0].Description != "Title" || defs[1].Description != "D" {
		t.Errorf("descriptions %q, %q", defs[0].Description, defs[1].Description)
	}
}

func TestDefaultOptions(t *testing.T) {
	t.Parallel()
	page := strings.Join([]string{
		tool("silent", ""),
		tool("reads", `,"annotations":{"readOnlyHint":true}`),
		tool("repeats", `,"annotations":{"idempotentHint":true}`),
		tool("destroys", `,"annotations":{"destructiveHint":true}`),
	}, ",")
	set := setOf(t, open(t, mcp.Config{Transport: listing("", page)}))
	for name, want := range map[string]tools.Options{
		"silent": {SideEffects: true}, "reads": {}, "repeats": {}, "destroys": {SideEffects: true},
	} {
		if tool, _ := set.Lookup(name); !reflect.DeepEqual(tool.Options, want) {
			t.Errorf("%s: %+v, want %+v", name, tool.Options, want)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Config{Transport: listing("", tool("a", "")+","+tool("b", ""), tool("c", ""), "", tool("d", ""))})
	if got := setOf(t, s).Names(); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("names %q", got)
	}
}

func TestListsThatFail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ answer, want string }{
		"in a circle": {`"result":{"tools":[],"nextCursor":"x"}`, "mcp: server: the list of tools goes round in a circle"},
		"an error":    {`"error":{"code":-32603,"message":"out\u001b[2J of\norder"}`, "mcp: server: list tools: the server says: out[2J of order (-32603)"},
		"unreadable":  {`"result":{"tools":[{"name":1}]}`, "list tools: the answer can't be read"},
		"none at all": {"", "the server closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, mcp.Config{Transport: script(func(method string, _ json.RawMessage) string {
				if method == "tools/list" {
					return tt.answer
				}
				return answer(method, "")
			})})
			if _, err := s.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestListsWithoutEnd: a server that goes on with its list is left after few pages.
func TestListsWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		page string
		want string
	}{
		"in a wide circle": {"", "mcp: server: the list of tools goes round in a circle"},
		"too large":        {tool("a", `,"description":"`+strings.Repeat("x", 600_000)+`"`), "mcp: server: the list of tools is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := 0
			s := open(t, mcp.Config{MaxResult: 1, Transport: script(func(method string, _ json.RawMessage) string {
				if method != "tools/list" {
					return answer(method, "")
				}
				pages++
				return strings.TrimSuffix(answer(method, tt.page), "}") + fmt.Sprintf(`,"nextCursor":"%d"}`, pages%3)
			})})
			if _, err := s.Tools(t.Context()); err == nil || err.Error() != tt.want || pages > 4 {
				t.Errorf("error %v after %d pages, want %q", err, pages, tt.want)
			}
		})
	}
}

// TestNoTools: a server may have none to begin with.
func TestNoTools(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Config{Transport: script(func(method string, _ json.RawMessage) string {
		if method == "initialize" {
			return `"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"},"instructions":"Be kind."}`
		}
		return `"error":{"code":-32601,"message":"Method not found"}`
	})})
	if names := setOf(t, s).Names(); len(names) > 0 {
		t.Errorf("names %q", names)
	}
	if got, err := s.Instructions(t.Context()); err != nil || got != "Be kind." {
		t.Errorf("instructions %q, %v", got, err)
	}
}

func TestConfigs(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]mcp.Config{
		"nothing":       {},
		"two":           {URL: "http://localhost", Command: []string{"x"}},
		"no scheme":     {URL: "localhost:3000"},
		"no host":       {URL: "http:///mcp"},
		"nil transport": {Transport: func(context.Context) (sdk.Transport, error) { return nil, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := mcp.Connect(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), ": config: ") {
				t.Errorf("error %v", err)
			}
		})
	}
}
