package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/tools"
)

// ErrClosed says that the session was closed.
var ErrClosed = errors.New("session closed")

// ErrOutcomeUnknown says that a connection broke while a tool with side effects
// may have been running, or that its answer can't be read. The call was not
// repeated.
var ErrOutcomeUnknown = tools.ErrOutcomeUnknown

// Session is a connection to a server, which reconnects when it is lost. It is
// safe for concurrent use. [Session.Close] ends it; until then it has goroutines
// of its own, and the process of Config.Command runs.
type Session struct {
	cfg  Config
	name string

	turn     chan struct{} // held while the connection is looked at or made
	link     *link
	watchers sync.WaitGroup
	closing  chan struct{} // closed by Close

	mu         sync.Mutex       // guards what follows
	calls      map[string]*call // by progress token
	endedCalls []string         // tokens of calls that are over, the oldest first
	tokens     int
	skipped    []Skipped
}

// Connect connects to a server. ctx bounds the connecting, not the session.
func Connect(ctx context.Context, cfg Config) (*Session, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	s := &Session{
		cfg: cfg, name: cfg.serverName(),
		turn: make(chan struct{}, 1), closing: make(chan struct{}), calls: make(map[string]*call),
	}
	l, err := s.openLink(ctx)
	if err != nil {
		return nil, err
	}
	s.link = l
	return s, nil
}

// Close ends the session. Calls that are under way fail with [ErrClosed]. A
// server that was started is asked to end, and killed if it doesn't within some
// seconds. Close returns when all that belongs to the session is gone.
func (s *Session) Close() error {
	s.mu.Lock()
	if !s.isClosed() {
		close(s.closing)
	}
	for _, c := range s.calls {
		c.cancel(ErrClosed)
	}
	s.mu.Unlock()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.link.close()
	s.watchers.Wait()
	return nil
}

// Instructions are what the server says about the use of its tools, for
// Agent.System; often empty. They are the server's words: see the package
// comment.
func (s *Session) Instructions(ctx context.Context) (string, error) {
	l, err := s.liveLink(ctx)
	if err != nil {
		return "", err
	}
	return l.session.InitializeResult().Instructions, nil
}

// SDK returns the session of the SDK, for what this package doesn't cover, such
// as prompts and resources. It is valid until the connection is lost. Bound what
// is asked of it by a context: [Session.Close] may wait for it.
func (s *Session) SDK(ctx context.Context) (*sdk.ClientSession, error) {
	l, err := s.liveLink(ctx)
	if err != nil {
		return nil, err
	}
	return l.session, nil
}

// liveLink returns a connection that isn't known to be lost, and makes one if
// there is none.
func (s *Session) liveLink(ctx context.Context) (*link, error) {
	select {
	case s.turn <- struct{}{}:
	case <-s.closing:
		return nil, s.errClosed()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	l, anew, err := s.currentLink(ctx)
	<-s.turn
	if anew {
		s.yieldEvent(Reconnected{})
	}
	return l, err
}

func (s *Session) currentLink(ctx context.Context) (l *link, anew bool, err error) {
	switch {
	case s.isClosed():
		return nil, false, s.errClosed()
	case !s.link.isGivenUp():
		return s.link, false, nil
	}
	ctx, _, done := s.addCall(ctx, &call{}) // so that Close doesn't wait for a server that is mute
	defer done()
	l, err = s.openLink(ctx)
	if err != nil {
		return nil, false, err
	}
	s.link = l
	return l, true, nil
}

func (s *Session) isClosed() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

func (s *Session) errClosed() error { return fmt.Errorf("mcp: %s: %w", s.name, ErrClosed) }

// reportLost says nothing once the session is closed.
func (s *Session) reportLost(err error) {
	if !s.isClosed() {
		s.yieldEvent(Lost{fmt.Errorf("mcp: %s: %w", s.name, err)})
	}
}

func (s *Session) yieldEvent(ev Event) {
	if s.cfg.OnEvent != nil {
		s.cfg.OnEvent(ev)
	}
}

// moduleVersion is this module's version, as far as the build knows it.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	const path = "github.com/sabir-go/sabir"
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path && m.Version != "" {
			return m.Version
		}
	}
	return "devel"
}
