package gemini

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// On Vertex AI a call's arguments can come in pieces, each with its place as a
// JSON path. A model writes them in the order of their text, so the text of
// the arguments is put together as they come. Source: go-genai types.go,
// PartialArg; googleapis google/cloud/aiplatform/v1/tool.proto, read
// 2026-11-30.

// maxPath bounds how deep arguments may be nested.
const maxPath = 64

var errOutOfOrder = errors.New("pieces of a call's arguments came out of order")

// step is a member's name or an element's number.
type step struct {
	name   string
	index  int
	inList bool
}

// partialArgs are the arguments of one call, so far.
type partialArgs struct {
	sign   string      // the kind of a token that comes later
	at     []step      // the place of the last piece
	open   []container // the arguments themselves, and what is open inside
	inText bool        // the last piece is a string that goes on
	out    []byte      // text that the assembly hasn't got yet
}

type container struct {
	list  bool
	size  int
	names map[string]struct{} // of the members so far
}

// openCall begins a call whose arguments come in pieces. Until it is closed
// they are no complete JSON, so a call that was cut can't be mistaken for a
// whole one.
func (d *decoder) openCall(c *functionCall, signKind string) {
	d.st.open = &partialArgs{sign: signKind, open: []container{{}}, out: []byte("{")}
	d.continueCall(c, nil)
}

func (d *decoder) continueCall(c *functionCall, signature []byte) {
	args, slot := d.st.open, d.st.currentSlot()
	if hasText(signature) && !d.st.signed {
		d.signPart(slot, args.sign, signature)
	}
	d.decodePieces(args, c.partial)
	if !c.continues {
		d.closeCall()
		return
	}
	d.a.Args(slot, args.out)
	args.out = args.out[:0]
}

func (d *decoder) decodePieces(args *partialArgs, raw []byte) {
	if isNull(raw) {
		return
	}
	s := &d.call
	s.Reset(raw)
	for range s.Elems() {
		var p partialArg
		p.readFrom(s)
		if isNull(p.path) || p.value == nil {
			continue
		}
		path, err := parsePath(string(d.unquoteText(p.path)))
		if err == nil {
			err = args.putPiece(path, d, &p)
		}
		if err != nil {
			d.a.Fail(err)
			return
		}
	}
}

func (d *decoder) closeCall() {
	args := d.st.open
	d.st.open = nil
	args.endText()
	args.closeTo(0)
	d.a.Args(d.st.currentSlot(), args.out)
}

func (a *partialArgs) putPiece(path []step, d *decoder, p *partialArg) error {
	if a.inText && samePath(a.at, path) {
		a.putText(d, p)
		return nil
	}
	a.endText()
	common := 0
	for common < len(path)-1 && common < len(a.at)-1 && path[common] == a.at[common] {
		common++
	}
	a.closeTo(common + 1)
	for i := common; i < len(path); i++ {
		if i > common {
			a.beginContainer(path[i].inList)
		}
		if err := a.beginMember(path[i]); err != nil {
			return err
		}
	}
	a.at = path
	if !p.text {
		a.out = append(a.out, p.value...)
		return nil
	}
	a.out = append(a.out, '"')
	a.inText = true
	a.putText(d, p)
	return nil
}

func (a *partialArgs) putText(d *decoder, p *partialArg) {
	if p.text {
		start := len(a.out)
		a.out = rawjson.AppendStringBytes(a.out, d.unquoteText(p.value))
		a.out = append(a.out[:start], a.out[start+1:len(a.out)-1]...) // without its quotes
	}
	if !p.continues {
		a.endText()
	}
}

func (a *partialArgs) endText() {
	if a.inText {
		a.out = append(a.out, '"')
		a.inText = false
	}
}

func (a *partialArgs) beginContainer(list bool) {
	bracket := byte('{')
	if list {
		bracket = '['
	}
	a.out = append(a.out, bracket)
	a.open = append(a.open, container{list: list})
}

func (a *partialArgs) beginMember(s step) error {
	c := &a.open[len(a.open)-1]
	_, seen := c.names[s.name]
	if s.inList != c.list || s.inList && s.index != c.size || !s.inList && seen {
		return errOutOfOrder
	}
	if c.size > 0 {
		a.out = append(a.out, ',')
	}
	c.size++
	if s.inList {
		return nil
	}
	if c.names == nil {
		c.names = make(map[string]struct{}, 4)
	}
	c.names[s.name] = struct{}{}
	a.out = append(rawjson.AppendString(a.out, s.name), ':')
	return nil
}

// closeTo closes the innermost containers until n are open.
func (a *partialArgs) closeTo(n int) {
	for len(a.open) > n {
		bracket := byte('}')
		if a.open[len(a.open)-1].list {
			bracket = ']'
		}
		a.out = append(a.out, bracket)
		a.open = a.open[:len(a.open)-1]
	}
}

func samePath(a, b []step) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// parsePath reads the paths of RFC 9535 that name one place: $.a.b[0]['c'].
func parsePath(s string) ([]step, error) {
	bad := func() ([]step, error) { return nil, fmt.Errorf("a call's arguments at %.100q", s) }
	if s == "" || s[0] != '$' {
		return bad()
	}
	path := make([]step, 0, 4)
	for rest := s[1:]; rest != ""; {
		st, n := parseStep(rest)
		if n == 0 || len(path) == maxPath {
			return bad()
		}
		path, rest = append(path, st), rest[n:]
	}
	if len(path) == 0 || path[0].inList {
		return bad()
	}
	return path, nil
}

// parseStep reads one step and says how long it is; 0 if it is none.
func parseStep(s string) (st step, n int) {
	if s[0] == '.' {
		end := 1
		for end < len(s) && s[end] != '.' && s[end] != '[' {
			end++
		}
		if end == 1 {
			return st, 0
		}
		return step{name: s[1:end]}, end
	}
	if len(s) < 3 || s[0] != '[' {
		return st, 0
	}
	if quote := s[1]; quote == '\'' || quote == '"' {
		return parseQuoted(s, quote)
	}
	end := 1
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	i, err := strconv.Atoi(s[1:end])
	if err != nil || end == len(s) || s[end] != ']' {
		return st, 0
	}
	return step{index: i, inList: true}, end + 1
}

// parseQuoted reads ['name'] or ["name"]; a backslash makes the character
// after it stand for itself.
func parseQuoted(s string, quote byte) (st step, n int) {
	var name []byte
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			name = append(name, s[i])
		case c == quote:
			if i+1 == len(s) || s[i+1] != ']' {
				return st, 0
			}
			return step{name: string(name)}, i + 2
		default:
			name = append(name, c)
		}
	}
	return st, 0
}
