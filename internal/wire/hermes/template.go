package hermes

import (
	"errors"
	"fmt"
	"strings"
)

// Template is how tools, calls and results are written. The zero value is the
// form of the Hermes models in words of ours; a field that is set replaces its
// part of that.
type Template struct {
	// Tools, Call, Response and Think name tags: "tools", "tool_call",
	// "tool_response" and "think". Calls inside of Think are thoughts.
	Tools, Call, Response, Think string
	// Prompt tells the model how to call. {{tools}} stands for the tools, one
	// JSON object per line; {{tools_tag}}, {{call_tag}} and {{response_tag}}
	// for the names of the tags.
	Prompt string
}

const defaultPrompt = `You can call functions to help with what the user asks for. Their signatures, one JSON object per line, stand between <{{tools_tag}}> and </{{tools_tag}}>:
<{{tools_tag}}>
{{tools}}
</{{tools_tag}}>
To call a function, write one JSON object with its name and its arguments between <{{call_tag}}> and </{{call_tag}}>. For several calls, repeat that. Take arguments from the conversation only, as the function's parameters describe them; ask for what is missing.
<{{call_tag}}>
{"name": "the function's name", "arguments": {"parameter": "value"}}
</{{call_tag}}>
The results come with the next message, between <{{response_tag}}> and </{{response_tag}}>. Don't write results yourself.`

const toolsHole = "{{tools}}"

// withDefaults fills in what wasn't set.
func (t Template) withDefaults() Template {
	for _, f := range []struct {
		field *string
		value string
	}{
		{&t.Tools, "tools"},
		{&t.Call, "tool_call"},
		{&t.Response, "tool_response"},
		{&t.Think, "think"},
		{&t.Prompt, defaultPrompt},
	} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
	return t
}

// checkTags refuses a template, defaults filled in, that can't be read back.
func (t Template) checkTags() error {
	names := map[string]bool{}
	for _, name := range []string{t.Tools, t.Call, t.Response, t.Think} {
		if strings.ContainsAny(name, "<>/\" \t\r\n") {
			return fmt.Errorf("%q can't be the name of a tag", name)
		}
		names[name] = true
	}
	if len(names) < 4 {
		return errors.New("two tags of the template have the same name")
	}
	if !strings.Contains(t.Prompt, toolsHole) {
		return errors.New("the template's prompt has no place for the tools: " + toolsHole)
	}
	return nil
}

func (t Template) fillPrompt(tools string) string {
	return strings.NewReplacer(
		toolsHole, tools, "{{tools_tag}}", t.Tools, "{{call_tag}}", t.Call, "{{response_tag}}", t.Response,
	).Replace(t.Prompt)
}

func openingTag(name string) string { return "<" + name + ">" }
func closingTag(name string) string { return "</" + name + ">" }

// makeGuard keeps JSON from holding one of the template's tags, which would end
// what it stands in. In JSON a "<" can only be inside a string.
func (t Template) makeGuard() *strings.Replacer {
	var pairs []string
	for _, name := range []string{t.Tools, t.Call, t.Response} {
		for _, tag := range []string{openingTag(name), closingTag(name)} {
			pairs = append(pairs, tag, `\u003c`+tag[1:])
		}
	}
	return strings.NewReplacer(pairs...)
}
