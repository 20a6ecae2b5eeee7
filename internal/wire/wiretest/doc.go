// Package wiretest tests codecs against golden folders.
//
// A case is a folder below testdata. It holds one or more of
//
//	reply.json    a whole reply with status 200 (reply.txt if it isn't JSON)
//	stream.sse    a whole streamed body (stream.ndjson for lines, stream.eventstream
//	              for AWS's framing)
//	error.json    the body of an answer that failed (error.txt likewise)
//	status.json   for error.*: {"status":429,"header":{"Retry-After":"1"}}
//	twin.json     {"differ":["id","usage"]}: members in which the stream is
//	              known to differ from the reply, and {"why":"…"}
//	want.json     what the codec makes of it, written by go test -update
//
// A folder with reply.* and stream.* is a twin: collecting the stream must give
// what the reply gives, member for member, but for those that twin.json names.
//
// Requests does the same for what a codec writes: it compares calls with the
// bodies in testdata/requests, which tell one story. Tree, At and WantAt look
// into a body, Feed and the Bench functions measure.
//
//	func TestGolden(t *testing.T) { wiretest.Decode(t, openaichat.Codec{}, "testdata") }
package wiretest
