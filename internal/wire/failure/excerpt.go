package failure

import (
	"bytes"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
)

// Limits on the texts of an error, in bytes. A text is kept long until secrets
// were struck out of it: half of a key would not be found. Only then is it cut
// to what is shown.
const (
	readLimit    = 64 << 10
	messageLimit = 4 << 10
	excerptLimit = 200 // of a reply that can't be read: it may hold anything
	titleLimit   = 16 << 10
)

// Finish strikes secrets out of an error's texts by redact, and then cuts them.
func Finish(e *chat.Error, redact func(string) string) {
	limit := messageLimit
	if errors.Is(e.Kind, chat.ErrBadReply) {
		limit = excerptLimit
	}
	for _, text := range textsOf(e) {
		*text = cutText(redact(*text), limit)
	}
}

// textsOf are the members of an error that others wrote.
func textsOf(e *chat.Error) [5]*string {
	return [...]*string{&e.Message, &e.Type, &e.Code, &e.Param, &e.RequestID}
}

// cutText shortens a text between two characters.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.Clone(text[:limit]) + "…"
}

// Unreadable is the error for a body or frame that isn't the JSON it should be.
// cause says why; nil means that it is JSON, but no object.
func Unreadable(body []byte, cause error) *chat.Error {
	if cause == nil {
		cause = errors.New("not a JSON object")
	}
	return BadReply(Excerpt(body), cause)
}

// BadReply is the error for a reply that is none. cause may be nil.
func BadReply(message string, cause error) *chat.Error {
	return &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Message: message, Err: cause}
}

// Excerpt is what to say of a body that isn't the JSON it should be: its text,
// or the title of an HTML page. [Finish] cuts it.
func Excerpt(body []byte) string {
	text := bytes.TrimSpace(body)
	switch {
	case len(text) == 0:
		return "empty body"
	case text[0] == '<':
		return describePage(text)
	}
	return cutText(strings.ToValidUTF8(string(text[:min(len(text), readLimit+utf8.UTFMax)]), "\uFFFD"), readLimit)
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func describePage(page []byte) string {
	found := title.FindSubmatch(page[:min(len(page), titleLimit)])
	if found == nil || len(bytes.TrimSpace(found[1])) == 0 {
		return "an HTML page"
	}
	return "an HTML page: " + strings.ToValidUTF8(strings.Join(strings.Fields(string(found[1])), " "), "\uFFFD")
}
