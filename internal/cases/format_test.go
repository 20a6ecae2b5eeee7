package cases_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/cases"
)

// file writes a case of the openai-chat dialect.
func file(kind, given, expect string) []byte {
	return []byte(`{"id":"T","slug":"t","title":"t","theme":"sse","source":[],"dialect":"openai-chat","kind":"` + kind +
		`","basis":"policy","why":"","docs":[],"given":` + given + `,"expect":` + expect + `}`)
}

const hi = `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`

// TestParseRefuses: whatever the format doesn't define makes a case fail.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	request := func(more string) string { return `{"request":` + hi[:len(hi)-1] + `,` + more + `}}` }
	part := func(p string) string {
		return `{"request":{"model":"m","messages":[{"role":"user","content":[` + p + `]}]}}`
	}
	given := `{"request":` + hi + `}`
	for name, data := range map[string][]byte{
		"case member":      append([]byte(`{"more":1,`), file("request", given, `{}`)[1:]...),
		"profile":          []byte(strings.Replace(string(file("request", given, `{}`)), `"kind"`, `"profile":"acme","kind"`, 1)),
		"kind":             file("reqest", given, `{}`),
		"given member":     file("request", `{"request":`+hi+`,"more":1}`, `{}`),
		"request member":   file("request", request(`"more":1`), `{}`),
		"tool member":      file("request", request(`"tools":[{"name":"a","strict":true}]`), `{}`),
		"part type":        file("request", part(`{"type":"video"}`), `{}`),
		"part member":      file("request", part(`{"type":"text","text":"a","signature":"s"}`), `{}`),
		"config member":    file("request", `{"request":`+hi+`,"config":{"proxy":"x"}}`, `{}`),
		"response member":  file("stream", `{"request":`+hi+`,"responses":[{"status":200,"delay":1}]}`, `{}`),
		"response status":  file("stream", `{"request":`+hi+`,"responses":[{"body":""}]}`, `{}`),
		"end":              file("stream", `{"request":`+hi+`,"responses":[{"status":200,"end":"fin"}]}`, `{}`),
		"consumer":         file("stream", `{"request":`+hi+`,"consumer":{"mode":"skim"}}`, `{}`),
		"variant member":   file("request", `{"request":`+hi+`,"variants":[{"name":"a","more":1}]}`, `{}`),
		"variant expect":   file("request", `{"request":`+hi+`,"variants":[{"name":"a","expect":{"more":1}}]}`, `{}`),
		"expect member":    file("request", given, `{"more":1}`),
		"reply member":     file("request", given, `{"reply":{"more":1}}`),
		"call member":      file("request", given, `{"reply":{"tool_calls":[{"more":1}]}}`),
		"usage member":     file("request", given, `{"reply":{"usage":{"more":1}}}`),
		"error member":     file("request", given, `{"error":{"more":1}}`),
		"error class":      file("request", given, `{"error":{"class":"oops"}}`),
		"error is":         file("request", given, `{"error":{"is":"io.Oops"}}`),
		"finish":           file("request", given, `{"reply":{"finish":"done"}}`),
		"leaks member":     file("request", given, `{"leaks":{"files":1}}`),
		"timing member":    file("request", given, `{"timing":{"between":[0,1],"avg_ms":1}}`),
		"assertion member": file("request", given, `{"wire":[{"at":"/a","op":"absent","not":true}]}`),
		"op":               file("request", given, `{"wire":[{"at":"/a","op":"bigger","value":1}]}`),
		"at":               file("request", given, `{"wire":[{"at":"body","op":"absent"}]}`),
		"no at":            file("request", given, `{"wire":[{"op":"absent"}]}`),
		"op without value": file("request", given, `{"wire":[{"at":"/a","op":"matches"}]}`),
		"value for length": file("request", given, `{"wire":[{"at":"/a","op":"length","value":"1"}]}`),
		"in one_of":        file("request", given, `{"one_of":[{"wire":[{"at":"/a","op":"bigger"}]}]}`),
		"text after it":    append(file("request", given, `{}`), "{}"...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runs, err := cases.Parse("t", data); err == nil {
				t.Errorf("read %d runs, want an error", len(runs))
			}
		})
	}
}

