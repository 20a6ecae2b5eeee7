package chaos

import "unicode/utf8"

// Class is a kind of place in an answer.
type Class uint8

// The classes of places, in the order in which they are met.
const (
	BeforeHead    Class = iota // nothing was sent
	InHead                     // inside of the status line or the headers
	BeforeBody                 // the headers are complete
	AtFrame                    // between two frames
	InFrame                    // inside of a frame
	InCharacter                // between the bytes of one character
	BeforeEndMark              // before the last frame
	AfterEndMark               // all of the body was sent, but not HTTP's own end
)

// Classes are all of them.
var Classes = []Class{BeforeHead, InHead, BeforeBody, AtFrame, InFrame, InCharacter, BeforeEndMark, AfterEndMark}

var classNames = [...]string{
	"before the head", "in the head", "before the body", "at a frame", "in a frame", "in a character",
	"before the end mark", "after the end mark",
}

func (c Class) String() string { return classNames[c] }

// Point is a place in an answer: an offset into the head for the first two
// classes, and into the body for the others.
type Point struct {
	Class Class
	At    int
}

func (p Point) inHead() bool { return p.Class <= InHead }

// Points lists places of every class: both sides of each frame, three inside of
// it, and one inside of each character of several bytes. A reply that is no
// stream is one frame.
func (r Reply) Points() []Point {
	head := len(r.headOK(len(r.Body)))
	out := []Point{{Class: BeforeHead}, {BeforeBody, 0}, {AfterEndMark, len(r.Body)}}
	for _, at := range []int{1, 12, head / 2, head - 3, head - 2, head - 1} {
		out = append(out, Point{InHead, at})
	}
	frames := r.frameEnds()
	for i, end := range frames {
		begin := 0
		if i > 0 {
			begin = frames[i-1]
			out = append(out, Point{AtFrame, begin})
		}
		size := end - begin
		for _, at := range []int{size / 4, size / 2, size - 1} {
			out = append(out, Point{InFrame, begin + at})
		}
		if i == len(frames)-1 {
			out = append(out, Point{BeforeEndMark, begin})
		}
	}
	return append(out, r.characterPoints()...)
}

// characterPoints are the places inside of characters of several bytes.
func (r Reply) characterPoints() (out []Point) {
	for at := 0; at < len(r.Body); {
		_, size := utf8.DecodeRune(r.Body[at:])
		if size > 1 {
			out = append(out, Point{InCharacter, at + 1})
		}
		at += size
	}
	return out
}

func (r Reply) frameEnds() []int {
	if len(r.Frames) > 0 {
		return r.Frames
	}
	return []int{len(r.Body)}
}

// Around is the frame that a place of the body is in, or before.
func (r Reply) Around(at int) (begin, end int) {
	for _, e := range r.frameEnds() {
		if end = e; at < e {
			break
		}
		begin = e
	}
	if begin == len(r.Body) && len(r.frameEnds()) > 1 { // behind the last one: that one
		begin = r.frameEnds()[len(r.frameEnds())-2]
	}
	return begin, end
}
