package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/redact"
	"github.com/sabir-go/sabir/internal/transport"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// call is one planned request on its way: the plan, the headers with the key,
// and what came of it so far.
type call struct {
	*prepared
	stream  bool
	address string
	body    []byte
	secrets []string
	header  http.Header
	start   time.Time
	// attempts are those under this plan; before counts those under the plan that
	// was given up.
	attempts transport.Attempts
	before   int
}

// Chat implements [Engine].
func (c core) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	p, err := c.prepare(req)
	if err != nil {
		return nil, err
	}
	return p.chat(ctx)
}

// Send implements [Sender].
func (c core) Send(ctx context.Context, plan *chat.Plan) (*chat.Reply, error) {
	p, err := c.ownPlan(plan)
	if err != nil {
		return nil, err
	}
	return p.chat(ctx)
}

// chat makes the call and settles its reply.
func (p *prepared) chat(ctx context.Context) (*chat.Reply, error) {
	k, err := p.begin(ctx, false)
	if err != nil {
		return nil, err
	}
	var reply *chat.Reply
	for k.next(ctx, &err) {
		reply, err = k.receive(ctx)
	}
	if err != nil {
		return nil, k.fail(err, nil)
	}
	k.measure(reply, time.Time{})
	if err := k.plan.NewSettler().Settle(reply); err != nil {
		return nil, k.fail(err, reply)
	}
	return reply, nil
}

// next reports whether to make an attempt, after the one that ended with *err.
// If the provider says that the model can't be forced, which the plan did not
// know, that is remembered and the call goes on under a new plan, once
// (docs/adr/0018); *err then tells why there is none.
func (k *call) next(ctx context.Context, err *error) bool {
	if k.attempts.Next(ctx, *err) {
		return true
	}
	if *err == nil || !k.guards.Learn(k.plan, *err) {
		return false
	}
	again, refused := k.planAgain(ctx)
	if refused != nil {
		*err = errors.Join(refused, k.fail(*err, nil))
		return false
	}
	*k = *again
	return k.attempts.Next(ctx, nil)
}

// planAgain begins the same request under a new plan.
func (k *call) planAgain(ctx context.Context) (*call, error) {
	p, err := k.prepare(k.req)
	if err != nil {
		return nil, err
	}
	again, err := p.begin(ctx, k.stream)
	if err != nil {
		return nil, err
	}
	again.start, again.before = k.start, k.countAttempts()
	return again, nil
}

// countAttempts counts the requests sent for the call, under all of its plans.
func (k *call) countAttempts() int { return k.before + k.attempts.Count() }

// begin encodes a plan and finds its key.
func (p *prepared) begin(ctx context.Context, stream bool) (*call, error) {
	p.prefix.Note(p.plan)
	enc, err := p.encode(stream)
	if err != nil {
		return nil, err
	}
	if err := p.checkAddress(); err != nil {
		return nil, err
	}
	key, err := p.key(ctx)
	if err != nil {
		return nil, err
	}
	k := &call{
		prepared: p, stream: stream && p.profile.Can.Has(profile.Streaming), address: p.url(enc), start: time.Now(),
		header: p.config.header().Clone(), body: withKey(enc, key), attempts: p.http.Attempts(),
	}
	maps.Copy(k.header, enc.Header)
	authorize(&p.profile.Auth, k.header, key)
	k.secrets = append(urlSecrets(p.baseURL()), key)
	for _, values := range p.config.header() {
		k.secrets = append(k.secrets, values...)
	}
	return k, nil
}

// withKey puts the key into the body, for the wires that want it there. A plan
// shows the body without it.
func withKey(enc *wire.Encoded, key string) []byte {
	if enc.KeyMember == "" || key == "" {
		return enc.Body
	}
	w := rawjson.Writer{Buf: make([]byte, 0, len(enc.Body)+len(key)+16)}
	w.Object()
	w.Str(enc.KeyMember, key)
	rest := bytes.TrimPrefix(enc.Body, []byte("{"))
	if len(rest) > 1 {
		w.Buf = append(w.Buf, ',')
	}
	return append(w.Buf, rest...)
}

