package profile

import "net/http"

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

// Place is a part of a base URL that differs between accounts, such as a
// region. The zero value is no such part.
type Place struct {
	// Env is the environment variable that holds it by default.
	Env string
	// Default is used when neither the config nor the environment says it;
	// empty: it must be said.
	Default string
}
