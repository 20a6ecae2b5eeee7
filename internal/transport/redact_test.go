package transport_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/transport"
)

func TestRedact(t *testing.T) {
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
			if got := transport.Redact(tt.text, tt.secrets); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
