package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// remote is a tool of the server.
type remote struct {
	session *Session
	name    string // the server's
	shown   string // the model's
	options tools.Options
}

// call is a call under way, or something else that Close has to end: a question
// to the user, a list, a new connection.
type call struct {
	tool   *remote // nil unless it is a call
	args   json.RawMessage
	cancel context.CancelCauseFunc
}

// run calls the tool once, as far as that can be known: a call that has not
// reached the server, or that does no harm, is made again on a new connection.
func (r *remote) run(ctx context.Context, args json.RawMessage) (chat.ToolResult, error) {
	s := r.session
	ctx, token, done := s.addCall(ctx, &call{tool: r, args: args})
	defer done()
	for again := true; ; again = false {
		l, err := s.liveLink(ctx)
		if err != nil {
			return chat.ToolResult{}, err
		}
		traced, t := withTrace(ctx)
		params := &sdk.CallToolParams{Name: r.name, Arguments: args}
		if s.cfg.OnEvent != nil {
			params.SetProgressToken(token)
		}
		res, err := l.session.CallTool(traced, params)
		if err == nil {
			return r.decodeResult(res, t)
		}
		retry, err := r.explainFailure(ctx, l, t, err)
		if !retry || !again {
			return chat.ToolResult{}, fmt.Errorf("mcp: %s: %w", s.name, err)
		}
	}
}

// lateCalls is how many ended calls are remembered. The SDK delivers progress
// on goroutines of its own, which can be after the result.
const lateCalls = 32

// addCall registers a call, so that Close can end it and its progress finds it.
// The function ends it.
func (s *Session) addCall(ctx context.Context, c *call) (context.Context, string, func()) {
	ctx, c.cancel = context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens++
	token := strconv.Itoa(s.tokens)
	s.calls[token] = c
	if s.isClosed() {
		c.cancel(ErrClosed)
	}
	return ctx, token, func() {
		c.cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.endedCalls = append(s.endedCalls, token); len(s.endedCalls) > lateCalls {
			delete(s.calls, s.endedCalls[0])
			s.endedCalls = slices.Delete(s.endedCalls, 0, 1)
		}
	}
}

// explainFailure reports what a failed call means, and whether it may be made
// again.
func (r *remote) explainFailure(ctx context.Context, l *link, t *requestTrace, err error) (retry bool, _ error) {
	if ctx.Err() != nil {
		return false, r.markUnknown(context.Cause(ctx))
	}
	var answer json.RawMessage
	if _, ok := asAnswer(err); !ok && t.decodeAnswer(&answer) {
		return false, r.explainUnread(answer, err)
	}
	if l.http {
		return r.explainHTTPFailure(ctx, l, t, err)
	}
	if _, ok := asAnswer(err); ok {
		return false, asPlainError(err)
	}
	why := l.awaitEnd(ctx, err)
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, errUnsent) || !r.options.SideEffects {
		return true, why
	}
	return false, r.markUnknown(why)
}

// explainUnread is explainFailure for an answer that the SDK couldn't read.
func (r *remote) explainUnread(answer json.RawMessage, err error) error {
	var m struct {
		ResultType string `json:"resultType"`
	}
	if json.Unmarshal(answer, &m) == nil && m.ResultType == "input_required" {
		return asPlainError(err) // a question that was not answered: the tool has not gone on
	}
	return r.markUnknown(newPlainError("the answer can't be read: "+err.Error(), err))
}

func (r *remote) explainHTTPFailure(ctx context.Context, l *link, t *requestTrace, err error) (retry bool, _ error) {
	_, ok := asAnswer(err)
	switch {
	case errors.Is(err, sdk.ErrConnectionClosed):
		return true, l.awaitEnd(ctx, err)
	case t.session && (t.status == http.StatusNotFound || t.status == http.StatusBadRequest):
		// The server doesn't know the session any more, so it ran nothing. The
		// specification says 404; the reference server says 400.
		l.giveUp(asPlainError(err))
		return true, l.awaitEnd(ctx, err)
	case ok, t.unsent, t.status >= 400 && t.status < 500:
		return false, asPlainError(err)
	case t.status >= 500:
		return false, r.markUnknown(asPlainError(err))
	}
	return !r.options.SideEffects, r.markUnknown(asPlainError(err))
}

// markUnknown says of an error that the call may have been carried out, if that
// matters.
func (r *remote) markUnknown(err error) error {
	if !r.options.SideEffects {
		return err
	}
	return fmt.Errorf("%s may or may not have been carried out: %w: %w", r.shown, ErrOutcomeUnknown, err)
}

func (s *Session) reportProgress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	token, ok := req.Params.ProgressToken.(string)
	if !ok {
		return
	}
	s.mu.Lock()
	c := s.calls[token]
	s.mu.Unlock()
	if c == nil || c.tool == nil {
		return
	}
	p := req.Params
	s.yieldEvent(Progress{Tool: c.tool.shown, Arguments: c.args, Done: p.Progress, Total: p.Total, Message: p.Message})
}
