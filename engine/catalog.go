package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

// Entry is one engine of the catalog.
type Entry struct {
	Profile profile.Profile
	New     func(Config) Engine
}

// Catalog lists all engines, by name. The README's table, the truth table and
// the integration tests run over it, so a new provider is covered by its line
// here.
// Changing an entry changes no engine.
func Catalog() []Entry {
	entries := []Entry{
		{akiProfile, func(c Config) Engine { return NewAKI(c) }},
		{akiOpenAI, func(c Config) Engine { return NewAKIOpenAI(c) }},
		{anthropicProfile, func(c Config) Engine { return NewAnthropic(c) }},
		{bedrock, func(c Config) Engine { return NewBedrock(c) }},
		{cohere, func(c Config) Engine { return NewCohere(c) }},
		{deepSeek, func(c Config) Engine { return NewDeepSeek(c) }},
		{geminiProfile, func(c Config) Engine { return NewGemini(c) }},
		{groq, func(c Config) Engine { return NewGroq(c) }},
		{hermesProfile, func(c Config) Engine { return NewHermes(HermesConfig{Config: c}) }},
		{mistral, func(c Config) Engine { return NewMistral(c) }},
		{nousResearch, func(c Config) Engine { return NewNousResearch(c) }},
		{ollamaProfile, func(c Config) Engine { return NewOllama(c) }},
		{ollamaOpenAI, func(c Config) Engine { return NewOllamaOpenAI(c) }},
		{openAI, func(c Config) Engine { return NewOpenAI(c) }},
		{openAICompatible, func(c Config) Engine { return NewOpenAICompatible(c) }},
		{openAIResponses, func(c Config) Engine { return NewOpenAIResponses(c) }},
		{perplexity, func(c Config) Engine { return NewPerplexity(c) }},
		{vertex(), func(c Config) Engine { return NewVertex(c) }},
	}
	for i := range entries {
		entries[i].Profile = entries[i].Profile.Clone()
	}
	return entries
}

// isExtraKey reports whether a key of chat.Request.Extra names a dialect or an
// engine.
func isExtraKey(key string) bool {
	return slices.ContainsFunc(Catalog(), func(e Entry) bool {
		return e.Profile.Name == key || e.Profile.Dialect.String() == key
	})
}

// New returns the engine of that name in the [Catalog]. An unknown name is an
// error of kind chat.ErrInvalid that lists the known ones.
func New(name string, cfg Config) (Engine, error) {
	all := Catalog()
	if i := slices.IndexFunc(all, func(e Entry) bool { return e.Profile.Name == name }); i >= 0 {
		return all[i].New(cfg), nil
	}
	known := make([]string, len(all))
	for i, e := range all {
		known[i] = e.Profile.Name
	}
	return nil, chat.Invalid("name", fmt.Sprintf("no engine %q; there are %s", name, strings.Join(known, ", ")))
}

// nativeChoice is the support of a provider that keeps every choice.
var nativeChoice = profile.ChoiceSupport{Auto: profile.Native, Any: profile.Native, None: profile.Native, Named: profile.Native}

// thinksNever is the support of a model that does not think.
var thinksNever = profile.ThinkingSupport{State: profile.ThinksNever}
