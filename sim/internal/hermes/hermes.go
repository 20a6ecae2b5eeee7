package hermes

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

var (
	toolsTag    = regexp.MustCompile(`(?s)<tools>(.*?)</tools>`)
	responseTag = regexp.MustCompile(`(?s)<tool_response>(.*?)</tool_response>`)
	sentence    = regexp.MustCompile(`[^.!?\n]+[.!?]?`)
)

// ReadTask makes of a conversation in words what it wants: the tools of the
// system text, the results of the user's turns, and what is demanded of the
// next turn.
func ReadTask(task *core.Task, messages []core.TextMessage) {
	task.Tools, task.Results, task.Choice = nil, nil, core.Choice{}
	var standing core.Choice
	for _, m := range messages {
		switch m.Role {
		case "system", "developer":
			task.Tools = append(task.Tools, readTools(m.Text)...)
			readDemands(task, toolsTag.ReplaceAllString(m.Text, ""))
			standing = task.Choice
		case "user":
			readUser(task, m.Text)
		}
	}
	if task.Choice.Mode == core.ChoiceAuto && task.Choice.Allowed == nil {
		task.Choice = standing
	}
}

// readUser reads a turn of the user: results, words, and demands at its end.
func readUser(task *core.Task, text string) {
	task.Choice = core.Choice{}
	found := responseTag.FindAllStringSubmatch(text, -1)
	results := make([]core.Result, 0, len(found))
	for _, m := range found {
		results = append(results, readResult(m[1]))
	}
	text = readDemands(task, responseTag.ReplaceAllString(text, ""))
	if text = strings.TrimSpace(text); text != "" {
		task.Prompt, task.Results = text, nil
	}
	task.Results = append(task.Results, results...)
}

func readResult(raw string) core.Result {
	var r struct {
		Name    string          `json:"name"`
		Content json.RawMessage `json:"content"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(raw), &r) != nil {
		return core.Result{Text: strings.TrimSpace(raw)}
	}
	said := r.Content
	if !jsondoc.IsNull(r.Error) {
		said = r.Error
	}
	text, ok := jsondoc.Text(said)
	if !ok {
		text = string(said)
	}
	return core.Result{Tool: r.Name, Text: text, Failed: !jsondoc.IsNull(r.Error)}
}

// readTools reads the signatures between the tags: JSON objects that have the
// function in them, or are it.
func readTools(text string) []core.Tool {
	var out []core.Tool
	for _, m := range toolsTag.FindAllStringSubmatch(text, -1) {
		dec := json.NewDecoder(strings.NewReader(strings.TrimSpace(m[1])))
		for {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				break
			}
			var t core.FunctionTool
			if json.Unmarshal(raw, &t) != nil || t.Function == nil && json.Unmarshal(raw, &t.Function) != nil ||
				t.Function.Name == "" {
				continue
			}
			out = append(out, t.Function.Tool())
		}
	}
	return out
}

// readDemands takes what a text demands about calls, sentence by sentence, and
// returns the text without that.
func readDemands(task *core.Task, text string) string {
	return sentence.ReplaceAllStringFunc(text, func(s string) string {
		low := strings.ToLower(s)
		if !strings.Contains(low, "call") {
			return s
		}
		named := findNamed(task, s)
		switch {
		case strings.Contains(low, "without calling"):
			task.Choice.Mode = core.ChoiceNone
		case strings.Contains(low, "must be") && len(named) == 1:
			task.Choice.Mode, task.Choice.Name = core.ChoiceNamed, named[0]
		case strings.Contains(low, "must be"):
			task.Choice.Mode = core.ChoiceAny
		case strings.Contains(low, "only these functions"):
			task.Choice.Allowed = named
		case strings.Contains(low, "at most one function"):
		default:
			return s
		}
		return ""
	})
}

func findNamed(task *core.Task, text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.:;\"'`()\n", r) })
	names := []string{}
	for _, t := range task.Tools {
		if slices.Contains(words, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// WriteCalls writes the calls into the text, as such a model does. The wire says
// that it stopped.
func WriteCalls(out *core.Answer) {
	if len(out.Calls) == 0 {
		return
	}
	parts := make([]string, 0, len(out.Calls)+1)
	if out.Text != "" {
		parts = append(parts, out.Text)
	}
	for _, c := range out.Calls {
		args := string(c.Arguments)
		if args == "" {
			args = "{}"
		}
		parts = append(parts,
			"<tool_call>\n{\"name\": "+string(jsondoc.Quote(c.Name))+", \"arguments\": "+args+"}\n</tool_call>")
	}
	out.Text, out.Calls = strings.Join(parts, "\n"), nil
	if out.Finish == "tool_calls" {
		out.Finish = "stop"
	}
}
