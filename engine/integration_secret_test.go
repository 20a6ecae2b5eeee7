package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

const (
	testSecret   = "team-secret-93b1"
	testPassword = "pa55word-1c"
)

// secretive is a config full of secrets.
func secretive() engine.Config {
	return engine.Config{
		APIKey: testKey, BaseURL: "https://user:" + testPassword + "@gateway.example/v1",
		Header: http.Header{"X-Team-Token": {testSecret}},
	}
}

// TestNothingShowsSecrets prints everything that a caller gets hold of, in
// every way that a log could.
func TestNothingShowsSecrets(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		cfg := secretive()
		eng := entry.New(cfg)
		plan, err := eng.Plan(hello(entry))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]any{
			"config": cfg, "config pointer": &cfg, "config in a struct": struct{ Cfg engine.Config }{cfg},
			"configs": []engine.Config{cfg}, "engine": eng, "engine in a struct": struct{ Eng engine.Engine }{eng},
			"plan": plan, "plan value": *plan, "capabilities": eng.Capabilities(""),
		} {
			checkHidden(t, name, v)
		}
	})
}

// TestConfigStaysReadable: what is no secret is shown, so that a printed config
// is of use.
func TestConfigStaysReadable(t *testing.T) {
	t.Parallel()
	cfg := secretive()
	cfg.Model, cfg.MaxAttempts = "m-7", 5
	for name, text := range printed(cfg) {
		for _, want := range []string{"[redacted]", "gateway.example", "m-7", "X-Team-Token", "5"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s: %s", name, want, text)
			}
		}
	}
	if text := fmt.Sprint(engine.Config{}); strings.Contains(text, "redacted") {
		t.Errorf("a config without a key shows one: %s", text)
	}
}

// printed is a value in every form that a log could give it.
func printed(v any) map[string]string {
	out := map[string]string{}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		out[format] = fmt.Sprintf(format, v)
	}
	if raw, err := json.Marshal(v); err == nil {
		out["json"] = string(raw)
	}
	var text, jsonLog bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("hi", "v", v)
	slog.New(slog.NewJSONHandler(&jsonLog, nil)).Info("hi", "v", v)
	out["slog text"], out["slog json"] = text.String(), jsonLog.String()
	return out
}

func checkHidden(t *testing.T, name string, v any) {
	t.Helper()
	for form, text := range printed(v) {
		for _, secret := range []string{testKey, testSecret, testPassword} {
			if strings.Contains(text, secret) {
				t.Errorf("%s as %s shows %s: %s", name, form, secret, text)
			}
		}
	}
}

// TestErrorsShowNoSecrets: providers and proxies echo keys, in the message, the
// type, the code, in pages and in broken answers.
func TestErrorsShowNoSecrets(t *testing.T) {
	t.Parallel()
	both := testKey + " and " + testSecret
	full := `{"type":"error","error":{"type":"bad_` + testKey + `","code":"` + testSecret + `","param":"` + testKey + `","message":"wrong key ` + both + `"}}`
	for name, answer := range map[string]httpmock.Responder{
		"refusal":            document(401, full),
		"echo in the path":   document(404, failure("not_found_error", "no such thing: /v1?key="+testKey)),
		"text":               document(400, "wrong key "+both),
		"HTML page":          document(403, "<title>"+both+"</title>"),
		"page in 200":        document(200, "<title>"+both+"</title>"),
		"broken JSON in 200": document(200, `{"id":"`+both),
		"error in 200":       document(200, full),
		"error event":        nil, // in the dialect's own form
		"broken event":       nil,
		"network":            httpmock.NewErrorResponder(errors.New("proxy refused " + both)),
		"header":             document(400, "").HeaderAdd(http.Header{"X-Request-Id": {"r-" + testKey}}),
		"redirect":           document(302, both).HeaderAdd(http.Header{"Location": {"https://elsewhere.example/?key=" + testKey}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				cfg := secretive()
				cfg.BaseURL, cfg.MaxAttempts = "", 1
				d, answer := entry.Profile.Dialect, answer
				switch {
				case answer == nil && !streams(entry):
					return
				case name == "error event":
					answer = stream200(d, voices[d].event(full))
				case name == "broken event":
					answer = stream200(d, voices[d].event(both)+"data: "+both+"\n\n")
				}
				m := mock(t, entry, cfg, answer)
				_, err := call(t, m, hello(entry))
				failed(t, m, err, nil)
				for _, e := range chain(err) {
					checkHidden(t, fmt.Sprintf("%T", e), e)
				}
			})
		})
	}
}

