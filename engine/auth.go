package engine

import (
	"net/http"
	"os"

	"github.com/sabir-go/sabir/chat"
)

// Auth says how a provider wants its key. Keys travel in headers only. The
// zero value sends none.
type Auth struct {
	Header string // canonical header name
	Prefix string // before the key, such as "Bearer "
	// Env is the environment variable that holds the key by default.
	Env string
	// Optional: calls without a key are sent.
	Optional bool
}

// Bearer is the Authorization: Bearer scheme.
func Bearer(env string) Auth { return Auth{Header: "Authorization", Prefix: "Bearer ", Env: env} }

// KeyHeader puts the bare key into a header of its own.
func KeyHeader(header, env string) Auth {
	return Auth{Header: http.CanonicalHeaderKey(header), Env: env}
}

// key is the key to use: the caller's own, else the environment's. A base URL
// of the caller's never gets the provider's key, whoever owns the server there
// would learn it.
func (c core) key() (string, error) {
	auth := &c.profile.Auth
	if k := c.config.key(); k != "" {
		return k, nil
	}
	if c.config.baseURL() != "" || auth.Header == "" || auth.Env == "" {
		return "", nil
	}
	if k := os.Getenv(auth.Env); k != "" {
		return k, nil
	}
	if auth.Optional {
		return "", nil
	}
	return "", &chat.Error{
		Kind: chat.ErrAuth, Engine: c.profile.Name,
		Message: "no key: set Config.APIKey or $" + auth.Env,
	}
}

// authorize puts the key into the headers.
func (a *Auth) authorize(h http.Header, key string) {
	if key == "" {
		return
	}
	header, prefix := a.Header, a.Prefix
	if header == "" {
		header, prefix = "Authorization", "Bearer "
	}
	h[header] = []string{prefix + key}
}
