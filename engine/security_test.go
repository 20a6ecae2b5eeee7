package engine_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestMediaIsNeverFetched: the address of an image or a file goes to the
// provider or is refused. Nobody here opens it, so a model or a user can't make
// this process look into its own network.
func TestMediaIsNeverFetched(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(func() {
		canary.Close()
		if n := visits.Load(); n > 0 {
			t.Errorf("an address was fetched %d times", n)
		}
	})
	eachCall(t, func(c onEngine) {
		for name, part := range map[string]chat.Part{
			"image":            chat.Image{URL: canary.URL + "/harbour.png", MediaType: "image/png"},
			"file":             chat.File{URL: canary.URL + "/tides.pdf", MediaType: "application/pdf", Name: "tides.pdf"},
			"image on disk":    chat.Image{URL: "file:///etc/hostname", MediaType: "image/png"},
			"metadata service": chat.Image{URL: "http://169.254.169.254/latest/meta-data", MediaType: "image/png"},
		} {
			m := mock(c.T, c.entry, engine.Config{APIKey: testKey}, says(c.entry, answer{text: "In Ghent."}))
			req := hello(c.entry)
			req.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "What is this?"}, part}}}
			_, err := c.call(c.T, m, req)
			switch {
			case errors.Is(err, chat.ErrUnsupported), errors.Is(err, chat.ErrInvalid):
				if m.calls() != 0 {
					c.Errorf("%s: refused after %d requests", name, m.calls())
				}
			case err != nil:
				c.Errorf("%s: %v", name, err)
			default:
				if body := string(m.last(c.T).body); m.calls() != 1 || !strings.Contains(body, "harbour.png") && !strings.Contains(body, "tides.pdf") && !strings.Contains(body, "://") {
					c.Errorf("%s: %d requests, sent %s", name, m.calls(), body)
				}
			}
		}
	})
}

// TestErrorsAreFitForATerminal: a server's words can't move a cursor, clear a
// screen or begin a new line of a log.
func TestErrorsAreFitForATerminal(t *testing.T) {
	t.Parallel()
	const nasty = `\u001b[2J\u001b]0;owned\u0007\r\nlevel=INFO msg=\"all is well\"\u009b31m`
	raw := strings.NewReplacer(`\u001b`, "\x1b", `\u0007`, "\a", `\r`, "\r", `\n`, "\n", `\"`, `"`, `\u009b`, "\u009b").Replace(nasty)
	for name, status := range map[string]int{"refusal": 400, "failure inside of 200": 200} {
		for form, body := range map[string]string{
			"object": failure(nasty, nasty), "text": raw, "page": "<title>" + raw + "</title>", "broken": `{"error":{"message":"` + raw,
		} {
			t.Run(name+"/"+form, func(t *testing.T) {
				t.Parallel()
				eachCall(t, func(c onEngine) {
					m := mock(c.T, c.entry, engine.Config{APIKey: testKey}, document(status, body))
					_, err := c.call(c.T, m, hello(c.entry))
					e := failed(c.T, m, err, nil)
					if text := e.Error(); strings.ContainsFunc(text, unprintable) || len(text) > 2000 {
						c.Errorf("%d bytes: %q", len(text), text)
					}
				})
			})
		}
	}
}

func unprintable(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// TestOtherSchemes: only HTTP is spoken, whatever a base URL says.
func TestOtherSchemes(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		for _, base := range []string{"file:///etc", "ftp://host.example/v1", "host.example/v1", "//host.example/v1", "http:///v1"} {
			eng := c.entry.New(placed(engine.Config{APIKey: testKey, BaseURL: base}))
			_, err := c.call(c.T, eng, hello(c.entry))
			if e, ok := errors.AsType[*chat.Error](err); !ok || !errors.Is(err, chat.ErrInvalid) || e.Param != "BaseURL" {
				c.Errorf("%s: error %v", base, err)
			}
		}
	})
}

// TestLookalikeCalls: a name that only looks like that of an offered tool
// doesn't satisfy a forced choice.
func TestLookalikeCalls(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		if !hasTools(c.entry) {
			return
		}
		for _, name := range []string{"Place", "place ", "pl\u0430ce", "place\u200b", "functions.place", "place.place"} {
			m := mock(c.T, c.entry, engine.Config{APIKey: testKey}, says(c.entry, answer{calls: []string{name}}))
			req := hello(c.entry)
			req.Tools, req.ToolChoice = matrixTools, toolchoice.Any()
			_, err := c.call(c.T, m, req)
			if errors.Is(err, chat.ErrUnsupported) {
				continue
			}
			if !errors.Is(err, chat.ErrToolChoiceUnmet) && !errors.Is(err, chat.ErrBadReply) && !errors.Is(err, chat.ErrMalformedCall) {
				c.Errorf("%q: error %v", name, err)
			}
		}
	})
}

// TestUnknownCertificate: a server that can't prove who it is gets no request,
// and isn't asked twice.
func TestUnknownCertificate(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	eachCall(t, func(c onEngine) {
		eng := c.entry.New(placed(engine.Config{APIKey: testKey, BaseURL: srv.URL}))
		_, err := c.call(c.T, eng, hello(c.entry))
		e, ok := errors.AsType[*chat.Error](err)
		if !ok || !errors.Is(err, chat.ErrNetwork) || e.Retryable || e.Attempts != 1 || visits.Load() > 0 {
			c.Errorf("error %v, %d requests arrived", err, visits.Load())
		}
	})
}
