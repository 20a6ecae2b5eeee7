package rawjson

// LooseSteps returns how many bytes Loose looks at.
func LooseSteps(text string) int {
	f := finder{text: []byte(text)}
	f.findValue()
	return f.steps
}

// SearchSteps is LooseSteps for the search through prose alone.
func SearchSteps(text string) int {
	f := finder{text: []byte(text)}
	f.searchProse()
	return f.steps
}

// Search is the search through prose alone.
func Search(text string) []byte {
	f := finder{text: []byte(text)}
	return f.searchProse()
}

// Offset returns where s stands.
func Offset(s *Scanner) int { return s.pos }

// ValidUTF8 tells whether s is valid, as text and as bytes.
func ValidUTF8(s string) (text, bytes bool) { return validUTF8(s), validUTF8([]byte(s)) }
