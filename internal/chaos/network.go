package chaos

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

// Network answers every request from memory. It is an http.RoundTripper; the
// connections behind it are pipes, the HTTP on them is net/http's.
type Network struct {
	reply Reply
	http  *http.Transport

	servers sync.WaitGroup

	mu     sync.Mutex
	fault  *strike
	seen   Seen
	open   map[net.Conn]struct{}
	bodies int
}

// strike is a fault at its point. Once: only the first answer has it.
type strike struct {
	fault Fault
	at    Point
	once  bool
}

// Seen is what came to the network's servers, and what became of it.
type Seen struct {
	// Requests counts the requests that came in whole.
	Requests int
	// Hosts are the addresses that were dialled.
	Hosts []string
	// Delivered counts, for each request in turn, the bytes of the answer's
	// body that the client took from the connection.
	Delivered []int
	// Connections and Bodies are those open now.
	Connections, Bodies int
}

// New returns a network whose servers give one reply.
func New(reply Reply) *Network {
	n := &Network{reply: reply, open: map[net.Conn]struct{}{}}
	n.http = &http.Transport{DialContext: n.dial}
	return n
}

// Strike applies a fault to each further answer, or only to the first one, and
// forgets what was seen.
func (n *Network) Strike(f Fault, at Point, once bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault, n.seen = &strike{f, at, once}, Seen{}
}

// Seen returns what was seen so far.
func (n *Network) Seen() Seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.seen
	s.Connections, s.Bodies = len(n.open), n.bodies
	return s
}

// CloseIdle closes the connections on which no answer is being read.
func (n *Network) CloseIdle() { n.http.CloseIdleConnections() }

// Abort closes all connections.
func (n *Network) Abort() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.open {
		_ = c.Close()
	}
}

// RoundTrip implements [http.RoundTripper].
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := n.http.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	n.addCount(&n.bodies, 1)
	resp.Body = &countedBody{ReadCloser: resp.Body, closed: sync.OnceFunc(func() { n.addCount(&n.bodies, -1) })}
	return resp, nil
}

func (n *Network) addCount(counter *int, by int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	*counter += by
}

type countedBody struct {
	io.ReadCloser
	closed func()
}

func (b *countedBody) Close() error {
	b.closed()
	return b.ReadCloser.Close()
}

func (n *Network) dial(_ context.Context, _, address string) (net.Conn, error) {
	near, far := net.Pipe()
	c := &conn{Conn: near}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen.Hosts = append(n.seen.Hosts, address)
	n.open[far] = struct{}{}
	n.servers.Go(func() { n.serveConn(c.markReset, far) })
	return c, nil
}

// Serve answers the requests that come to a listener, too, until it is closed.
// The faults strike there as they do in memory.
func (n *Network) Serve(ln *net.TCPListener) {
	for {
		far, err := ln.AcceptTCP()
		if err != nil {
			return
		}
		n.mu.Lock()
		n.open[far] = struct{}{}
		n.mu.Unlock()
		// Closing with data that is not sent yet, and no time for it, is a reset.
		n.servers.Go(func() { n.serveConn(func() { _ = far.SetLinger(0) }, far) })
	}
}

// Wait returns when no connection is open any more.
func (n *Network) Wait() { n.servers.Wait() }

// serveConn answers the requests of one connection. prepare makes its closing a
// reset.
func (n *Network) serveConn(prepare func(), far net.Conn) {
	defer func() {
		_ = far.Close()
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.open, far)
	}()
	in := bufio.NewReader(far)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		number, s := n.nextScript()
		if !n.playScript(prepare, far, number, s) {
			return
		}
	}
}

func (n *Network) nextScript() (int, script) {
	n.mu.Lock()
	defer n.mu.Unlock()
	number := n.seen.Requests
	n.seen.Requests++
	n.seen.Delivered = append(n.seen.Delivered, 0)
	if n.fault == nil || n.fault.once && number > 0 {
		return number, n.reply.scriptWhole()
	}
	return number, n.reply.scriptFault(n.fault.fault, n.fault.at)
}

// playScript writes an answer and reports whether the connection lives on.
func (n *Network) playScript(prepare func(), far net.Conn, number int, s script) bool {
	if _, err := io.WriteString(far, s.head); err != nil {
		return false
	}
	if !n.deliver(far, number, s.body) {
		return false
	}
	for i := range len(s.slow) {
		time.Sleep(DripPause)
		if !n.deliver(far, number, s.slow[i:i+1]) {
			return false
		}
	}
	switch s.ending {
	case reset:
		prepare()
		return false
	case silent:
		// Ends when the client closes the connection.
		_, _ = io.Copy(io.Discard, far)
		return false
	case closed:
		return false
	case keepOpen:
	}
	return true
}

// deliver writes a part of the body; a pipe's write returns when all was read.
func (n *Network) deliver(far net.Conn, number int, part string) bool {
	sent, err := io.WriteString(far, part)
	n.addCount(&n.seen.Delivered[number], sent)
	return err == nil
}

// conn is the client's end of a connection that can be reset.
type conn struct {
	net.Conn

	mu     sync.Mutex
	broken bool
}

func (c *conn) markReset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
}

func (c *conn) Read(p []byte) (int, error) {
	k, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.broken {
		err = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return k, err
}
