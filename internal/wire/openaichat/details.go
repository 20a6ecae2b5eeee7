package openaichat

import (
	"bytes"

	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// decodeDetails keeps OpenRouter's reasoning_details, which must go back unchanged.
// Where nothing else said the thought, its text is read from here.
// Source: openrouter.ai/docs, "Reasoning tokens", read 2026-11-30.
func (d *decoder) decodeDetails(raw []byte, a *wire.Assembly, readable bool) {
	if len(raw) < 2 || raw[0] != '[' || len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
		return
	}
	if readable {
		for _, e := range readDetails(raw) {
			if e.isText() {
				a.Think(thoughtSlot, []byte(e.joinText()))
			}
		}
	}
	a.Sign(thoughtSlot, signDetails, raw)
}

// finishDetails joins the lists that a stream brought into one.
func finishDetails(a *wire.Assembly) { a.Resign(thoughtSlot, joinDetails) }

// detail is one element of reasoning_details, its members in order and raw.
type detail []wire.Member

func (e detail) findRaw(name string) string {
	for _, m := range e {
		if m.Name == name && !isNull(m.Value) {
			return string(m.Value)
		}
	}
	return ""
}

// isText reports whether the element is text that a stream brings in pieces.
func (e detail) isText() bool {
	t := e.findRaw("type")
	return t == `"reasoning.text"` || t == `"reasoning.summary"`
}

// continuesIn reports whether next is more of the same text.
func (e detail) continuesIn(next detail) bool {
	return e.isText() && e.findRaw("type") == next.findRaw("type") && e.findRaw("index") == next.findRaw("index")
}

func (e detail) joinText() string {
	return unquoteDetail(e.findRaw("text")) + unquoteDetail(e.findRaw("summary"))
}

func unquoteDetail(raw string) string {
	var s rawjson.Scanner
	s.Reset([]byte(raw))
	return string(readText(&s))
}

// readDetails reads the elements of one or more lists that follow each other.
func readDetails(raw []byte) []detail {
	var out []detail
	for rest := bytes.TrimSpace(raw); len(rest) > 0; rest = bytes.TrimSpace(rest) {
		var s rawjson.Scanner
		s.Reset(rest)
		list := s.Raw()
		if s.Err() != nil {
			return out
		}
		rest = rest[len(list):]
		s.Reset(list)
		for range s.Elems() {
			if e := readDetail(&s); len(e) > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

func readDetail(s *rawjson.Scanner) detail {
	var e detail
	for key := range s.Members() {
		name := string(key)
		e = append(e, wire.Member{Name: name, Value: s.Raw()})
	}
	return e
}

// joinDetails makes one list of a stream's lists: pieces of one text (same
// type, same index, side by side) become one element, as in the reply without
// streaming. A single list is left as it is.
func joinDetails(data string) string {
	var s rawjson.Scanner
	s.Reset([]byte(data))
	if s.Raw(); s.End() == nil {
		return data
	}
	var w rawjson.Writer
	w.Array()
	all := readDetails([]byte(data))
	for i := 0; i < len(all); {
		n := i + 1
		for n < len(all) && all[i].continuesIn(all[n]) {
			n++
		}
		writeDetails(&w, all[i:n])
		i = n
	}
	w.EndArray()
	return string(w.Buf)
}

// writeDetails writes pieces as one element: their texts joined, of all other
// members the first that isn't null.
func writeDetails(w *rawjson.Writer, pieces []detail) {
	w.Object()
	written := make(map[string]bool, 8)
	for _, p := range pieces {
		for _, m := range p {
			if written[m.Name] || len(pieces) > 1 && isNull(m.Value) {
				continue
			}
			written[m.Name] = true
			w.KeyString(m.Name)
			if len(pieces) > 1 && (m.Name == "text" || m.Name == "summary") {
				w.String(joinTexts(pieces, m.Name))
			} else {
				w.Raw(m.Value)
			}
		}
	}
	w.EndObject()
}

func joinTexts(pieces []detail, name string) string {
	var b bytes.Buffer
	for _, p := range pieces {
		b.WriteString(unquoteDetail(p.findRaw(name)))
	}
	return b.String()
}
