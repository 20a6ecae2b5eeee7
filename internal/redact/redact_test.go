package redact_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/redact"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		secrets    []string
		want       string
	}{
		{"nothing to hide", "plain text", nil, "plain text"},
		{"not there", "plain text", []string{"sk-1234"}, "plain text"},
		{"each place", "sk-1234 and sk-1234", []string{"sk-1234"}, "[redacted] and [redacted]"},
		{"query spelling", "?key=a%2Fb%2Bc+d", []string{"a/b+c d"}, "?key=[redacted]"},
		{"path spelling", "/a%2Fb+c%20d/x", []string{"a/b+c d"}, "/[redacted]/x"},
		{"too short to hide", "network", []string{"", "net"}, "network"},
		{"one begins the other", "sk-1234-5678", []string{"sk-1234", "sk-1234-5678"}, "[redacted]"},
		{"one holds a %", "100%secret", []string{"100%secret"}, "[redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			secrets := redact.New(tt.secrets)
			if got := secrets.Strike(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := secrets.In(tt.text); got != (tt.text != tt.want) {
				t.Errorf("in the text: %v", got)
			}
		})
	}
}

func TestStripURLs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no address":                             "no address",
		"get https://u:p@host/a?key=1#x refused": "get https://host/a refused",
		`Get "https://host/v1?key=k-1": EOF`:     `Get "https://host/v1": EOF`,
		"http://a@b and http://c/d?e":            "http://b and http://c/d",
	} {
		if got := redact.StripURLs(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
