package sim

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

var (
	toolsTag    = regexp.MustCompile(`(?s)<tools>(.*?)</tools>`)
	responseTag = regexp.MustCompile(`(?s)<tool_response>(.*?)</tool_response>`)
	sentence    = regexp.MustCompile(`[^.!?\n]+[.!?]?`)
)

// readTextTask makes of a conversation in words what it wants: the tools of the
// system text, the results of the user's turns, and what is demanded of the
// next turn.
func readTextTask(a *ask, messages []textMessage) {
	a.tools, a.results, a.choice = nil, nil, choice{}
	var standing choice
	for _, m := range messages {
		switch m.role {
		case "system", "developer":
			a.tools = append(a.tools, toolsIn(m.text)...)
			obeyText(a, toolsTag.ReplaceAllString(m.text, ""))
			standing = a.choice
		case "user":
			readUserText(a, m.text)
		}
	}
	if a.choice.mode == choiceAuto && a.choice.allowed == nil {
		a.choice = standing
	}
}

// readUserText reads a turn of the user: results, words, and demands at its end.
func readUserText(a *ask, text string) {
	a.choice = choice{}
	found := responseTag.FindAllStringSubmatch(text, -1)
	results := make([]result, 0, len(found))
	for _, m := range found {
		results = append(results, resultIn(m[1]))
	}
	text = obeyText(a, responseTag.ReplaceAllString(text, ""))
	if text = strings.TrimSpace(text); text != "" {
		a.prompt, a.results = text, nil
	}
	a.results = append(a.results, results...)
}

func resultIn(raw string) result {
	var r struct {
		Name    string          `json:"name"`
		Content json.RawMessage `json:"content"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(raw), &r) != nil {
		return result{text: strings.TrimSpace(raw)}
	}
	said := r.Content
	if !jsondoc.IsNull(r.Error) {
		said = r.Error
	}
	text, ok := jsondoc.Text(said)
	if !ok {
		text = string(said)
	}
	return result{tool: r.Name, text: text, failed: !jsondoc.IsNull(r.Error)}
}

// toolsIn are the signatures between the tags: JSON objects, with the function
// in them or being it.
func toolsIn(text string) []tool {
	var out []tool
	for _, m := range toolsTag.FindAllStringSubmatch(text, -1) {
		dec := json.NewDecoder(strings.NewReader(strings.TrimSpace(m[1])))
		for {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				break
			}
			var t functionTool
			if json.Unmarshal(raw, &t) != nil || t.Function == nil && json.Unmarshal(raw, &t.Function) != nil || t.Function.Name == "" {
				continue
			}
			out = append(out, t.Function.tool())
		}
	}
	return out
}

// obeyText takes what a text demands about calls, sentence by sentence, and
// returns the text without that.
func obeyText(a *ask, text string) string {
	return sentence.ReplaceAllStringFunc(text, func(s string) string {
		low := strings.ToLower(s)
		if !strings.Contains(low, "call") {
			return s
		}
		named := findNamed(a, s)
		switch {
		case strings.Contains(low, "without calling"):
			a.choice.mode = choiceNone
		case strings.Contains(low, "must be") && len(named) == 1:
			a.choice.mode, a.choice.name = choiceNamed, named[0]
		case strings.Contains(low, "must be"):
			a.choice.mode = choiceAny
		case strings.Contains(low, "only these functions"):
			a.choice.allowed = named
		case strings.Contains(low, "at most one function"):
		default:
			return s
		}
		return ""
	})
}

// findNamed are the tools that a text names.
func findNamed(a *ask, text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.:;\"'`()\n", r) })
	names := []string{}
	for _, t := range a.tools {
		if slices.Contains(words, t.name) {
			names = append(names, t.name)
		}
	}
	return names
}

// writeTextCalls writes the calls into the text, as such a model does. The wire says
// that it stopped.
func writeTextCalls(out *answer) {
	if len(out.calls) == 0 {
		return
	}
	parts := make([]string, 0, len(out.calls)+1)
	if out.text != "" {
		parts = append(parts, out.text)
	}
	for _, c := range out.calls {
		args := string(c.Arguments)
		if args == "" {
			args = "{}"
		}
		parts = append(parts, "<tool_call>\n{\"name\": "+string(jsondoc.Quote(c.Name))+", \"arguments\": "+args+"}\n</tool_call>")
	}
	out.text, out.calls = strings.Join(parts, "\n"), nil
	if out.finish == "tool_calls" {
		out.finish = "stop"
	}
}
