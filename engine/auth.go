package engine

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

// key is the key to use: the caller's own, else the environment's. A base URL
// of the caller's never gets the provider's key, whoever owns the server there
// would learn it.
func (c core) key(ctx context.Context) (string, error) {
	auth := &c.profile.Auth
	if c.config.token != nil {
		token, err := c.config.token(ctx)
		if err != nil {
			return "", &chat.Error{Kind: chat.ErrAuth, Engine: c.profile.Name, Message: "no token", Err: err}
		}
		return token, nil
	}
	if k := c.config.key(); k != "" {
		return k, nil
	}
	if c.config.baseURL() != "" || c.config.sign != nil {
		return "", nil
	}
	from := "Config.Token"
	if auth.Env != "" {
		if k := os.Getenv(auth.Env); k != "" {
			return k, nil
		}
		from = "$" + auth.Env
	}
	if auth.Optional {
		return "", nil
	}
	return "", &chat.Error{
		Kind: chat.ErrAuth, Engine: c.profile.Name, Message: "no key: set Config.APIKey or " + from,
	}
}

// authorize puts the key into the headers.
func authorize(a *profile.Auth, h http.Header, key string) {
	if key == "" || a.Header == "" {
		return
	}
	h[a.Header] = []string{a.Prefix + key}
}

// placeValue is a place as configured, else from the environment, else its default.
func placeValue(p profile.Place, configured string) string {
	if configured == "" && p.Env != "" {
		configured = os.Getenv(p.Env)
	}
	return cmp.Or(configured, p.Default)
}

// expand puts region and project into a base URL. Calls whose address is not
// complete are refused by checkAddress; a plan shows what is missing.
func (c core) expand(base string) string {
	if region := placeValue(c.profile.Region, c.config.region); region != "" {
		base = strings.ReplaceAll(base, "{region}", region)
	}
	if project := placeValue(c.profile.Project, c.config.project); project != "" {
		base = strings.ReplaceAll(base, "{project}", project)
	}
	return base
}

func (c core) checkAddress() error {
	base := c.baseURL()
	for _, part := range []struct {
		mark, field string
		place       profile.Place
	}{{"{region}", "Config.Region", c.profile.Region}, {"{project}", "Config.Project", c.profile.Project}} {
		if strings.Contains(base, part.mark) {
			return c.invalid(chat.Invalid(part.field, "is empty, and so is $"+part.place.Env))
		}
	}
	return nil
}
