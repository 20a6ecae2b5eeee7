// Package cases runs machine-readable failure cases: JSON files that say what
// goes in (a request, or what a server answers) and what must come out. Each
// was made from a failure that users of some library reported.
//
// A case is run through sabir's public API against a real HTTP server on
// loopback, which serves bytes exactly as the case says. What came of it is an
// [Outcome], plain data that is then held against the case's expectation:
//
//	runs, err := cases.Load("testdata")
//	for _, r := range runs {
//		for _, fault := range r.Do(ctx).Check() {
//			t.Error(fault)
//		}
//	}
//
// The format is described in testdata/README.md. A member that it doesn't
// define makes a case fail, and no case is treated specially: what the case's
// words mean in sabir's types is said in words.go and nowhere else.
package cases
