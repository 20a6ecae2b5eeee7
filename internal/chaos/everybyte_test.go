package chaos_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/sabir-go/sabir/internal/chaos"
)

// cutter answers with the first bytes of a body and a reader's error, without
// any HTTP in between.
type cutter struct {
	reply    chaos.Reply
	at       int
	end      error // nil: the body ends as if it were complete
	requests int
	bodies   atomic.Int32
}

func (c *cutter) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	c.requests++
	c.bodies.Add(1)
	body := io.Reader(bytes.NewReader(c.reply.Body[:c.at]))
	if c.end != nil {
		body = io.MultiReader(body, iotest.ErrReader(c.end))
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.reply.Type}}, ContentLength: -1, Request: r,
		Body: cutBody{body, c},
	}, nil
}

type cutBody struct {
	io.Reader
	c *cutter
}

func (b cutBody) Close() error {
	b.c.bodies.Store(0)
	return nil
}

func (c *cutter) seen() chaos.Seen {
	return chaos.Seen{Requests: c.requests, Delivered: make([]int, c.requests), Bodies: int(c.bodies.Load())}
}

// TestCutAtEveryByte cuts every dialect's answer behind each of its bytes, once
// as a broken connection and once as if that were all.
func TestCutAtEveryByte(t *testing.T) {
	t.Parallel()
	tried := &tally{}
	t.Cleanup(func() { t.Log(tried) })
	for _, x := range exchanges {
		for form, streamed := range map[string]bool{"whole": false, "stream": true} {
			t.Run(x.name+"/"+form, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { cutEverywhere(t, x, streamed, tried) })
			})
		}
	}
}

func cutEverywhere(t *testing.T, x exchange, streamed bool, tried *tally) {
	t.Helper()
	c := &cutter{reply: x.reply(t, streamed)}
	c.at = len(c.reply.Body)
	eng := x.on(c)
	want := ask(t.Context(), eng, streamed)
	undisturbed(t, want, streamed)
	wrong := map[string][]string{}
	for at := 1; at < len(c.reply.Body); at += stride {
		for _, end := range []error{nil, syscall.ECONNRESET} {
			c.at, c.end, c.requests = at, end, 0
			got := ask(t.Context(), eng, streamed)
			got.seen = c.seen()
			why := judge(want, got, chaos.Short, chaos.Point{Class: chaos.InFrame, At: at})
			if got.seen.Requests > 1 {
				why = append(why, sentAgain)
			}
			for _, why := range why {
				wrong[why] = append(wrong[why], strconv.Itoa(at))
			}
			tried.count(got)
		}
	}
	report(t, wrong)
}
