package core_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
)

// TestRule holds one request against rules that differ in one thing each.
func TestRule(t *testing.T) {
	t.Parallel()
	facts := claims.Facts{
		claims.Tools:   {Is: "refused_while_thinking"},
		claims.Efforts: {Words: []string{"low", "high"}},
		claims.Refused: {Words: []string{"stop"}},
		claims.Aliases: {Words: []string{}},
	}
	traits := core.Traits{"effort": "max", "stop": "", "tools": "", "mode": "ANY"}
	for _, c := range []struct {
		name string
		rule core.Rule
		want string // empty: it isn't broken
	}{
		{"what the request has", core.Rule{Has: "tools stop", Message: "no"}, "no"},
		{"what it hasn't", core.Rule{Has: "tools seed", Message: "no"}, ""},
		{"a member's value", core.Rule{Has: "mode:ANY", Message: "no {value}"}, "no ANY"},
		{"another value", core.Rule{Has: "mode:NONE", Message: "no"}, ""},
		{"a model's name", core.Rule{Has: "stop", Models: "o3* gpt-*", Message: "{model}"}, "gpt-5"},
		{"another model's name", core.Rule{Has: "stop", Models: "o3*", Message: "no"}, ""},
		{"all but one", core.Rule{Has: "stop", Except: "o3*", Message: "no"}, "no"},
		{"the one", core.Rule{Has: "stop", Except: "gpt-*", Message: "no"}, ""},
		{"a value that may be had", core.Rule{Has: "effort", Values: []string{"max"}, Message: "no"}, ""},
		{"one that may not", core.Rule{Has: "effort", Values: []string{"a", "b"}, Message: "'{values}'"}, "'a', 'b'"},
		{"a claim's word", core.Rule{Has: "tools", Claim: claims.Tools, Is: "refused_while_thinking", Message: "no"}, "no"},
		{"another word", core.Rule{Has: "tools", Claim: claims.Tools, Is: "refused", Message: "no"}, ""},
		{"no such word", core.Rule{Has: "tools", Claim: claims.Tools, Is: "taken", Test: core.LacksWord, Message: "no"}, "no"},
		{"nothing is claimed", core.Rule{Has: "tools", Claim: claims.Any, Is: "taken", Test: core.LacksWord, Message: "no"}, "no"},
		{"a listed member", core.Rule{Has: "stop", Claim: claims.Refused, Test: core.ListsMember, Message: "no"}, "no"},
		{"one that isn't listed", core.Rule{Has: "tools", Claim: claims.Refused, Test: core.ListsMember, Message: "no"}, ""},
		{"a value that isn't listed", core.Rule{
			Has: "effort", Claim: claims.Efforts, Test: core.LacksValue, Message: "`{values}`, not {value}",
		}, "`low`, `high`, not max"},
		{"no list", core.Rule{Has: "effort", Claim: claims.Inputs, Test: core.LacksValue, Message: "no"}, ""},
		{"an empty list", core.Rule{Has: "effort", Claim: claims.Aliases, Test: core.ListsNothing, Message: "no"}, "no"},
		{"a list", core.Rule{Has: "effort", Claim: claims.Efforts, Test: core.ListsNothing, Message: "no"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := core.CheckRules([]core.Rule{c.rule}, facts, "gpt-5", traits)
			switch {
			case f == nil && c.want != "":
				t.Errorf("not refused, want %q", c.want)
			case f != nil && (f.Message != c.want || f.Status != 400):
				t.Errorf("refused with %d %q, want %q", f.Status, f.Message, c.want)
			}
		})
	}
}