// TestParseVariants: a variant is laid over the case.
func TestParseVariants(t *testing.T) {
	t.Parallel()
	runs, err := cases.Parse("T", file("request", `{"request":`+hi+`,"config":{"max_retries":2,"api_key":"{{REPEAT:ab:3}}"},"variants":[
		{"name":"x","request":{"model":"n"},"config":{"max_retries":0},
		 "expect":{"request_count":2,"reply":{"finish":"stop"},"wire":[{"at":"/b","op":"absent"}],"one_of":[{"warns":true},{"warns":false}]}},
		{"name":"y"}]}`,
		`{"request_count":1,"reply":{"text":"ok"},"wire":[{"at":"/a","op":"absent"}],"one_of":[{"canary_hits":0},{"canary_hits":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Name != "T/x" || runs[1].Name != "T/y" {
		t.Fatalf("got %d runs", len(runs))
	}
	x, y := runs[0], runs[1]
	if x.Given.Request.Model != "n" || len(x.Given.Request.Messages) != 1 || y.Given.Request.Model != "m" {
		t.Errorf("requests: %+v, %+v", x.Given.Request, y.Given.Request)
	}
	if x.Given.Config.MaxRetries != 0 || x.Given.Config.APIKey != "ababab" || y.Given.Config.MaxRetries != 2 {
		t.Errorf("configs: %+v, %+v", x.Given.Config, y.Given.Config)
	}
	want := `{"one_of":[{"canary_hits":0,"one_of":[{"warns":true},{"warns":false}]},{"canary_hits":1,"one_of":[{"warns":true},{"warns":false}]}],` +
		`"reply":{"finish":"stop","text":"ok"},"request_count":2,"wire":[{"at":"/a","op":"absent"},{"at":"/b","op":"absent"}]}`
	if got := string(x.RawWant); got != want {
		t.Errorf("expect:\n%s\nwant\n%s", got, want)
	}
}

// TestLoadRefuses: a folder without cases is an error, not a success.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	if _, err := cases.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no cases") {
		t.Errorf("got %v", err)
	}
}

// TestLoadKeepsTheOthers: a case that can't be read is red, the others are run.
func TestLoadKeepsTheOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"A.json": file("request", `{"request":`+hi+`}`, `{"request_count":1}`),
		"B.json": file("request", `{"request":`+hi+`}`, `{"requests":1}`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs := load(t, dir)
	if len(runs) != 2 {
		t.Fatalf("%d runs, want 2", len(runs))
	}
	if faults := runs[0].Do(t.Context()).Check(); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := runs[1].Do(t.Context()).Check(); len(faults) != 1 || !strings.Contains(faults[0], "requests") {
		t.Errorf("got %q, want one that names the member", faults)
	}
}

// TestLoadReadsAll: every case of testdata has an id of its own, and its file
// is called after it.
func TestLoadReadsAll(t *testing.T) {
	t.Parallel()
	runs := load(t, "testdata")
	seen := map[string]*cases.Case{}
	for _, r := range runs {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Name, r.Err)
			continue
		}
		if other, ok := seen[r.Case.ID]; ok && other != r.Case {
			t.Errorf("%s: the id %s occurs twice", r.Name, r.Case.ID)
		}
		seen[r.Case.ID] = r.Case
		if name, _, _ := strings.Cut(r.Name, "/"); name != r.Case.ID+"-"+r.Case.Slug {
			t.Errorf("%s should be called %s-%s", r.Name, r.Case.ID, r.Case.Slug)
		}
		if !json.Valid(r.RawWant) {
			t.Errorf("%s: expect is no JSON", r.Name)
		}
	}
}
