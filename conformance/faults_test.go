package conformance

// fault is what an official client is known to do otherwise than sabir.
type fault struct {
	differ []string
	why    string
}

// noEnd: a stream that ends early but cleanly is an error for sabir; none of
// the official clients notices. Source: observed with openai-go v3.99.0,
// anthropic-sdk-go v2.15.0, go-genai v1.77.0, Ollama's api package and
// bedrockruntime v1.63.13, 2026-11-30.
var noEnd = fault{[]string{"error"}, "the client takes any clean end of the body for the end of the answer"}

// blocked: the official client leaves it to its user to look.
var blocked = fault{[]string{"error"}, "a blocked prompt is a reply without candidates, not an error"}

// faults are by dialect and file. An entry that no longer holds fails the test.
var faults = map[string]map[string]fault{
	"openaichat": {
		"aimock/openai-cut-stream/stream.sse":          noEnd,
		"openai/stream-truncated/stream.sse":           noEnd,
		"openai/stream-truncated-mid-event/stream.sse": noEnd,
		"compat/stream-tool-call-no-index/stream.sse":  {[]string{"calls"}, "two calls without an index are glued into one"},
		"compat/stream-tool-call-index-starts-at-1/stream.sse": {
			[]string{"calls"}, "the index is taken for a position, so that an empty call comes first",
		},
		"compat/stream-comments/stream.sse": {
			[]string{"error"}, "the accumulator refuses a last chunk whose id is another than the first's",
		},
	},
	"openairesponses": {
		"openai/stream-truncated/stream.sse": {
			[]string{"error", "calls"}, noEnd.why + "; the whole reply stands in the last event only",
		},
		"openai/input-tokens/reply.json": {
			[]string{"error"}, "the answer of another endpoint is taken for an empty response",
		},
	},
	"anthropic": {
		"captures/aimock/anthropic-cut-stream/stream.sse": noEnd,
		"fixtures/truncated/stream.sse":                   noEnd,
		"fixtures/truncated-no-message-stop/stream.sse":   noEnd,
	},
	"gemini": {
		"fixtures/truncated/stream.sse":             noEnd,
		"fixtures/prompt-blocked/reply.json":        blocked,
		"fixtures/prompt-blocked-stream/stream.sse": blocked,
		"fixtures/tool-call-partial-args-vertex/stream.sse": {
			[]string{"calls"}, "partial arguments are left to be pieced together by the user",
		},
		"fixtures/continuation/reply.json": {
			[]string{"error"}, "the client goes on by itself, with a second request",
		},
		"fixtures/array-no-alt-sse/reply.json": {
			[]string{"error"}, "a whole reply in the form of a list is not read",
		},
	},
	"ollama": {
		"composed/truncated/stream.ndjson": noEnd,
	},
	"bedrockconverse": {
		"fixtures/stream-truncated/stream.eventstream":           noEnd,
		"fixtures/stream-truncated-mid-frame/stream.eventstream": noEnd,
	},
}
