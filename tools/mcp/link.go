package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is one connection to the server. A session has one at a time.
type link struct {
	session *sdk.ClientSession
	process *process // nil if the server isn't one that was started
	http    bool
	end     context.CancelFunc // ends what the connection is carried by
	free    func()             // nil: nothing is to be freed

	once  sync.Once     // shut
	mu    sync.Mutex    // giveUp and noise
	noise error         // what was read and is no message; nil: nothing
	bad   chan struct{} // closed when it is of no use any more
	err   error         // why; to be read after bad
	gone  chan struct{} // closed when that has been told
}

// openLink connects. If ctx ends before that is done, nothing is left.
func (s *Session) openLink(ctx context.Context) (*link, error) {
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	defer stop()
	l := &link{bad: make(chan struct{}), gone: make(chan struct{}), end: end}
	transport, err := s.newTransport(alive, l)
	if err == nil {
		opts := &sdk.ClientSessionOptions{ProtocolVersion: s.cfg.ProtocolVersion}
		l.session, err = s.newClient().Connect(ctx, transport, opts)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = l.explainError(err)
		}
		l.release()
		return nil, fmt.Errorf("mcp: %s: connect: %w", s.name, err)
	}
	s.watchers.Go(func() { s.watchLink(l) })
	return l, nil
}

// newTransport makes what the config asks for. alive ends with the connection.
func (s *Session) newTransport(alive context.Context, l *link) (sdk.Transport, error) {
	c := &s.cfg
	switch {
	case len(c.Command) > 0:
		p, err := startProcess(c)
		if err != nil {
			return nil, err
		}
		l.process = p
		context.AfterFunc(alive, func() { _ = p.in.Close() })
		return tap{p.newTransport(c.maxMessage()), l.noteGarbled}, nil
	case c.URL != "":
		client, free, err := httpClient(c, lifetime{alive})
		if err != nil {
			return nil, err
		}
		l.http, l.free = true, free
		return &sdk.StreamableClientTransport{
			Endpoint: c.URL, HTTPClient: client, OAuthHandler: c.OAuth, MaxEventSize: c.maxMessage(),
			DisableStandaloneSSE: c.OnEvent == nil && c.Elicit == nil, // nobody would hear what comes there
		}, nil
	case c.Server != nil:
		near, far := sdk.NewInMemoryTransports()
		served, err := c.Server.Connect(alive, far, nil)
		if err != nil {
			return nil, err
		}
		l.free = func() { _ = served.Close() }
		return tap{near, l.noteGarbled}, nil
	}
	t, err := c.Transport(alive)
	if t == nil && err == nil {
		return nil, errors.New("config: Transport gave none")
	}
	switch t.(type) {
	case *sdk.StreamableClientTransport:
		l.http = true
	case *sdk.IOTransport, *sdk.InMemoryTransport:
		t = tap{t, l.noteGarbled}
	}
	return t, err
}

func (s *Session) newClient() *sdk.Client {
	opts := &sdk.ClientOptions{
		Capabilities:       &sdk.ClientCapabilities{}, // no roots: a server sees nothing of the caller's files
		ElicitationHandler: s.elicitHandler(),
	}
	if s.cfg.OnEvent != nil {
		opts.ProgressNotificationHandler = s.reportProgress
		opts.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) { s.yieldEvent(ListChanged{}) }
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "sabir", Version: moduleVersion()}, opts)
	c.AddSendingMiddleware(noteListed)
	return c
}

// elicitHandler registers the caller's hook as a call, so that Close doesn't
// wait for it.
func (s *Session) elicitHandler() func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	if s.cfg.Elicit == nil {
		return nil
	}
	return func(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		ctx, _, done := s.addCall(ctx, &call{})
		defer done()
		res, err := s.cfg.Elicit(ctx, req)
		if res == nil && err == nil {
			res = &sdk.ElicitResult{Action: "cancel"}
		}
		return res, err
	}
}

// watchLink waits for the end of a connection, or ends one that was given up.
func (s *Session) watchLink(l *link) {
	var err error
	ended := make(chan struct{})
	go func() {
		err = l.session.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		if err == nil {
			err = errors.New("the server closed the connection")
		}
		err = l.explainError(err)
		l.giveUp(err)
		s.reportLost(err)
		close(l.gone)
		l.close()
	case <-l.bad:
		s.reportLost(l.err)
		close(l.gone)
		l.close()
		<-ended
	}
}

// noteGarbled records that the server wrote something that is no message.
func (l *link) noteGarbled(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.noise == nil {
		l.noise = err
	}
}

// explainError says what an error of the connection comes from: what the server
// wrote, or how its process ended.
func (l *link) explainError(err error) error {
	l.mu.Lock()
	noise := l.noise
	l.mu.Unlock()
	if noise != nil {
		return newPlainError("what the server wrote can't be read: "+noise.Error(), err)
	}
	if l.process == nil {
		return asPlainError(err)
	}
	if fate := l.process.describeExit(); fate != "" {
		return newPlainError("the server ended: "+fate, err)
	}
	return asPlainError(err)
}

// close ends the connection and waits until nothing of it is left: no process,
// and no call unless the connection has broken. The process goes first, since
// what waits for it would hold up the rest.
func (l *link) close() {
	l.once.Do(func() {
		if l.process != nil {
			l.process.stop()
		}
		_ = l.session.Close()
		l.release()
	})
}

func (l *link) release() {
	if l.process != nil {
		l.process.stop()
	}
	l.end()
	if l.free != nil {
		l.free()
	}
}

// giveUp keeps further calls off the connection. The first reason counts.
func (l *link) giveUp(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isGivenUp() {
		l.err = err
		close(l.bad)
	}
}

func (l *link) isGivenUp() bool {
	select {
	case <-l.bad:
		return true
	default:
		return false
	}
}

// awaitEnd waits until it is known why a connection broke. One that the other
// side goes on to hold open is given up.
func (l *link) awaitEnd(ctx context.Context, err error) error {
	wait, cancel := context.WithTimeout(ctx, 2*graceDrain)
	defer cancel()
	select {
	case <-l.gone:
	case <-wait.Done():
		l.giveUp(asPlainError(err))
	}
	<-l.bad
	return l.err
}
