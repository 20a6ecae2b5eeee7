package engine_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// TestPlaces: region and project come from the config, else from the
// environment, else from the default, and are put into the address.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		name, engine, host string
		cfg                engine.Config
		env                map[string]string
		field, variable    string // of the error, if one is missing
	}{
		{
			name: "bedrock, config", engine: "bedrock", cfg: engine.Config{Region: "eu-central-1"}, env: map[string]string{"AWS_REGION": "us-east-1"},
			host: "https://bedrock-runtime.eu-central-1.amazonaws.com/model/",
		},
		{
			name: "bedrock, environment", engine: "bedrock", env: map[string]string{"AWS_REGION": "us-east-1"},
			host: "https://bedrock-runtime.us-east-1.amazonaws.com/model/",
		},
		{name: "bedrock, missing", engine: "bedrock", field: "Config.Region", variable: "$AWS_REGION"},
		{
			name: "vertex, config", engine: "vertex", cfg: engine.Config{Region: "europe-west4", Project: "p1"},
			host: "https://europe-west4-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west4/publishers/google/models/",
		},
		{
			name: "vertex, environment", engine: "vertex", env: map[string]string{"GOOGLE_CLOUD_LOCATION": "asia-east1", "GOOGLE_CLOUD_PROJECT": "p2"},
			host: "https://asia-east1-aiplatform.googleapis.com/v1/projects/p2/locations/asia-east1/publishers/google/models/",
		},
		{
			name: "vertex, default region", engine: "vertex", cfg: engine.Config{Project: "p3"},
			host: "https://us-central1-aiplatform.googleapis.com/v1/projects/p3/locations/us-central1/publishers/google/models/",
		},
		{name: "vertex, no project", engine: "vertex", field: "Config.Project", variable: "$GOOGLE_CLOUD_PROJECT"},
		{
			name: "vertex, base URL of one's own", engine: "vertex", cfg: engine.Config{BaseURL: "https://gateway.example/v1"},
			host: "https://gateway.example/v1/models/",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"AWS_REGION", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_PROJECT"} {
				t.Setenv(name, tt.env[name])
			}
			checkPlace(t, entryOf(t, tt.engine), tt.cfg, tt.host, tt.field, tt.variable)
		})
	}
}

func checkPlace(t *testing.T, entry engine.Entry, cfg engine.Config, host, field, variable string) {
	t.Helper()
	var sent []string
	cfg.APIKey = testKey
	cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.URL.String())
		return says(entry, answer{text: "In Ghent."})(r)
	})}
	eng := entry.New(cfg)
	for way, call := range ways {
		_, err := call(t, eng, hello(entry))
		if field == "" {
			if err != nil || len(sent) == 0 || !strings.HasPrefix(sent[len(sent)-1], host) {
				t.Errorf("%s: sent to %v, want %s…: %v", way, sent, host, err)
			}
			continue
		}
		e, ok := errors.AsType[*chat.Error](err)
		if !ok || !errors.Is(err, chat.ErrInvalid) || e.Param != field || !strings.Contains(err.Error(), variable) || len(sent) > 0 {
			t.Errorf("%s: error %v, want ErrInvalid of %s that names %s", way, err, field, variable)
		}
	}
	if _, err := eng.Plan(hello(entry)); err != nil {
		t.Errorf("a plan needs no address: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestToken: Config.Token is asked for every call, before anything is sent, and
// its word takes the place of a key.
func TestToken(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		asked := 0
		cfg := engine.Config{APIKey: "stale", Token: func(context.Context) (string, error) {
			asked++
			return testKey, nil
		}}
		m := mock(t, entry, cfg, says(entry, answer{text: "In Ghent."}))
		for range 2 {
			if _, err := call(t, m, hello(entry)); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.last(t); asked != 2 || !carriesKey(entry, got) {
			t.Errorf("asked %d times, sent %v %s", asked, got.header, got.body)
		}
	})
}

var errNoToken = errors.New("the metadata server is away")

// TestTokenFails: the error is one about the key, its cause stays visible, and
// nothing is sent.
func TestTokenFails(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		cfg := engine.Config{Token: func(context.Context) (string, error) { return "", errNoToken }}
		m := mock(t, entry, cfg, says(entry, answer{text: "In Ghent."}))
		_, err := call(t, m, hello(entry))
		e, ok := errors.AsType[*chat.Error](err)
		if !ok || !errors.Is(err, chat.ErrAuth) || !errors.Is(err, errNoToken) || e.Engine != entry.Profile.Name || m.calls() != 0 {
			t.Errorf("error %v after %d requests, want ErrAuth and its cause", err, m.calls())
		}
	})
}

// TestSign: Config.Sign sees every attempt as it will be sent, adds headers to
// that attempt alone, and makes a key unnecessary.
func TestSign(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		synctest.Test(t, func(t *testing.T) {
			var signed []sent
			cfg := engine.Config{Sign: func(_ context.Context, method, url string, h http.Header, body []byte) error {
				signed = append(signed, sent{method, url, h.Clone(), bytes.Clone(body)})
				h.Add("X-Signature", strings.Repeat("s", len(signed)))
				return nil
			}}
			m := mock(t, entry, cfg, document(503, ""), document(429, ""), says(entry, answer{text: "In Ghent."}))
			if _, err := call(t, m, hello(entry)); err != nil {
				t.Fatal(err)
			}
			if len(signed) != 3 || len(m.sent) != 3 {
				t.Fatalf("%d signed, %d sent", len(signed), len(m.sent))
			}
			for i, s := range m.sent {
				if got := s.header["X-Signature"]; len(got) != 1 || len(got[0]) != i+1 || signed[i].header.Get("X-Signature") != "" {
					t.Errorf("attempt %d: signatures %v, signed over %v", i+1, got, signed[i].header)
				}
				if signed[i].method != s.method || signed[i].url != s.url || !bytes.Equal(signed[i].body, s.body) {
					t.Errorf("attempt %d signed %+v and sent %+v", i+1, signed[i], s)
				}
			}
		})
	})
}

// TestSignFails: a request that can't be signed is not sent.
func TestSignFails(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		cfg := engine.Config{Sign: func(context.Context, string, string, http.Header, []byte) error { return errNoToken }}
		m := mock(t, entry, cfg, httpmock.NewStringResponder(200, ""))
		_, err := call(t, m, hello(entry))
		if e := failed(t, m, err, chat.ErrAuth); !errors.Is(err, errNoToken) || m.calls() != 0 || e.Retryable {
			t.Errorf("error %v after %d requests", err, m.calls())
		}
	})
}

// TestKeyInTheBody: where the provider wants the key in the body, a plan shows
// none, and the errors of a provider that echoes it neither.
func TestKeyInTheBody(t *testing.T) {
	t.Parallel()
	entry := entryOf(t, "aki")
	m := mock(t, entry, engine.Config{APIKey: testKey}, document(401, `{"error":"no such key: `+testKey+`"}`))
	plan, err := m.Plan(hello(entry))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plan.String()+string(bodyOf(t, plan)), testKey) || decoded(t, bodyOf(t, plan))["key"] != nil {
		t.Errorf("the plan shows a key: %s", plan)
	}
	_, err = m.Chat(t.Context(), hello(entry))
	failed(t, m, err, chat.ErrAuth)
	checkHidden(t, "error", err)
	if got := m.last(t); !carriesKey(entry, got) || got.header.Get("Authorization") != "" {
		t.Errorf("sent %v %s", got.header, got.body)
	}
}
