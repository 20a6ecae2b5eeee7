// Package cassette records what providers answer to a program's tests in files,
// and answers from them later, without network and key.
//
//	tape := &cassette.Tape{Path: "testdata/answer.jsonl", Record: *record}
//	client := sabir.New(eng, tape.Wrap)
//
// For logic, enginetest and sim are the better way; a cassette is for what a real
// model said.
package cassette
