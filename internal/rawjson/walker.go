package rawjson

// state is what a walker waits for, or what it is inside of.
type state uint8

const (
	wantValue state = iota
	wantValueOrEnd
	wantKey
	wantKeyOrEnd
	wantColon
	wantCommaOrEnd
	inKey // from here to inHex: inside a string
	inString
	inEscape
	inHex
	inWord
	inMinus // from here on: inside a number
	inZero
	inDigits
	inPoint
	inFraction
	inExponent
	inExponentSign
	inExponentDigits
)

// walker checks one object or array, byte by byte.
type walker struct {
	live      bool // reading
	done      bool // the value is complete
	hasObject bool
	key       bool // the string being read is a key
	state     state
	hex       int    // digits of \uXXXX still to come
	word      string // what is still to come of true, false or null
	start     int
	depth     int
	objects   [maxDepth/64 + 1]uint64 // kinds of the open containers, as bits
}

func (w *walker) beginValue(c byte, start int) {
	w.live, w.done, w.hasObject, w.start, w.depth = true, false, false, start, 0
	w.openContainer(c)
}

func (w *walker) inQuotes() bool { return w.state >= inKey && w.state <= inHex }

func (w *walker) fail() { w.live = false }

func (w *walker) takeByte(c byte) {
	switch w.state {
	case inKey, inString:
		w.stringByte(c)
	case inEscape:
		w.escapeByte(c)
	case inHex:
		w.hexByte(c)
	case inWord:
		w.wordByte(c)
	case inMinus, inZero, inDigits, inPoint, inFraction, inExponent, inExponentSign, inExponentDigits:
		w.numberByte(c)
	case wantValue, wantValueOrEnd, wantKey, wantKeyOrEnd, wantColon, wantCommaOrEnd:
		w.takeStructure(c)
	}
}

func (w *walker) stringByte(c byte) {
	switch {
	case c == '\\':
		w.key = w.state == inKey
		w.state = inEscape
	case c < ' ':
		w.fail()
	case c != '"':
	case w.state == inKey:
		w.state = wantColon
	default:
		w.state = wantCommaOrEnd
	}
}

func (w *walker) escapeByte(c byte) {
	switch {
	case c == 'u':
		w.hex, w.state = 4, inHex
	case escapes[c] != 0:
		w.resumeString()
	default:
		w.fail()
	}
}

func (w *walker) hexByte(c byte) {
	if hexValue(c) < 0 {
		w.fail()
		return
	}
	if w.hex--; w.hex == 0 {
		w.resumeString()
	}
}

func (w *walker) resumeString() {
	w.state = inString
	if w.key {
		w.state = inKey
	}
}

func (w *walker) wordByte(c byte) {
	if c != w.word[0] {
		w.fail()
		return
	}
	if w.word = w.word[1:]; w.word == "" {
		w.state = wantCommaOrEnd
	}
}

// numberByte goes on with a number, or ends it and takes c for what follows.
func (w *walker) numberByte(c byte) {
	if next, ok := w.state.afterNumberByte(c); ok {
		w.state = next
		return
	}
	if !endsNumber[w.state] {
		w.fail()
		return
	}
	w.state = wantCommaOrEnd
	w.takeStructure(c)
}

// endsNumber tells in which states a number may end.
var endsNumber = [...]bool{inZero: true, inDigits: true, inFraction: true, inExponentDigits: true}

// afterNumberByte returns the state after c, if c can go on with the number.
func (s state) afterNumberByte(c byte) (next state, ok bool) {
	switch {
	case c == '0' && s == inMinus:
		return inZero, true
	case c >= '0' && c <= '9':
		next = afterDigit[s]
	case c == '.' && (s == inZero || s == inDigits):
		next = inPoint
	case (c == 'e' || c == 'E') && (s == inZero || s == inDigits || s == inFraction):
		next = inExponent
	case (c == '+' || c == '-') && s == inExponent:
		next = inExponentSign
	}
	return next, next != wantValue
}

// afterDigit holds the states that a digit leads to; a zero has none.
var afterDigit = [...]state{
	inMinus: inDigits, inDigits: inDigits, inPoint: inFraction, inFraction: inFraction,
	inExponent: inExponentDigits, inExponentSign: inExponentDigits, inExponentDigits: inExponentDigits,
}

// takeStructure takes a byte outside of scalars.
func (w *walker) takeStructure(c byte) {
	switch c {
	case ' ', '\t', '\r', '\n':
	case '}', ']':
		w.closeContainer(c)
	case ',':
		w.takeComma()
	case ':':
		w.expectState(wantColon, wantValue)
	default:
		w.beginToken(c)
	}
}

func (w *walker) expectState(want, next state) {
	if w.state != want {
		w.fail()
		return
	}
	w.state = next
}

func (w *walker) takeComma() {
	next := wantValue
	if w.inObject() {
		next = wantKey
	}
	w.expectState(wantCommaOrEnd, next)
}

// beginToken takes the first byte of a key or value.
func (w *walker) beginToken(c byte) {
	if w.state == wantKey || w.state == wantKeyOrEnd {
		w.state = inKey
		if c != '"' {
			w.fail()
		}
		return
	}
	if w.state != wantValue && w.state != wantValueOrEnd {
		w.fail()
		return
	}
	switch c {
	case '{', '[':
		w.openContainer(c)
	case '"':
		w.state = inString
	case 't':
		w.word, w.state = "true"[1:], inWord
	case 'f':
		w.word, w.state = "false"[1:], inWord
	case 'n':
		w.word, w.state = "null"[1:], inWord
	case '-':
		w.state = inMinus
	default:
		w.state = inMinus // a number without one
		w.numberByte(c)
	}
}

func (w *walker) openContainer(c byte) {
	if w.depth == maxDepth {
		w.fail()
		return
	}
	bit := uint64(1) << (w.depth % 64)
	w.objects[w.depth/64] &^= bit
	w.state = wantValueOrEnd
	if c == '{' {
		w.objects[w.depth/64] |= bit
		w.state = wantKeyOrEnd
		w.hasObject = true
	}
	w.depth++
}

func (w *walker) inObject() bool {
	return w.objects[(w.depth-1)/64]>>((w.depth-1)%64)&1 == 1
}

func (w *walker) closeContainer(c byte) {
	empty := wantValueOrEnd
	if w.inObject() {
		empty = wantKeyOrEnd
	}
	if w.state != wantCommaOrEnd && w.state != empty || w.inObject() != (c == '}') {
		w.fail()
		return
	}
	w.state = wantCommaOrEnd
	if w.depth--; w.depth == 0 {
		w.live, w.done = false, true
	}
}
