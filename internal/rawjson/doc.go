// Package rawjson reads and writes JSON at the level of bytes: a pull scanner
// that allocates nothing, append-style encoders, and a finder for the JSON
// value in a model's loosely written answer.
//
// It knows nothing of Go structs. A codec walks a document by its keys, takes
// what it needs and skips the rest:
//
//	var s rawjson.Scanner
//	s.Reset(data)
//	if s.EnterObject() {
//		for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
//			switch string(key) {
//			case "id":
//				id = s.Text()
//			default:
//				s.Skip()
//			}
//		}
//	}
//	return s.End()
//
// What is accepted is what encoding/json accepts, down to the way strings are
// repaired, except that nesting ends at 1,000 levels.
package rawjson
