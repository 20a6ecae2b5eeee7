package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/tools"
)

// Config says how to reach a server and how its tools are used. One of
// Command, URL, Server and Transport is set.
type Config struct {
	// Command is a program and its arguments, to be started as a server that
	// speaks over its standard input and output. It ends with the session.
	Command []string
	// Dir is where Command runs; empty: the current directory.
	Dir string
	// Env is added to the environment of Command, each entry "NAME=value". Of
	// this process's own environment it gets only what programs need to run,
	// such as PATH and HOME, and not the keys of other services. To pass
	// everything on, use os.Environ().
	Env []string
	// Stderr takes what Command writes to its standard error; nil discards it.
	// A server that doesn't start says there why.
	Stderr io.Writer

	// URL is the address of a server over streamable HTTP. Secrets belong in
	// Header or HTTPClient.
	URL string
	// Header is sent with each request to URL, and to no other origin, not even
	// when redirected to one.
	Header http.Header
	// HTTPClient sends the requests, such as one with a token source as its
	// transport; nil: a new client. Its Timeout would cut streams.
	HTTPClient *http.Client
	// OAuth authorises the requests to URL as MCP specifies; nil: no
	// authorisation. See the package auth of the SDK.
	OAuth auth.OAuthHandler

	// Server is a server in this process, such as one made by [NewServer].
	Server *sdk.Server
	// Transport returns any other connection, a new one for each attempt to
	// connect. An error that isn't the server's answer ends the connection.
	Transport func(context.Context) (sdk.Transport, error)

	// Name is the server's name in errors; empty: from the command or the URL.
	Name string
	// Prefix is put before the names of the tools, such as "files_", so that
	// those of several servers stay apart.
	Prefix string
	// Filter says which tools to take; nil: all.
	Filter func(*sdk.Tool) bool
	// Options says how a tool is run; nil: [DefaultOptions]. A timeout for each
	// call is given here.
	Options func(*sdk.Tool) tools.Options
	// TextOnly puts a note in words in the place of pictures and documents, for
	// models that take none: without it, the next request to such a model is
	// refused.
	TextOnly bool
	// MaxResult is the most bytes that a result may have, pictures included; 0:
	// 8 MiB. Larger ones are answered with an error result.
	MaxResult int

	// OnEvent is told what happens besides the calls; may be nil. It may be
	// called from several goroutines at once, holds up the session while it runs,
	// and must not close it.
	OnEvent func(Event)
	// Elicit answers a server that asks the user something in the middle of a
	// call; nil: the server is told that nobody can be asked. It has to heed its
	// context; a nil result dismisses the question. The question is in the
	// server's words: show which server asks.
	Elicit func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error)

	// ProtocolVersion is the version to begin with; empty: the latest. An older
	// one, such as "2025-11-25", spares a server the question for a newer.
	ProtocolVersion string
}

// DefaultOptions is how a tool is run where [Config.Options] is nil: as one
// with side effects, unless the server says that it only reads or that a call
// can be repeated. These are the server's words. They decide what is done when
// a connection breaks in the middle of a call; whether a call needs approval is
// for the caller to say.
func DefaultOptions(t *sdk.Tool) tools.Options {
	harmless := t.Annotations != nil && (t.Annotations.ReadOnlyHint || t.Annotations.IdempotentHint)
	return tools.Options{SideEffects: !harmless}
}

const defaultMaxResult = 8 << 20

func (c *Config) maxResult() int { return cmp.Or(c.MaxResult, defaultMaxResult) }

// maxMessage is the limit for one message on the wire: content in base64 or
// with escapes, and what stands around it.
func (c *Config) maxMessage() int { return 2*c.maxResult() + 1<<20 }

func (c *Config) toolOptions(t *sdk.Tool) tools.Options {
	if c.Options != nil {
		return c.Options(t)
	}
	return DefaultOptions(t)
}

func (c *Config) check() error {
	ways := 0
	for _, set := range []bool{len(c.Command) > 0, c.URL != "", c.Server != nil, c.Transport != nil} {
		if set {
			ways++
		}
	}
	if ways != 1 {
		return errors.New("config: set one of Command, URL, Server and Transport")
	}
	if c.URL == "" {
		return nil
	}
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("config: URL must be an address with http or https")
	}
	return nil
}

// serverName names the server in errors. Of an address it is the host: the rest
// may hold secrets.
func (c *Config) serverName() string {
	switch {
	case c.Name != "":
		return c.Name
	case len(c.Command) > 0:
		return filepath.Base(c.Command[0])
	case c.URL != "":
		if u, err := url.Parse(c.URL); err == nil {
			return u.Host
		}
	}
	return "server"
}
