package cassette

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/redact"
)

// secretNames are members that hold secrets, in letters only.
const secretNames = `api[_-]?key|x[_-]api[_-]?key|x[_-]goog[_-]api[_-]?key|(?:proxy[_-])?authorization|passw(?:or)?d|` +
	`(?:client[_-]?)?secret|(?:secret[_-])?access[_-]?key|(?:access|refresh|id|session|auth|bearer)[_-]?token|private[_-]?key`

// The forms of secrets. Each leaves "[redacted]" alone, so that to scrub twice
// is to scrub once.
var (
	secretMember = regexp.MustCompile(`(?i)^(?:` + secretNames + `)$`)
	secretKey    = regexp.MustCompile(strings.Join([]string{
		`\bsk-[A-Za-z0-9_-]{16,}`,                                    // OpenAI, Anthropic, DeepSeek, …
		`\b(?:gsk|xai|pplx|hf|csk|fw|nvapi)[_-][A-Za-z0-9_-]{16,}`,   // Groq, xAI, Perplexity, …
		`\bAIza[A-Za-z0-9_-]{30,}`,                                   // Google
		`\bya29\.[A-Za-z0-9_.-]{16,}`,                                // Google, OAuth
		`\bA(?:KI|SI)A[A-Z0-9]{16}\b`,                                // AWS
		`\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}`,               // GitHub
		`\bxox[abprs]-[A-Za-z0-9-]{10,}`,                             // Slack
		`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+`,  // JSON Web Token
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*KEY`, // PEM
	}, "|"))
	secretAfter = []struct {
		form *regexp.Regexp
		with string // what stands around it is kept
	}{
		{regexp.MustCompile(`(?i)(\b(?:bearer|basic) +)[A-Za-z0-9._~+/=-]{16,}`), "${1}" + redact.Mark},
		{regexp.MustCompile(`(://)[^\s/@:"]*:[^\s/@"]+@`), "${1}" + redact.Mark + "@"},
		{regexp.MustCompile(`(?i)([?&](?:key|sig|signature|token|x-amz-[a-z-]+|` + secretNames + `)=)[^&\s"'<>()\[\]]+`), "${1}" + redact.Mark},
		{regexp.MustCompile(`(?i)("(?:` + secretNames + `)"\s*:\s*")(?:[^"\\]|\\.)+`), "${1}" + redact.Mark},
	}
)

// scrubber takes secrets out of what is written and of what is looked up.
type scrubber struct {
	secrets redact.Secrets
	own     func(string) string
	// numbers: they are scrubbed, too, being none of the recording's own.
	numbers bool
}

func (c *Tape) scrubber() scrubber {
	return scrubber{secrets: redact.New(c.Secrets), own: c.Scrub}
}

// text scrubs one text. One that is itself JSON, such as a call's arguments, is
// scrubbed member by member, and stays as it is if there is nothing to scrub.
func (s scrubber) text(text string) string {
	s.numbers = true
	inner, isJSON := decodeTree([]byte(text))
	if isJSON {
		before := encodeTree(inner)
		if after := encodeTree(s.value(inner)); !bytes.Equal(before, after) {
			text = string(after)
		}
	}
	text = s.secrets.Strike(text)
	text = secretKey.ReplaceAllString(text, redact.Mark)
	for _, after := range secretAfter {
		text = after.form.ReplaceAllString(text, after.with)
	}
	if s.own != nil && !isJSON {
		text = s.own(text)
	}
	return text
}

// tree is a value as a tree of JSON without secrets, and as text with its
// members in order.
func (s scrubber) tree(v any) (any, []byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	tree, _ := decodeTree(raw)
	tree = s.value(tree)
	return tree, encodeTree(tree), nil
}

// line is a recording as it is written.
func (s scrubber) line(r *recording) ([]byte, error) {
	doc, _, err := s.name(r.Asked)
	if err != nil {
		return nil, err
	}
	tree, _, err := s.tree(r)
	if members, ok := tree.(map[string]any); ok {
		members["asked"] = doc
	}
	return encodeTree(tree), err
}

// decodeTree reads an object or a list; false if it is neither.
func decodeTree(raw []byte) (tree any, ok bool) {
	if begin := bytes.TrimLeft(raw, " \t\r\n"); len(begin) == 0 || begin[0] != '{' && begin[0] != '[' || !json.Valid(raw) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err := d.Decode(&tree)
	return tree, err == nil
}

func encodeTree(tree any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // it is read by people
	_ = e.Encode(tree)     // it came from JSON
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// name is a request in the form in which it is looked up.
func (s scrubber) name(a *asked) (doc any, name string, err error) {
	s.numbers = true
	doc, text, err := s.tree(a)
	return doc, string(text), err
}

func (s scrubber) value(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case json.Number:
		if s.numbers && s.secrets.In(v.String()) {
			return redact.Mark
		}
	case []any:
		for i := range v {
			v[i] = s.value(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, member := range v {
			if s.scalar(member) && secretMember.MatchString(name) {
				member = redact.Mark
			}
			clean[s.text(name)] = s.value(member)
		}
		return clean
	}
	return v
}

// scalar reports whether a member can be a secret, and no description of one.
func (s scrubber) scalar(member any) bool {
	switch member.(type) {
	case string:
		return true
	case json.Number:
		return s.numbers
	}
	return false
}

// events are a stream's, ready to be written. A secret can come in several
// pieces: then all pieces of that text are written as one.
func (s scrubber) events(events []chat.Event) []eventJSON {
	texts := make(map[eventJSON]*strings.Builder) // by what is being told
	stored := make([]eventJSON, len(events))
	for i, ev := range events {
		stored[i] = storeEvent(ev)
		if of := told(stored[i]); of.Type != "" {
			if texts[of] == nil {
				texts[of] = new(strings.Builder)
			}
			_, _ = texts[of].WriteString(stored[i].Text)
		}
	}
	clean := make(map[eventJSON]string)
	for of, b := range texts {
		if text := s.text(b.String()); text != b.String() {
			clean[of] = text
		}
	}
	out := stored[:0]
	for _, ev := range stored {
		if text, changed := clean[told(ev)]; changed {
			if text == "" {
				continue
			}
			ev.Text, clean[told(ev)] = text, ""
		}
		out = append(out, ev)
	}
	return out
}

// told says of a delta which text it belongs to; zero: it is none.
func told(ev eventJSON) eventJSON {
	switch ev.Type {
	case "text", "thinking", "call_delta":
		return eventJSON{Type: ev.Type, Index: ev.Index}
	}
	return eventJSON{}
}
