// Package enginetest helps to test code that talks to a model, without a
// network: [New] is an engine that answers from a script, and [Suite] checks
// engines written outside of sabir.
//
//	func TestAnswer(t *testing.T) {
//		client := sabir.New(enginetest.New(enginetest.Says("In Ghent.")))
//		got, err := answer(t.Context(), client, "Where is the Gravensteen?")
//		if err != nil || got != "In Ghent." {
//			t.Errorf("got %q, %v", got, err)
//		}
//	}
package enginetest
