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

// run calls the tool. Once, where that can be known: a call that has not
// reached the server, or that does no harm, is made again on a new connection.
func (r *remote) run(ctx context.Context, args json.RawMessage) (chat.ToolResult, error) {
	s := r.session
	ctx, token, done := s.begin(ctx, &call{tool: r, args: args})
	defer done()
	for again := true; ; again = false {
		l, err := s.live(ctx)
		if err != nil {
			return chat.ToolResult{}, err
		}
		tripCtx, t := track(ctx)
		params := &sdk.CallToolParams{Name: r.name, Arguments: args}
		if s.cfg.OnEvent != nil {
			params.SetProgressToken(token)
		}
		res, err := l.session.CallTool(tripCtx, params)
		if err == nil {
			return r.result(res, t)
		}
		retry, err := r.failed(ctx, l, t, err)
		if !retry || !again {
			return chat.ToolResult{}, fmt.Errorf("mcp: %s: %w", s.name, err)
		}
	}
}

// lateCalls is how many calls that are over can still be told the progress of:
// the SDK hands progress on when it finds time, which can be after the result.
const lateCalls = 32

// begin notes a call, so that Close can end it and its progress finds it.
func (s *Session) begin(ctx context.Context, c *call) (context.Context, string, func()) {
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
		if s.over = append(s.over, token); len(s.over) > lateCalls {
			delete(s.calls, s.over[0])
			s.over = slices.Delete(s.over, 0, 1)
		}
	}
}

// failed says what a failed call means, and whether it may be made again.
func (r *remote) failed(ctx context.Context, l *link, t *trip, err error) (retry bool, _ error) {
	if ctx.Err() != nil {
		return false, r.perhaps(context.Cause(ctx))
	}
	var answer json.RawMessage
	if _, ok := answered(err); !ok && t.answer(&answer) {
		return false, r.unread(answer, err)
	}
	if l.http {
		return r.failedHTTP(ctx, l, t, err)
	}
	if _, ok := answered(err); ok {
		return false, plain(err)
	}
	why := l.broken(ctx, err)
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, errUnsent) || !r.options.SideEffects {
		return true, why
	}
	return false, r.perhaps(why)
}

// unread says what it means that the SDK made nothing of an answer.
func (r *remote) unread(answer json.RawMessage, err error) error {
	var m struct {
		ResultType string `json:"resultType"`
	}
	if json.Unmarshal(answer, &m) == nil && m.ResultType == "input_required" {
		return plain(err) // a question that was not answered: the tool has not gone on
	}
	return r.perhaps(fault("the answer can't be read: "+err.Error(), err))
}

func (r *remote) failedHTTP(ctx context.Context, l *link, t *trip, err error) (retry bool, _ error) {
	_, ok := answered(err)
	switch {
	case errors.Is(err, sdk.ErrConnectionClosed):
		return true, l.broken(ctx, err)
	case t.session && (t.status == http.StatusNotFound || t.status == http.StatusBadRequest):
		// The server doesn't know the session any more, so it ran nothing. The
		// specification says 404; the reference server says 400.
		l.giveUp(plain(err))
		return true, l.broken(ctx, err)
	case ok, t.unsent, t.status >= 400 && t.status < 500:
		return false, plain(err)
	case t.status >= 500:
		return false, r.perhaps(plain(err))
	}
	return !r.options.SideEffects, r.perhaps(plain(err))
}

// perhaps adds to an error of a call that may have been carried out what has to
// be known of it.
func (r *remote) perhaps(err error) error {
	if !r.options.SideEffects {
		return err
	}
	return fmt.Errorf("%s may or may not have been carried out: %w: %w", r.shown, ErrOutcomeUnknown, err)
}

// progressed hands on how far a call is.
func (s *Session) progressed(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
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
	s.tell(Progress{Tool: c.tool.shown, Arguments: c.args, Done: p.Progress, Total: p.Total, Message: p.Message})
}