// send makes one attempt and turns a refusal into an error.
func (k *call) send(ctx context.Context) (*transport.Response, transport.Hints, error) {
	header := k.header
	if k.config.sign != nil {
		header = header.Clone()
		if err := k.config.sign(ctx, http.MethodPost, k.address, header, k.body); err != nil {
			return nil, transport.Hints{}, &chat.Error{Kind: chat.ErrAuth, Message: "can't sign the request", Err: err}
		}
	}
	resp, err := k.http.Send(ctx, transport.Request{
		Method: http.MethodPost, URL: k.address, Header: header, Body: k.body, Secrets: k.secrets,
	})
	if err != nil {
		return nil, transport.Hints{}, err
	}
	hints := transport.ReadHints(resp.Header, time.Now())
	if resp.Status >= 200 && resp.Status <= 299 {
		return resp, hints, nil
	}
	body, err := resp.ReadAll()
	if err != nil {
		return nil, hints, err
	}
	e := codecOf(k.profile.Dialect).DecodeError(resp.Status, resp.Header, body)
	if hints.ShouldRetry != nil {
		e.Retryable = *hints.ShouldRetry
	}
	return nil, hints, addHints(e, hints)
}

// addHints adds to an error what the headers said.
func addHints(err error, h transport.Hints) error {
	if e, ok := errors.AsType[*chat.Error](err); ok {
		e.RequestID = cmp.Or(e.RequestID, h.RequestID)
		e.RetryAfter = max(e.RetryAfter, h.RetryAfter)
	}
	return err
}

// receive makes one attempt at a whole reply.
func (k *call) receive(ctx context.Context) (*chat.Reply, error) {
	resp, hints, err := k.send(ctx)
	if err != nil {
		return nil, err
	}
	body, err := resp.ReadAll()
	if err != nil {
		return nil, err
	}
	reply, err := wire.ReadReply(codecOf(k.profile.Dialect), k.assembly(), body)
	if err != nil {
		return nil, addHints(err, hints)
	}
	k.stamp(reply, hints)
	return reply, nil
}

// measure adds our own measurements to the server's.
func (k *call) measure(r *chat.Reply, first time.Time) {
	r.Timing.Total, r.Timing.Attempts = time.Since(k.start), k.countAttempts()
	if !first.IsZero() {
		r.Timing.FirstToken = first.Sub(k.start)
	}
}

func (k *call) assembly() *wire.Assembly {
	a := wire.NewAssembly(wire.Limits{Reply: k.config.limits.Reply, Arguments: k.config.limits.Arguments})
	a.Filter(k.plan.Filters()...)
	return a
}

func (k *call) stamp(r *chat.Reply, h transport.Hints) {
	r.RequestID, r.RateLimit = h.RequestID, h.RateLimit
	if r.Model == "" {
		r.Model = k.plan.Model
	}
}

// fail completes an error: who failed, with what already read, and no secret
// in any text.
func (k *call) fail(err error, partial *chat.Reply) error {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok { // the context's
		if partial == nil {
			return err
		}
		e = &chat.Error{Kind: chat.ErrTruncated, Status: 200, Err: err}
		err = e
	}
	e.Engine, e.Model = k.profile.Name, k.plan.Model
	e.Attempts = k.before + max(e.Attempts, k.attempts.Count())
	failure.Finish(e, redact.New(k.secrets).Strike)
	if e.Reply == nil && partial != nil && len(partial.Parts) > 0 {
		partial.Engine = k.profile.Name
		k.plan.NewSettler().Sign(partial)
		e.Reply = partial
	}
	return err
}

// isDocument reports whether an answer to a streamed request is no stream.
func isDocument(h http.Header) bool {
	kind, _, _ := bytes.Cut([]byte(h.Get("Content-Type")), []byte(";"))
	switch string(bytes.ToLower(bytes.TrimSpace(kind))) {
	case "application/json", "text/html":
		return true
	}
	return false
}
