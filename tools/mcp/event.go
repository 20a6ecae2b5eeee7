package mcp

import "encoding/json"

// Event is something that happens besides the calls: [Progress], [ListChanged],
// [Lost] or [Reconnected]. The union is sealed.
//
//sumtype:decl
type Event interface{ event() }

// Progress is how far a call has come. It can arrive after the call has
// returned.
type Progress struct {
	// Tool and Arguments say which call, Tool by the name that the model uses.
	Tool      string
	Arguments json.RawMessage
	// Done grows; Total is what it grows to, 0 if unknown.
	Done, Total float64
	// Message is in the server's words; it may be empty.
	Message string
}

// ListChanged says that the server has other tools than before. Tools that were
// made before keep their definitions; [Session.Tools] gives the new ones, for
// the next run.
type ListChanged struct{}

// Lost says that the connection has ended though the session was not closed.
// What the server remembered may be gone. The next call connects anew.
type Lost struct{ Err error }

// Reconnected says that a new connection has replaced a lost one.
type Reconnected struct{}

func (Progress) event()    {}
func (ListChanged) event() {}
func (Lost) event()        {}
func (Reconnected) event() {}
