package rawjson_test

import (
	"fmt"

	"github.com/sabir-go/sabir/internal/rawjson"
)

func ExampleScanner() {
	var s rawjson.Scanner
	s.Reset([]byte(`{"id":"msg_1","usage":{"output_tokens":12},"content":[{"text":"a"},{"text":"b"}]}`))
	if s.EnterObject() {
		for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
			switch string(key) {
			case "id":
				fmt.Println("id", s.Text())
			case "content":
				for ok := s.EnterArray(); ok && s.NextElem(); {
					fmt.Printf("content %s\n", s.Raw())
				}
			default:
				s.Skip()
			}
		}
	}
	fmt.Println(s.End())
	// Output:
	// id msg_1
	// content {"text":"a"}
	// content {"text":"b"}
	// <nil>
}

func ExampleWriter() {
	w := rawjson.Writer{Buf: make([]byte, 0, 64)}
	w.Object()
	w.Key("model")
	w.String("m")
	w.Key("stop")
	w.Array()
	w.String("\n")
	w.String("end")
	w.EndArray()
	w.EndObject()
	fmt.Printf("%s\n", w.Buf)
	// Output: {"model":"m","stop":["\n","end"]}
}

func ExampleLoose() {
	value, ok := rawjson.Loose("Sure, [1] says:\n```json\n{\"fence\": \"```\"}\n```\nAnything {else}?")
	fmt.Printf("%s %v\n", value, ok)
	// Output: {"fence": "```"} true
}
