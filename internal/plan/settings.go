package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// planSettings is rule 8: a wish that changes the answer is refused where the
// wire can't carry it; an extra that only costs is left out with a warning.
func (p *planner) planSettings() error {
	if p.Call.MaxTokens == 0 {
		p.Call.MaxTokens = p.Host.DefaultMaxTokens
	}
	if least := p.Host.MinMaxTokens; p.req.MaxTokens > 0 && p.req.MaxTokens < least {
		p.addWarning("MaxTokens", "raised to the least that is taken, %d", least)
		p.Call.MaxTokens = least
	}
	if err := p.planSampling(); err != nil {
		return err
	}
	if err := p.planMedia(); err != nil {
		return err
	}
	p.planMetadata()
	p.planCache()
	return nil
}

func (p *planner) planMetadata() {
	if len(p.req.Metadata) > 0 && !p.caps.Can.Has(profile.Metadata) {
		p.addWarning("Metadata", "left out: this engine takes none")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(p.req.Metadata)) {
		if keys := p.Host.MetadataKeys; keys != nil && !slices.Contains(keys, key) {
			p.addWarning(fmt.Sprintf("Metadata[%q]", key), "left out: this engine takes only %v", keys)
			continue
		}
		if p.Call.Metadata == nil {
			p.Call.Metadata = make(map[string]string, len(p.req.Metadata))
		}
		p.Call.Metadata[key] = p.req.Metadata[key]
	}
}

func (p *planner) planSampling() error {
	req := p.req
	if p.caps.Can.Has(profile.OneSampling) && req.Temperature != nil && req.TopP != nil &&
		!slices.Contains(req.Adapt.Drop, "TopP") && !slices.Contains(req.Adapt.Drop, "Temperature") {
		return p.refuse("Temperature with TopP", "this model takes one or the other", "leave one unset")
	}
	for _, f := range []struct {
		field string
		set   bool
		can   profile.Can
		place func()
	}{
		{"Temperature", req.Temperature != nil, profile.Temperature, func() { p.Call.Temperature = req.Temperature }},
		{"TopP", req.TopP != nil, profile.TopP, func() { p.Call.TopP = req.TopP }},
		{"Stop", len(req.Stop) > 0, profile.Stop, func() { p.Call.Stop = req.Stop }},
		{"Seed", req.Seed != nil, profile.Seed, func() { p.Call.Seed = req.Seed }},
	} {
		if !f.set {
			continue
		}
		why := p.whyNotTaken(f.can)
		if why == "" {
			f.place()
			continue
		}
		if p.dropIfPermitted(f.field, why) {
			continue
		}
		return p.refuse(f.field, why, "leave it unset", fmt.Sprintf("permit it with Adapt{Drop: []string{%q}}", f.field))
	}
	return nil
}

// whyNotTaken says why a sampling setting isn't taken; empty if it is.
func (p *planner) whyNotTaken(setting profile.Can) string {
	switch {
	case !p.caps.Can.Has(setting):
		return "this model does not take it"
	case setting&(profile.Temperature|profile.TopP) != 0 && p.think.on && p.caps.Thinking.NoSampling:
		return "not while the model thinks"
	case setting == profile.TopP && p.caps.Can.Has(profile.OneSampling) && p.Call.Temperature != nil,
		setting == profile.Temperature && p.caps.Can.Has(profile.OneSampling) && p.req.TopP != nil && slices.Contains(p.req.Adapt.Drop, "Temperature"):
		return "this model takes temperature or top_p, not both"
	}
	return ""
}

