package core

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
)

// Rule is a refusal as a row: what a request must not have, for which models,
// and the provider's words about it.
type Rule struct {
	// Has is what the request has, all of it: names of members, and words that
	// its dialect has for more than one member; name:value is a member with that
	// value. The first is the member that the rule is about.
	Has string
	// Models are patterns of names, of which one matches, and Except of which
	// none does; empty: all models.
	Models, Except string
	// Claim is what the model's claims must say; empty: nothing.
	Claim claims.What
	// Is is the word of the claim where Test is IsWord.
	Is   string
	Test Test
	// Values are those that the member may have; nil: none.
	Values []string

	Status            int // 0: 400
	Type, Code, Param string
	// Message is the provider's. In it {model} is the model, {value} the
	// member's value, and {values} those that it may have.
	Message string
	// Source is where the rule was read, and when; empty: where the claim was.
	Source string
}

// Test is how a claim is held against a request.
type Test int

// The tests.
const (
	IsWord       Test = iota // the claim has the word Is
	LacksWord                // it has another, or there is no claim
	ListsMember              // its list has the member's name
	LacksValue               // its list hasn't the member's value
	ListsNothing             // its list is empty
)

// Traits are what a request has, with the values.
type Traits map[string]string

// Add adds a trait without a value where it holds.
func (t Traits) Add(name string, holds bool) {
	if holds {
		t[name] = ""
	}
}

// CheckRules finds the first rule that a request to a model breaks; nil: none.
func CheckRules(rules []Rule, facts claims.Facts, model string, traits Traits) *Refusal {
	for i := range rules {
		if r := &rules[i]; r.matches(facts, model, traits) {
			return r.refuse(facts, model, traits)
		}
	}
	return nil
}

func (r *Rule) member() string {
	first, _, _ := strings.Cut(r.Has, " ")
	name, _, _ := strings.Cut(first, ":")
	return name
}

func (r *Rule) matches(facts claims.Facts, model string, traits Traits) bool {
	for want := range strings.FieldsSeq(r.Has) {
		name, value, valued := strings.Cut(want, ":")
		got, ok := traits[name]
		if !ok || valued && got != value {
			return false
		}
	}
	if r.Models != "" && !matchesName(r.Models, model) || matchesName(r.Except, model) {
		return false
	}
	if r.Values != nil && slices.Contains(r.Values, traits[r.member()]) {
		return false
	}
	return r.Claim == "" || r.holds(facts, traits)
}

func matchesName(patterns, model string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		ok, err := path.Match(p, model)
		return ok && err == nil
	})
}

func (r *Rule) holds(facts claims.Facts, traits Traits) bool {
	words, known := facts.Words(r.Claim)
	switch r.Test {
	case ListsMember:
		return slices.Contains(words, r.member())
	case LacksValue:
		return known && !slices.Contains(words, traits[r.member()])
	case ListsNothing:
		return known && len(words) == 0
	case LacksWord:
		return facts.Is(r.Claim) != r.Is
	case IsWord:
	}
	return facts.Is(r.Claim) == r.Is
}

func (r *Rule) refuse(facts claims.Facts, model string, traits Traits) *Refusal {
	values := r.Values
	if r.Test == LacksValue {
		values, _ = facts.Words(r.Claim)
	}
	quote := ""
	if i := strings.Index(r.Message, "{values}"); i > 0 && strings.ContainsRune("'`", rune(r.Message[i-1])) {
		quote = r.Message[i-1 : i]
	}
	message := strings.NewReplacer(
		"{model}", model, "{value}", traits[r.member()], "{values}", strings.Join(values, quote+", "+quote),
	).Replace(r.Message)
	return &Refusal{
		Status: cmp.Or(r.Status, http.StatusBadRequest), Type: r.Type, Code: r.Code, Param: r.Param, Message: message,
	}
}
