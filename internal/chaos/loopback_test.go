package chaos_test

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/chaos"
)

// TestFaultsOnLoopback repeats one point of each class, in one dialect, over
// real connections: a reset is the kernel's own there.
func TestFaultsOnLoopback(t *testing.T) {
	t.Parallel()
	x := exchanges[0]
	for form, streamed := range map[string]bool{"whole": false, "stream": true} {
		reply := x.reply(t, streamed)
		for _, f := range chaos.Faults() {
			if f == chaos.Drip {
				continue // takes real time here
			}
			t.Run(form+"/"+f.String(), func(t *testing.T) {
				t.Parallel()
				want := onLoopback(t, reply, streamed, nil)
				undisturbed(t, want, streamed)
				for class, at := range onePerClass(reply) {
					if f == chaos.Stall && class <= chaos.InHead {
						continue // lasts as long as the caller's context
					}
					got := onLoopback(t, reply, streamed, func(n *chaos.Network) { n.Strike(f, at, false) })
					for _, why := range judge(want, got, f, at) {
						t.Errorf("%s (%d): %s", class, at.At, why)
					}
				}
			})
		}
	}
}

func onePerClass(r chaos.Reply) map[chaos.Class]chaos.Point {
	out := map[chaos.Class]chaos.Point{}
	for _, p := range r.Points() {
		out[p.Class] = p
	}
	return out
}

// onLoopback makes one call over TCP and waits until the server has no
// connection left.
func onLoopback(t *testing.T, reply chaos.Reply, streamed bool, disturb func(*chaos.Network)) outcome {
	t.Helper()
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	n := chaos.New(reply)
	if disturb != nil {
		disturb(n)
	}
	accepting := make(chan struct{})
	go func() { n.Serve(ln); close(accepting) }()
	transport := &http.Transport{}
	got := ask(t.Context(), engine.NewOpenAICompatible(engine.Config{
		APIKey: "k-7777", BaseURL: fmt.Sprintf("http://%s/v1", ln.Addr()), HTTPClient: &http.Client{Transport: transport},
		Idle: 200 * time.Millisecond, MaxAttempts: 1,
	}), streamed)
	transport.CloseIdleConnections()
	_ = ln.Close()
	<-accepting
	late := time.AfterFunc(5*time.Second, func() {
		t.Error("a connection was left open")
		n.Abort()
	})
	n.Wait()
	late.Stop()
	got.seen = n.Seen()
	return got
}
