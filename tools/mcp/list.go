package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/tools"
)

// Skipped is a tool of the server that can't be offered to a model.
type Skipped struct {
	// Name is the server's.
	Name string
	Err  error
}

// Tools asks the server for its tools, for [tools.NewSet] alone or among
// others. They stay as they are when the server changes its list: whoever
// approved a tool by its description has it until Tools is called again. They
// work as long as the session.
//
// A tool keeps the server's name, after Config.Prefix, where every provider
// takes that: other characters become underscores, and names that are too long
// or would be the same end in a hash of the name. What can't be offered is left
// out and listed by [Session.Skipped].
func (s *Session) Tools(ctx context.Context) ([]tools.Tool, error) {
	listed, err := s.listTools(ctx)
	if err != nil {
		return nil, err
	}
	var (
		out     []tools.Tool
		skipped []Skipped
		names   = shownNames(s.cfg.Prefix, listed)
		taken   = make(map[string]bool, len(listed))
	)
	for i, l := range listed {
		switch {
		case l.tool == nil:
		case taken[names[i]]:
			l.err = errTwice
		case s.cfg.Filter != nil && !s.cfg.Filter(l.tool):
			continue
		}
		var t tools.Tool
		if l.err == nil {
			taken[names[i]] = true
			t = s.newTool(names[i], l)
			l.err = t.Err()
		}
		if l.err != nil {
			skipped = append(skipped, Skipped{l.name(), l.err})
			continue
		}
		out = append(out, t)
	}
	s.mu.Lock()
	s.skipped = skipped
	s.mu.Unlock()
	return out, nil
}

// Set is [Session.Tools] as a set.
func (s *Session) Set(ctx context.Context) (*tools.Set, error) {
	list, err := s.Tools(ctx)
	if err != nil {
		return nil, err
	}
	return tools.NewSet(list...), nil
}

// Skipped lists the tools that the last [Session.Tools] left out though
// Config.Filter wants them, and why: no schema that can be used, a name that
// occurs twice.
func (s *Session) Skipped() []Skipped {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.skipped)
}

func (s *Session) newTool(shown string, l listed) tools.Tool {
	r := &remote{session: s, name: l.tool.Name, shown: shown, options: s.cfg.toolOptions(l.tool)}
	if l.schema == nil {
		l.schema, _ = marshal(l.tool.InputSchema) // what came as JSON goes as JSON
	}
	return tools.Raw(shown, cmp.Or(l.tool.Description, l.tool.Title), l.schema, r.run).With(r.options)
}

var (
	errTwice   = errors.New("the name occurs twice")
	errHeaders = errors.New("its x-mcp-header annotations are not valid")
	errNoTool  = errors.New("the entry is empty")
	errTask    = errors.New("it only runs as a task, which the MCP SDK doesn't know")
)

// listed is an entry of the server's list. err says why it can't be used.
type listed struct {
	tool   *sdk.Tool
	schema json.RawMessage // as the server wrote it; nil if that isn't known
	err    error
}

func (l listed) name() string {
	if l.tool == nil {
		return ""
	}
	return l.tool.Name
}

// maxPages bounds a list, which a server could go on with for ever, beside the
// limit for one message.
const maxPages = 1000

// listTools asks for all pages, on a new connection if the old one breaks.
func (s *Session) listTools(ctx context.Context) ([]listed, error) {
	ctx, _, done := s.addCall(ctx, &call{})
	defer done()
	for again := true; ; again = false {
		l, err := s.liveLink(ctx)
		if err != nil {
			return nil, err
		}
		all, t, err := s.listPages(ctx, l)
		switch {
		case err == nil:
			return all, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("mcp: %s: list tools: %w", s.name, context.Cause(ctx))
		case isPlainError(err):
			return nil, fmt.Errorf("mcp: %s: %w", s.name, err)
		}
		r := &remote{session: s}
		retry, err := r.explainFailure(ctx, l, t, err)
		if !retry || !again {
			return nil, fmt.Errorf("mcp: %s: list tools: %w", s.name, err)
		}
	}
}

// listPages asks for all pages. Of a failure it returns the trace of the
// request that failed.
func (s *Session) listPages(ctx context.Context, l *link) (all []listed, t *requestTrace, err error) {
	if caps := l.session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var params sdk.ListToolsParams
	size, asked := 0, make(map[string]bool) // asked by cursor; the first page has none
	for range maxPages {
		asked[params.Cursor] = true
		var traced context.Context
		traced, t = withTrace(ctx)
		res, err := l.session.ListTools(traced, &params)
		if err != nil {
			return nil, t, err
		}
		all = appendPage(all, t, res.Tools)
		if size += len(t.result); size > s.cfg.maxMessage() {
			return nil, t, newPlainError("the list of tools is too large", nil)
		}
		if res.NextCursor == "" {
			return all, t, nil
		}
		if asked[res.NextCursor] {
			return nil, t, newPlainError("the list of tools goes round in a circle", nil)
		}
		params = sdk.ListToolsParams{Cursor: res.NextCursor}
	}
	return nil, t, newPlainError(fmt.Sprintf("the list of tools has more than %d pages", maxPages), nil)
}

// appendPage adds a page, with what the SDK left out of it. Of a page from the
// SDK's cache nothing was traced.
func appendPage(all []listed, t *requestTrace, kept []*sdk.Tool) []listed {
	var page struct {
		Tools []struct {
			InputSchema json.RawMessage `json:"inputSchema"`
			Execution   struct {
				TaskSupport string `json:"taskSupport"`
			} `json:"execution"`
		} `json:"tools"`
	}
	whole := t.listed
	if whole == nil {
		whole = kept
	}
	known := t.decodeAnswer(&page) && len(page.Tools) == len(whole)
	for i, tool := range whole {
		l := listed{tool: tool}
		if known {
			l.schema = page.Tools[i].InputSchema
		}
		switch {
		case tool == nil:
			l.err = errNoTool
		case len(kept) == 0 || kept[0] != tool:
			l.err = errHeaders
		case known && page.Tools[i].Execution.TaskSupport == "required":
			l.err = errTask
		}
		if len(kept) > 0 && kept[0] == tool { // what was kept is in the same order
			kept = kept[1:]
		}
		all = append(all, l)
	}
	return all
}

// maxName is the longest name that every provider takes.
const maxName = 64

// shownNames returns the name of each tool as the model sees it. It depends on
// which names there are, not on their order.
func shownNames(prefix string, list []listed) []string {
	bases := make(map[string]int, len(list))
	for _, l := range list {
		bases[legalName(prefix+l.name())]++
	}
	names := make([]string, len(list))
	for i, l := range list {
		whole := prefix + l.name()
		base := legalName(whole)
		if len(base) > maxName || base != whole && bases[base] > 1 {
			sum := sha256.Sum256([]byte(l.name()))
			tail := "_" + hex.EncodeToString(sum[:4])
			base = base[:min(len(base), maxName-len(tail))] + tail
		}
		names[i] = base
	}
	return names
}

func legalName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_', r == '-', r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
			return r
		}
		return '_'
	}, name)
}