// TestNoPartOfASecretIsShown: texts are cut after secrets were struck out, as
// one that is cut in half would not be found.
func TestNoPartOfASecretIsShown(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]string{
		"text": "%", "page": "<title>%</title>", "frame": `data: {"error":"%"}`, "list": `["%","b"]`, "error": `{"error":{"message":"%"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				for _, status := range []int{502, 200} {
					for _, limit := range []int{200, 500, 4 << 10} {
						text := strings.Repeat("x", limit-len(testKey)+1) + testKey + strings.Repeat("y", 500)
						m := mock(c.T, c.entry, engine.Config{APIKey: testKey, MaxAttempts: 1}, document(status, strings.ReplaceAll(shape, "%", text)))
						_, err := c.call(c.T, m, hello(c.entry))
						e := failed(c.T, m, err, nil)
						for form, text := range printed(e) {
							if strings.Contains(text, testKey[:len(testKey)-1]) {
								c.Errorf("%d, %d bytes: %s shows a part of the key: %s", status, limit, form, text)
							}
						}
					}
				}
			})
		})
	}
}

// chain is an error and all that it wraps.
func chain(err error) []error {
	var out []error
	for todo := []error{err}; len(todo) > 0; todo = todo[1:] {
		out = append(out, todo[0])
		switch e := todo[0].(type) { //nolint:errorlint // walks the chain itself
		case interface{ Unwrap() error }:
			if next := e.Unwrap(); next != nil {
				todo = append(todo, next)
			}
		case interface{ Unwrap() []error }:
			todo = append(todo, e.Unwrap()...)
		}
	}
	return out
}

// TestRedirectsAreNotFollowed: net/http would take the key along.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		m := mock(t, entry, engine.Config{APIKey: testKey},
			document(307, "").HeaderAdd(http.Header{"Location": {"https://elsewhere.example/v1"}}))
		m.mock.RegisterResponder(http.MethodPost, "https://elsewhere.example/v1", says(entry, answer{text: "Hi."}))
		_, err := call(t, m, hello(entry))
		if e := failed(t, m, err, nil); e.Status != 307 || m.calls() != 1 {
			t.Errorf("status %d after %d requests", e.Status, m.calls())
		}
	})
}

// TestBadHeaderIsNotShown: a line end in a key, the usual slip of a copy, is an
// error that doesn't show it.
func TestBadHeaderIsNotShown(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		if keyInBody(entry) {
			return // where it is text like any other
		}
		m := mock(t, entry, engine.Config{APIKey: testKey + "\n"}, document(200, ""))
		_, err := call(t, m, hello(entry))
		failed(t, m, err, chat.ErrInvalid)
		checkHidden(t, "error", err)
		if m.calls() != 0 {
			t.Errorf("%d requests", m.calls())
		}
	})
}

// TestKeyFromEnvironment: the variable's key goes to the provider's own address
// and to no other.
func TestKeyFromEnvironment(t *testing.T) {
	for _, entry := range engine.Catalog() {
		if entry.Profile.Auth.Env == "" {
			continue
		}
		t.Run(entry.Profile.Name, func(t *testing.T) {
			auth := entry.Profile.Auth
			t.Setenv(auth.Env, testKey)
			answer := says(entry, answer{text: "In Ghent."})
			for name, call := range ways {
				own := mock(t, entry, engine.Config{}, answer)
				if _, err := call(t, own, hello(entry)); err != nil {
					t.Fatal(name, err)
				}
				if got := own.last(t); !carriesKey(entry, got) {
					t.Errorf("%s: sent headers %v and body %s to the provider", name, got.header, got.body)
				}
				other := mock(t, entry, engine.Config{BaseURL: "https://gateway.example/v1"}, answer)
				if _, err := call(t, other, hello(entry)); err != nil {
					t.Fatal(name, err)
				}
				if got := other.last(t); strings.Contains(fmt.Sprint(got.header, string(got.body)), testKey) {
					t.Errorf("%s: the provider's key went to another server: %v %s", name, got.header, got.body)
				}
			}
		})
	}
}

// TestMissingKey: the first call names the variable, and sends nothing.
func TestMissingKey(t *testing.T) {
	for _, entry := range engine.Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			auth := entry.Profile.Auth
			source := "Config.Token"
			if auth.Env != "" {
				t.Setenv(auth.Env, "")
				source = "$" + auth.Env
			}
			for name, call := range ways {
				m := mock(t, entry, engine.Config{}, says(entry, answer{text: "In Ghent."}))
				if _, err := m.Plan(hello(entry)); err != nil {
					t.Errorf("%s: a plan needs no key: %v", name, err)
				}
				_, err := call(t, m, hello(entry))
				if auth.Optional {
					if got := m.last(t).header.Get(auth.Header); err != nil || got != "" {
						t.Errorf("%s: error %v, sent key %q", name, err, got)
					}
					continue
				}
				if !errors.Is(err, chat.ErrAuth) || !strings.Contains(err.Error(), source) || m.calls() != 0 {
					t.Errorf("%s: error %v after %d requests", name, err, m.calls())
				}
			}
		})
	}
}

// TestHeadersInAnySpelling: a header set by its lower-case name is the same
// header, and never takes the place of the key.
func TestHeadersInAnySpelling(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		auth := entry.Profile.Auth
		if auth.Header == "" {
			auth.Header = "X-Key"
		}
		for range 8 { // the order of a map decides
			m := mock(t, entry, engine.Config{APIKey: testKey, Header: http.Header{
				"x-team": {"blue"}, strings.ToLower(auth.Header): {"something else"},
			}}, says(entry, answer{text: "In Ghent."}))
			if _, err := call(t, m, hello(entry)); err != nil {
				t.Fatal(err)
			}
			if got := m.last(t); got.header.Get("X-Team") != "blue" || !carriesKey(entry, got) {
				t.Fatalf("sent %v %s", got.header, got.body)
			}
		}
	})
}
