package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sabir-go/sabir/internal/transport"
)

// Config is what a caller may set about an engine. The zero value is ready:
// the provider's own address, the key from its environment variable, three
// attempts. No verb of fmt, no log and no JSON shows the key or a header's
// value; but fmt calls no methods of what stands in an unexported field, so keep
// the engine, not its Config, in structs that may be printed.
type Config struct {
	// APIKey is the provider's key; empty takes it from the environment, unless
	// BaseURL is set.
	APIKey string
	// BaseURL replaces the provider's address. The dialect's path is appended.
	BaseURL string
	// Region and Project are put into the addresses of providers that have
	// several; see their constructors.
	Region, Project string
	// Token gives a bearer token for each call, for providers whose keys live
	// for an hour; it is used in place of APIKey. Sign signs each attempt, for
	// providers that want signatures; it adds to the headers.
	Token func(context.Context) (string, error)
	Sign  func(ctx context.Context, method, url string, header http.Header, body []byte) error
	// Model is the model for requests that name none.
	Model string
	// HTTPClient's Transport carries the requests; nil uses one shared by all
	// engines. Its Timeout, Jar and CheckRedirect are not used: the context of
	// a call is its only deadline, and redirects are not followed.
	HTTPClient *http.Client
	// Header is added to every request.
	Header http.Header
	// MaxAttempts bounds the requests sent for one call; 1 means no retry, 0
	// means 3.
	MaxAttempts int
	// MaxWait bounds the waiting between attempts, in all; 0 means one minute.
	MaxWait time.Duration
	// Idle is the longest silence in the middle of an answer; 0 means 5 minutes.
	Idle time.Duration
	// Limits bound what is read.
	Limits Limits
}

// Limits bound the sizes of what a provider sends, in bytes. Beyond them a
// call fails with chat.ErrBadReply.
type Limits struct {
	// Reply bounds one reply: its body, or what a stream adds up to. 0 means
	// 64 MiB.
	Reply int
	// Line bounds one event of a stream; 0 means 64 MiB.
	Line int
	// Arguments bounds all tool arguments of one reply; 0 means 16 MiB.
	Arguments int
}

// sealed is a Config inside an engine, where fmt can't call methods: what may
// hold a secret is behind a function, so that printing an engine shows an
// address. A base URL can hold a password.
type sealed struct {
	key     func() string
	header  func() http.Header
	baseURL func() string
	token   func(context.Context) (string, error)
	sign    func(ctx context.Context, method, url string, header http.Header, body []byte) error
	region  string
	project string
	model   string
	limits  Limits
}

func (c Config) seal() sealed {
	key, header, base := c.APIKey, canonical(c.Header), strings.TrimRight(c.BaseURL, "/")
	return sealed{
		key:     func() string { return key },
		header:  func() http.Header { return header },
		baseURL: func() string { return base },
		token:   c.Token,
		sign:    c.Sign,
		region:  c.Region,
		project: c.Project,
		model:   c.Model,
		limits:  c.Limits,
	}
}

// canonical copies headers under their canonical names.
func canonical(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		for _, v := range values {
			out.Add(name, v)
		}
	}
	return out
}

func (c Config) transport() transport.Options {
	return transport.Options{
		HTTPClient:  c.HTTPClient,
		MaxAttempts: c.MaxAttempts,
		MaxWait:     c.MaxWait,
		Idle:        c.Idle,
		MaxBody:     int64(c.Limits.Reply),
	}
}

// shown is a Config without its secrets.
type shown struct {
	APIKey      string   `json:"api_key,omitempty"`
	BaseURL     string   `json:"base_url,omitempty"`
	Model       string   `json:"model,omitempty"`
	Headers     []string `json:"headers,omitempty"`
	MaxAttempts int      `json:"max_attempts,omitempty"`
}

func (c Config) shown() shown {
	s := shown{BaseURL: redactURL(c.BaseURL), Model: c.Model, MaxAttempts: c.MaxAttempts}
	if c.APIKey != "" {
		s.APIKey = "[redacted]"
	}
	s.Headers = slices.Sorted(maps.Keys(c.Header))
	return s
}

// redactURL takes a password and the values of a query out of a URL, where keys
// have been put. What the dialects add themselves (alt=sse) is no secret.
func redactURL(u string) string {
	u, query, _ := strings.Cut(u, "?")
	u = redactPassword(u)
	if query == "" {
		return u
	}
	fields := strings.Split(query, "&")
	for i, f := range fields {
		if name, _, ok := strings.Cut(f, "="); ok && f != "alt=sse" {
			fields[i] = name + "=[redacted]"
		}
	}
	return u + "?" + strings.Join(fields, "&")
}

// urlSecrets are the parts of a base URL that redactURL hides.
func urlSecrets(base string) []string {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	var secrets []string
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	}
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	return secrets
}

func redactPassword(u string) string {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		return u
	}
	host, _, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return u
	}
	return scheme + "://[redacted]@" + rest[at+1:]
}

// String shows the config without key and header values.
func (c Config) String() string { return fmt.Sprintf("%+v", c.shown()) }

// GoString is String, for %#v.
func (c Config) GoString() string { return "engine.Config" + c.String() }

// Format makes every verb of fmt print String.
func (c Config) Format(f fmt.State, verb rune) {
	s := c.String()
	if verb == 'v' && f.Flag('#') {
		s = c.GoString()
	}
	_, _ = io.WriteString(f, s)
}

// MarshalJSON shows the config without key and header values.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.shown()) }

// LogValue implements [slog.LogValuer].
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
