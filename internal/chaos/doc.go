// Package chaos is a bad network for tests: an http.RoundTripper that answers
// from memory, over net/http's own transport, and lets a [Fault] strike at a
// chosen [Point] of the answer. It runs inside a synctest bubble, where a stall
// takes no time and a goroutine that stays behind is noticed.
//
//	net := chaos.New(chaos.Reply{Type: "text/event-stream", Body: stream, Frames: ends})
//	net.Strike(chaos.Reset, chaos.Point{Class: chaos.InFrame, At: 40}, false)
//	eng := engine.NewGroq(engine.Config{APIKey: "k", HTTPClient: &http.Client{Transport: net}})
package chaos
