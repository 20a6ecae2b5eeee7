// Package redact strikes known secrets out of texts: keys of requests out of
// errors, keys of recordings out of cassettes.
package redact

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// Mark stands in the place of a secret.
const Mark = "[redacted]"

// minSecret is the shortest text that is taken for a secret: replacing "k"
// would make words unreadable and hide nothing.
const minSecret = 4

// Secrets are texts that must not be shown. The zero value holds none.
type Secrets struct{ forms []string }

// New returns secrets with their spellings inside a URL. Those of fewer than
// four bytes are left out.
func New(secrets []string) Secrets {
	var s Secrets
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			s.forms = append(s.forms, secret, url.QueryEscape(secret), url.PathEscape(secret))
		}
	}
	// The longest first: one may be the beginning of another.
	slices.SortStableFunc(s.forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return s
}

// Strike replaces each secret in a text by [Mark].
func (s Secrets) Strike(text string) string {
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Mark)
	}
	return text
}

// In reports whether a text holds a secret.
func (s Secrets) In(text string) bool {
	return slices.ContainsFunc(s.forms, func(form string) bool { return strings.Contains(text, form) })
}

// StripURLs cuts user information and everything after the path from the
// addresses in a text.
func StripURLs(text string) string {
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
