package transport

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

const (
	redacted = "[redacted]"
	// minSecret is the shortest text that is taken for a secret: replacing
	// "k" would make words unreadable and hide nothing.
	minSecret = 4
)

// Redact replaces each secret, and its spellings inside a URL, by
// "[redacted]". Secrets of fewer than four bytes are left alone.
func Redact(text string, secrets []string) string {
	var found []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		for _, form := range [...]string{s, url.QueryEscape(s), url.PathEscape(s)} {
			if strings.Contains(text, form) {
				found = append(found, form)
			}
		}
	}
	// The longest first: one key may be the beginning of another.
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, form := range found {
		text = strings.ReplaceAll(text, form, redacted)
	}
	return text
}

// stripURLs cuts user information and everything after the path from the
// addresses in a text.
func stripURLs(text string) string {
	before, rest, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		b.WriteString("://")
		end := strings.IndexAny(rest, " \t\n\"'<>")
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(stripURL(rest[:end]))
		before, rest, found = strings.Cut(rest[end:], "://")
	}
	b.WriteString(before)
	return b.String()
}

// stripURL takes an address without its scheme.
func stripURL(s string) string {
	authority := s
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		authority = s[:i]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		s = s[at+1:]
	}
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	return s
}
