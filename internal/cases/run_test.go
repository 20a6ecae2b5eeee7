package cases_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/internal/cases"
)

const (
	sse     = `"headers":{"content-type":"text/event-stream"}`
	text    = `data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"},\"finish_reason\":null}]}\n\n`
	stop    = `data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n`
	whole   = `{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}`
	streams = `{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`
)

// TestRun: what the server is told to do is done, and each member of an
// expectation can be green and red. red is an expectation that the same
// outcome must not meet.
func TestRun(t *testing.T) {
	t.Parallel()
	one := func(r string) string { return `{"request":` + streams + `,"responses":[` + r + `]}` }
	for name, c := range map[string]struct{ given, green, red string }{
		"events": {
			one(`{"status":200,` + sse + `,"body":"` + text + text + stop + `","chunk_every":7}`),
			`{"events":{"text_never_contains":"bb"},"reply":{"text":"abab","finish":"stop"}}`,
			`{"events":{"text_never_contains":["zz","ba"]}}`,
		},
		"clean end too early": {
			one(`{"status":200,` + sse + `,"body":"` + text + `","end":"eof"}`),
			`{"error":{"class":"truncated_stream"},"reply":{"partial":true,"text":"ab"}}`,
			`{"reply":{"text":"ab"}}`,
		},
		"reset": {
			one(`{"status":200,` + sse + `,"body":"` + text + `","end":"reset"}`),
			`{"error":{"class":"truncated_stream"}}`,
			`{"error":{"class":"decode"}}`,
		},
		"hang until the deadline": {
			`{"request":` + streams + `,"config":{"deadline_ms":150},"responses":[{"status":200,` + sse + `,"body":"` + text + `","end":"hang"}]}`,
			`{"error":{"class":"timeout","is":"context.DeadlineExceeded","within_ms":5000},"within_ms":5000,
			  "leaks":{"goroutines_back_within_ms":3000,"server_sees_close_within_ms":3000}}`,
			`{"error":{"class":"timeout"},"within_ms":100}`,
		},
		"break": {
			`{"request":` + streams + `,"consumer":{"mode":"break_after_text","text":"a"},"responses":[{"status":200,` + sse + `,"body":"` + text + `","end":"hang"}]}`,
			`{"reply":{"text":"ab","partial":false},"leaks":{"goroutines_back_within_ms":3000,"server_sees_close_within_ms":3000}}`,
			`{"reply":{"partial":true}}`,
		},
		"redirect to the canary": {
			`{"request":` + hi + `,"responses":[{"status":307,"headers":{"location":"{canary}/steal"},"body":""}]}`,
			`{"canary_hits":0,"error":{"retryable":false},"request_count":1}`,
			`{"canary_hits":1,"error":{}}`,
		},
		"canary called": {
			`{"request":` + hi + `,"config":{"base_url":"{canary}/v1"}}`,
			`{"canary_hits":1,"error":{"class":"bad_request"},"no_network":true,"request_count":0}`,
			`{"canary_hits":0,"error":{}}`,
		},
		"answers used up": {
			`{"request":` + hi + `,"config":{"max_retries":1},"responses":[{"status":500,"headers":{"retry-after-ms":"20"},"body":""}]}`,
			`{"request_count":2,"error":{"class":"server","status":500,"retryable":true},"timing":{"between":[0,1],"min_ms":20,"max_ms":5000}}`,
			`{"error":{},"timing":[{"between":[0,1],"max_ms":19}]}`,
		},
		"retry after as a date": {
			`{"request":` + hi + `,"responses":[{"status":429,"headers":{"retry-after":"{{HTTPDATE:+7s}}"},"body":""}]}`,
			`{"error":{"class":"rate_limit","retry_after_ms":7000}}`,
			`{"error":{"retry_after_ms":9000}}`,
		},
		"retry after in seconds": {
			`{"request":` + hi + `,"responses":[{"status":429,"headers":{"retry-after":"7"},"body":""}]}`,
			`{"error":{"retry_after_ms":7000}}`,
			`{"error":{"retry_after_ms":7100}}`,
		},
		"nobody listens": {
			`{"request":` + hi + `,"config":{"unreachable":true,"api_key":"canary-key"}}`,
			`{"no_network":true,"error":{"class":"transport","message_absent":["canary-key","x-never"]},"log_absent":"canary-key"}`,
			`{"error":{"class":"server"}}`,
		},
		"url, header and raw body": {
			`{"request":` + hi + `,"config":{"base_url":"{server}/a/v1?b=c","api_key":"k"},"responses":[{"status":200,"body":"` + whole + `"}]}`,
			`{"wire":[{"at":"url","op":"matches","value":"b=c$"},{"at":"url-path","op":"equal","value":"/a/v1/chat/completions"},
			  {"at":"header:authorization","op":"equal","value":"Bearer k"},{"at":"header:x-none","op":"absent"},
			  {"at":"","op":"text_present","value":"\"hi\""},{"at":"","op":"contains","value":{"model":"m"}}]}`,
			`{"wire":[{"at":"header:x-none","op":"equal","value":""}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs, err := cases.Parse("t", file("stream", c.given, c.green))
			if err != nil {
				t.Fatal(err)
			}
			o := runs[0].Do(t.Context())
			for _, fault := range o.Check() {
				t.Error(fault)
			}
			red, err := cases.ParseExpect([]byte(c.red))
			if err != nil {
				t.Fatal(err)
			}
			if len(o.Against(&red)) == 0 {
				t.Errorf("%s is green too", c.red)
			}
		})
	}
}

// TestRunNamesTools: a body can hold the name that the request gave to a tool.
func TestRunNamesTools(t *testing.T) {
	t.Parallel()
	call := `{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",` +
		`\"function\":{\"name\":\"{{WIRE_TOOL_NAME:1}}\",\"arguments\":\"{\\\"n\\\":1.0}\"}}]},\"finish_reason\":\"tool_calls\"}]}`
	given := `{"request":` + hi[:len(hi)-1] + `,"tools":[{"name":"a"},{"name":"b","parameters":{"type":"object"}}]},"loop":{"max_steps":1},
		"responses":[{"status":200,"body":"` + call + `"}],"tools_impl":{"b":{"by_arguments":[{"when":{"n":1},"returns":{"x":1}}]}}}`
	runs, err := cases.Parse("t", file("loop", given, `{"error":{"class":"max_steps"},"tool_runs":[{"name":"b","arguments":{"n":1}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range runs[0].Do(t.Context()).Check() {
		t.Error(fault)
	}
}

// TestAgainstWhatLeaks: leaks, late calls and logged keys are red.
func TestAgainstWhatLeaks(t *testing.T) {
	t.Parallel()
	o := &cases.Outcome{
		Run: &cases.Run{Case: &cases.Case{}}, Took: 2 * time.Second, GoroutinesBack: time.Second, CloseSeen: 2 * time.Second,
		Log: "key=abc",
	}
	for _, red := range []string{
		`{"leaks":{"goroutines_back_within_ms":999}}`, `{"leaks":{"server_sees_close_within_ms":1999}}`,
		`{"within_ms":1999}`, `{"log_absent":"abc"}`, `{"log_absent":["x","key"]}`, `{"no_network":false}`, `{"warns":true}`,
	} {
		e, err := cases.ParseExpect([]byte(red))
		if err != nil {
			t.Fatal(err)
		}
		if faults := o.Against(&e); len(faults) != 1 {
			t.Errorf("%s: %s", red, strings.Join(faults, "; "))
		}
	}
}
