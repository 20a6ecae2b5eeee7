package ollama

import "github.com/sabir-go/sabir/internal/rawjson"

// line is a reply or one line of a stream, as far as it isn't fed to the
// assembly while it is read.
type line struct {
	message bool // there was a message
	done    bool // it is the last one
	going   bool // it says that it isn't
	reason  string
	failed  bool // there was an error
}

// toolCall is a call; its members are raw.
type toolCall struct {
	id, name  []byte
	arguments []byte // an object, or a string where a proxy stands between
}

func readCall(s *rawjson.Scanner) toolCall {
	var c toolCall
	for key := range s.Members() {
		switch string(key) {
		case "id":
			c.id = s.Raw()
		case "function":
			c.readFunction(s)
		}
	}
	return c
}

func (c *toolCall) readFunction(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "name":
			c.name = s.Raw()
		case "arguments":
			c.arguments = s.Raw()
		}
	}
}
