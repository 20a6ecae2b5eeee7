package rawjson_test

import (
	"fmt"

	"github.com/sabir-go/sabir/internal/rawjson"
)

func ExampleScanner() {
	var s rawjson.Scanner
	s.Reset([]byte(`{"id":"msg_1","usage":{"output_tokens":12},"content":[{"text":"a"},{"text":"b"}]}`))
	for key := range s.Members() {
		switch string(key) {
		case "id":
			fmt.Println("id", s.Text())
		case "content":
			for n := range s.Elems() {
				fmt.Printf("content %d %s\n", n, s.Raw())
			}
		}
	}
	fmt.Println(s.End())
	// Output:
	// id msg_1
	// content 0 {"text":"a"}
	// content 1 {"text":"b"}
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
