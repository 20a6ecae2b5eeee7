// Package rawjson reads and writes JSON at the level of bytes: a pull scanner
// that allocates nothing, append-style encoders, and a finder for the JSON
// value in a model's loosely written answer.
//
// It knows nothing of Go structs. A codec walks a document by its keys and takes
// what it needs; the rest is skipped:
//
//	var s rawjson.Scanner
//	s.Reset(data)
//	for key := range s.Members() {
//		switch string(key) {
//		case "id":
//			id = s.Text()
//		}
//	}
//	return s.End()
//
// What is accepted is what encoding/json accepts, down to the way strings are
// repaired, except that nesting ends at 1,000 levels.
package rawjson
