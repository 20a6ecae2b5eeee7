package cases

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
)

// limit is the longest that a run may take.
const limit = 10 * time.Second

// Outcome is what came of a run.
type Outcome struct {
	Run      *Run
	Dialect  string
	Requests []Seen
	Canary   int
	// Reply is the final reply, or what was read of it when Err came.
	Reply  *chat.Reply
	Err    error
	Warned bool
	// IDs are those of the calls before the final reply.
	IDs      []string
	ToolRuns []ToolRun
	// Texts are the text deltas.
	Texts []string
	// Took is how long the call took, ErrTook the same from where the caller
	// cancelled, if it did.
	Took, ErrTook time.Duration
	// GoroutinesBack, CloseSeen are how long things took to be as before.
	GoroutinesBack, CloseSeen time.Duration
	Log                       string
	// Broken is why the run could not be made.
	Broken error
}

// session is one run under way.
type session struct {
	*Outcome
	client   *sabir.Client
	req      *chat.Request
	cancel   context.CancelFunc
	canceled time.Time
}

// Do runs a case.
func (r *Run) Do(ctx context.Context) *Outcome {
	o := &Outcome{Run: r, Dialect: r.Case.Dialect, Broken: r.Err}
	if r.Err != nil {
		return o
	}
	logged := captureLogs()
	srv, err := startServer(ctx, r)
	if err != nil {
		o.Broken = err
		return o
	}
	defer srv.close()
	if err := o.run(ctx, srv); err != nil {
		o.Broken = err
		return o
	}
	o.Requests, o.Canary = srv.seenRequests()
	o.Log = logged()
	return o
}

func (o *Outcome) run(ctx context.Context, srv *server) error {
	given := &o.Run.Given
	address := srv.url
	if given.Config.Unreachable {
		var err error
		if address, err = closedPort(ctx); err != nil {
			return err
		}
	}
	pool := &http.Transport{}
	eng := newEngine(o.Run.Case, given.Config.withCanary(srv), address, &http.Client{Transport: pool})
	req, err := o.Run.Case.mapRequest(&given.Request, eng.Name())
	if err != nil {
		return err
	}
	s := &session{Outcome: o, client: sabir.New(eng), req: req}
	mark := newMark()
	pprof.Do(ctx, pprof.Labels(markKey, mark), s.makeCall)
	ended := time.Now()
	pool.CloseIdleConnections()
	if ms := o.Run.Want.leakLimit(); ms >= 0 {
		wait := time.Duration(ms)*time.Millisecond + time.Second
		o.CloseSeen = srv.idleAfter(ended, wait)
		o.GoroutinesBack = goneAfter(mark, ended, wait)
	}
	return nil
}

func (c Config) withCanary(srv *server) Config {
	c.BaseURL = strings.ReplaceAll(c.BaseURL, "{canary}", srv.trap)
	return c
}

func (s *session) makeCall(ctx context.Context) {
	wait := limit
	if ms := s.Run.Given.Config.DeadlineMS; ms > 0 {
		wait = time.Duration(ms) * time.Millisecond
	}
	ctx, s.cancel = context.WithTimeout(ctx, wait)
	defer s.cancel()
	start := time.Now()
	if s.Run.Case.Kind == "loop" {
		s.Reply, s.Err = s.runLoop(ctx)
	} else {
		s.Reply, s.Err = s.callModel(ctx)
	}
	s.Took = time.Since(start)
	s.ErrTook = s.Took
	if !s.canceled.IsZero() {
		s.ErrTook = time.Since(s.canceled)
	}
	s.takePartial()
}

// takePartial takes the reply out of the error. It drops the error if it is
// about an answer that the runner made up itself.
func (s *session) takePartial() {
	if e, ok := errors.AsType[*chat.Error](s.Err); ok && e.Reply != nil {
		s.Reply = e.Reply
		s.noteWarnings(e.Reply)
	}
	if s.Run.standsIn() && len(s.Run.Given.Responses) == 0 && s.Err != nil && judgesReply(s.Err) {
		s.Err = nil
	}
}

func (s *session) noteWarnings(r *chat.Reply) {
	s.Warned = s.Warned || len(r.Warnings) > 0 || len(r.Steps) > 0
}

func (s *session) callModel(ctx context.Context) (*chat.Reply, error) {
	if !s.Run.Given.Request.Stream {
		reply, err := s.client.Chat(ctx, s.req)
		if err == nil {
			s.noteWarnings(reply)
		}
		return reply, err
	}
	return s.readStream(s.client.Stream(ctx, s.req))
}

// readStream reads a stream in the way of the case.
func (s *session) readStream(stream iter.Seq2[chat.Event, error]) (*chat.Reply, error) {
	how := s.Run.Given.Consumer
	var text strings.Builder
	var reply *chat.Reply
	for ev, err := range stream {
		if err != nil {
			return nil, err
		}
		switch ev := ev.(type) {
		case chat.TextDelta:
			text.WriteString(ev.Text)
			s.Texts = append(s.Texts, ev.Text)
		case chat.Done:
			reply = ev.Reply
			s.noteWarnings(reply)
		case chat.ThinkingDelta, chat.ToolCallStart, chat.ToolCallDelta, chat.ToolCallDone:
		}
		if how.Mode == "" || how.Mode == drain || !strings.Contains(text.String(), how.Text) {
			continue
		}
		if how.Mode == breakAfterText {
			return &chat.Reply{Parts: []chat.Part{chat.Text{Text: text.String()}}}, nil
		}
		if s.canceled.IsZero() {
			s.canceled = time.Now()
			s.cancel()
		}
	}
	if reply == nil {
		return nil, errors.New("the stream ended with neither a reply nor an error")
	}
	return reply, nil
}
