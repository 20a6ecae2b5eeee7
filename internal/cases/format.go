package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Case is one file.
type Case struct {
	ID      string   `json:"id"`
	Slug    string   `json:"slug"`
	Title   string   `json:"title"`
	Theme   string   `json:"theme"`
	Source  []string `json:"source"`
	Dialect string   `json:"dialect"`
	Profile string   `json:"profile"`
	Kind    string   `json:"kind"`
	Basis   string   `json:"basis"`
	Why     string   `json:"why"`
	Docs    []string `json:"docs"`
	// Given and Expect are taken apart once variants are laid over them.
	Given  json.RawMessage `json:"given"`
	Expect json.RawMessage `json:"expect"`
}

// Given is what goes in, for one run.
type Given struct {
	Request   Request         `json:"request"`
	Responses []Response      `json:"responses"`
	Config    Config          `json:"config"`
	Loop      Loop            `json:"loop"`
	ToolsImpl map[string]Impl `json:"tools_impl"`
	Consumer  Consumer        `json:"consumer"`
}

// Response is one answer of the server.
type Response struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	Chunks     []int             `json:"chunks"`
	ChunkEvery int               `json:"chunk_every"`
	End        string            `json:"end"`
}

// Config is how the client is built.
type Config struct {
	BaseURL     string `json:"base_url"`
	APIKey      string `json:"api_key"`
	MaxRetries  int    `json:"max_retries"`
	DeadlineMS  int    `json:"deadline_ms"`
	Unreachable bool   `json:"unreachable"`
}

// Loop bounds a tool loop.
type Loop struct {
	MaxSteps int `json:"max_steps"`
}

// Impl is what a tool does.
type Impl struct {
	Returns     json.RawMessage `json:"returns"`
	DelayMS     int             `json:"delay_ms"`
	ByArguments []ImplCase      `json:"by_arguments"`
}

// ImplCase is what a tool does for some arguments.
type ImplCase struct {
	When    json.RawMessage `json:"when"`
	Returns json.RawMessage `json:"returns"`
	DelayMS int             `json:"delay_ms"`
}

// Consumer is how a stream is read.
type Consumer struct {
	Mode string `json:"mode"`
	Text string `json:"text"`
}

// The words of the format.
var (
	themes = []string{
		"tool-choice", "thinking-forced", "replay", "stream-tools", "args", "truncation", "sse", "unicode",
		"error-shape", "retry", "schema", "names", "history", "usage", "params", "structured", "endpoint",
		"security", "concurrency", "loop", "hermes",
	}
	profiles  = []string{"", "openai", "deepseek", "mistral", "openrouter", "gemini-compat"}
	kinds     = []string{"request", "schema", "response", "stream", "error", "loop"}
	bases     = []string{"provider", "spec", "policy"}
	ends      = []string{"", "eof", "reset", "hang"}
	consumers = []string{"", drain, cancelAfterText, breakAfterText}
)

const (
	drain           = "drain"
	cancelAfterText = "cancel_after_text"
	breakAfterText  = "break_after_text"
)

func (c *Case) check() error {
	if c.ID == "" || len(c.Given) == 0 || len(c.Expect) == 0 {
		return errors.New("id, given and expect are needed")
	}
	if _, ok := dialects[c.Dialect]; !ok {
		return fmt.Errorf("dialect %q is not known", c.Dialect)
	}
	return errors.Join(
		checkWord("profile", c.Profile, profiles), checkWord("theme", c.Theme, themes),
		checkWord("kind", c.Kind, kinds), checkWord("basis", c.Basis, bases),
	)
}

func (g *Given) check() error {
	errs := []error{checkWord("consumer.mode", g.Consumer.Mode, consumers)}
	for _, r := range g.Responses {
		errs = append(errs, checkWord("end", r.End, ends))
		if r.Status < 100 || r.Status > 599 {
			errs = append(errs, fmt.Errorf("status %d is none", r.Status))
		}
		if !slices.IsSorted(r.Chunks) || len(r.Chunks) > 0 && r.ChunkEvery > 0 {
			errs = append(errs, errors.New("chunks must ascend, and can't stand beside chunk_every"))
		}
	}
	return errors.Join(errs...)
}

func checkWord(member, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s %q is not defined", member, word)
}

// decodeStrict decodes one JSON value and refuses members that into doesn't have.
func decodeStrict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the value")
	}
	return nil
}

// texts is one text or a list of them.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error { return oneOrMany(data, (*[]string)(t)) }

func oneOrMany[T any](data []byte, into *[]T) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return decodeStrict(data, into)
	}
	var one T
	if err := decodeStrict(data, &one); err != nil {
		return err
	}
	*into = []T{one}
	return nil
}