// planMedia refuses pictures, files and sounds that the wire can't carry.
func (p *planner) planMedia() error {
	for i, m := range p.req.Messages {
		if err := p.checkMediaParts(fmt.Sprintf("Messages[%d].Parts", i), m.Parts, 0); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) checkMediaParts(path string, parts []chat.Part, more profile.Can) error {
	for j, part := range parts {
		if r, ok := part.(chat.ToolResult); ok {
			if err := p.checkMediaParts(fmt.Sprintf("%s[%d].Parts", path, j), r.Parts, profile.ResultImages); err != nil {
				return err
			}
			continue
		}
		need, what := neededForMedia(part)
		if need.Has(profile.Images) {
			need |= more
		}
		if !p.caps.Can.Has(need) {
			return p.refuse(fmt.Sprintf("%s (%s[%d])", what, path, j), "this model takes none")
		}
	}
	return nil
}

// neededForMedia is what a part demands of a wire, and its name in a refusal.
func neededForMedia(part chat.Part) (need profile.Can, what string) {
	switch part := part.(type) {
	case chat.Image:
		if len(part.Data) == 0 {
			return profile.Images | profile.ImageURLs, "an image by its address"
		}
		return profile.Images, "an image"
	case chat.File:
		switch {
		case part.ID != "":
			return profile.Files | profile.FileIDs, "a file by its ID"
		case len(part.Data) == 0:
			return profile.Files | profile.FileURLs, "a file by its address"
		}
		return profile.Files, "a file"
	case chat.Audio:
		return profile.Audio, "audio"
	case chat.Text, chat.Thinking, chat.ToolCall, chat.ToolResult:
	}
	return 0, ""
}

func (p *planner) planCache() {
	c := p.req.Cache
	if c.IsZero() {
		return
	}
	marks := c.Auto || c.Tools || c.System || c.Messages > 0 || c.TTL > 0
	if marks && !p.caps.Can.Has(profile.CacheMarks) {
		p.addWarning("Cache", "left out: this engine's cache can't be marked")
		c = chat.PromptCache{Key: c.Key}
	}
	if c.TTL > 0 && c.TTL != 5*time.Minute && c.TTL != time.Hour {
		p.addWarning("Cache.TTL", "the cache keeps for 5 minutes or an hour: sent as the one below, at least 5 minutes")
	}
	if c.Key != "" && !p.caps.Can.Has(profile.CacheKey) {
		p.addWarning("Cache.Key", "left out: this engine has no cache key")
		c.Key = ""
	}
	if len(p.Call.Messages) != len(p.req.Messages) && c.Messages > 0 {
		p.addWarning("Cache.Messages", "left out: the history was rewritten, the mark would stand elsewhere")
		c.Messages = 0
	}
	p.Call.Cache = c
}

// placeExtraMembers places raw members, and refuses those that the planner owns: what
// was refused elsewhere is not smuggled in here.
func (p *planner) placeExtraMembers() error {
	for key := range p.req.Extra {
		if !p.isExtraKey(key) {
			return chat.Invalid(fmt.Sprintf("Extra[%q]", key), "is no dialect and no engine")
		}
	}
	for _, key := range []string{p.Host.Dialect.String(), p.Host.Name} {
		members := p.req.Extra[key]
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if isFixedMember(p.Host.Dialect, name, members[name]) {
				continue
			}
			path := fmt.Sprintf("Extra[%q][%q]", key, name)
			if field, owned := findOwner(p.Host.Dialect, name, members[name]); owned {
				return chat.Invalid(path, "is written by the planner: use "+field)
			}
			if !rawjson.Valid(members[name]) {
				return chat.Invalid(path, "is not JSON")
			}
			p.addExtra(name, members[name])
		}
	}
	return nil
}

// addExtra keeps the members sorted; the engine's own entry wins over the
// dialect's.
func (p *planner) addExtra(name string, value json.RawMessage) {
	at, found := slices.BinarySearchFunc(p.Call.Extra, name, func(m wire.Member, n string) int {
		switch {
		case m.Name < n:
			return -1
		case m.Name > n:
			return 1
		}
		return 0
	})
	if found {
		p.Call.Extra[at].Value = value
		return
	}
	p.Call.Extra = slices.Insert(p.Call.Extra, at, wire.Member{Name: name, Value: value})
}
