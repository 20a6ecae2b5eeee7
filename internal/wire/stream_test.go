package wire_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// words is a codec whose frames are JSON strings. Each is text; some also do
// what they say.
type words struct{}

func (words) EncodeRequest(wire.Call) (wire.Encoded, error) { return wire.Encoded{}, nil }

func (c words) DecodeReply(a *wire.Assembly, body []byte) error {
	return c.DecodeEvent(a, frame.Frame{Data: body})
}

func (words) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	var s rawjson.Scanner
	s.Reset(f.Data)
	word := s.Text()
	a.Text(wire.TextSlot, []byte(word))
	switch word {
	case "end":
		a.End()
	case "stop":
		a.Stop()
	case "busy":
		return &chat.Error{Kind: chat.ErrOverloaded}
	case "call":
		a.Args(wire.TextSlot, nil) // a part can't change its kind
	}
	if err := s.End(); err != nil {
		return failure.Unreadable(f.Data, err)
	}
	return nil
}

func (words) DecodeError(int, http.Header, []byte) *chat.Error { return &chat.Error{} }

// given reads frames from a list; then comes an error.
type given struct {
	frames []string
	err    error
}

func (g *given) Next() (frame.Frame, error) {
	if len(g.frames) == 0 {
		return frame.Frame{}, g.err
	}
	f := frame.Frame{Data: []byte(g.frames[0])}
	g.frames = g.frames[1:]
	return f, nil
}

// late is a filter that gives its text when it ends.
type late struct{ fail bool }

func (late) Text(a *wire.Assembly, b []byte) { a.PlainText(b) }

func (l late) End(a *wire.Assembly) {
	if a.PlainText([]byte("!")); l.fail {
		a.Fail(errors.New("too late"))
	}
}

func TestStreamEnds(t *testing.T) {
	t.Parallel()
	broken := &chat.Error{Kind: chat.ErrNetwork}
	for name, tt := range map[string]struct {
		frames []string
		err    error // of the frames
		filter wire.TextFilter
		want   string // the text of the events
		kind   error
	}{
		"stops":                       {[]string{`"a"`, `"stop"`, `"b"`}, io.EOF, nil, "a|stop", nil},
		"ends":                        {[]string{`"a"`, `"end"`, `"b"`}, io.EOF, nil, "a|end|b", nil},
		"ends after half a frame":     {[]string{`"end"`}, io.ErrUnexpectedEOF, nil, "end", nil},
		"no end mark":                 {[]string{`"a"`}, io.EOF, nil, "a", chat.ErrTruncated},
		"no frame":                    {nil, io.EOF, nil, "", chat.ErrTruncated},
		"half a frame":                {[]string{`"a"`, `"b`}, io.EOF, nil, "a", chat.ErrTruncated},
		"half a frame after the end":  {[]string{`"end"`, `"b`}, io.EOF, nil, "end", chat.ErrTruncated},
		"half a frame, then another":  {[]string{`"a"`, `"b`, `"c"`}, io.EOF, nil, "a", chat.ErrBadReply},
		"half a frame, then no more":  {[]string{`"a"`, `"b`}, broken, nil, "a", chat.ErrBadReply},
		"nonsense at the end":         {[]string{`"a"`, `oops`}, io.EOF, nil, "a", chat.ErrBadReply},
		"text, then an error":         {[]string{`"a"`, `"busy"`, `"b"`}, io.EOF, nil, "a", chat.ErrOverloaded},
		"text that breaks a rule":     {[]string{`"a"`, `"call"`, `"b"`}, io.EOF, nil, "a", chat.ErrBadReply},
		"blank frames":                {[]string{" ", `"a"`, "\t", `"stop"`}, io.EOF, nil, "a|stop", nil},
		"a frame that is too long":    {[]string{`"a"`}, fmt.Errorf("%w: 9 bytes", frame.ErrFrameTooLong), nil, "a", chat.ErrBadReply},
		"a broken connection":         {[]string{`"a"`}, broken, nil, "a", chat.ErrNetwork},
		"held back until it stops":    {[]string{`"a"`, `"stop"`}, io.EOF, late{}, "a|stop|!", nil},
		"held back until it ends":     {[]string{`"end"`}, io.EOF, late{}, "end|!", nil},
		"a filter that fails at last": {[]string{`"a"`, `"stop"`}, io.EOF, late{fail: true}, "a", chat.ErrBadReply},
		"a filter that fails, ended":  {[]string{`"end"`}, io.EOF, late{fail: true}, "end", chat.ErrBadReply},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := wire.NewAssembly(wire.Limits{})
			a.Filter(tt.filter)
			got, err := readAll(wire.NewStream(words{}, &given{tt.frames, tt.err}, a))
			e, _ := errors.AsType[*chat.Error](err)
			if got != tt.want || (err == nil) != (tt.kind == nil) || err != nil && (e == nil || !errors.Is(e.Kind, tt.kind)) {
				t.Errorf("events %q, error %v", got, err)
			}
		})
	}
}

// readAll reads a stream to its end.
func readAll(s *wire.Stream) (text string, err error) {
	var texts []string
	for !s.Whole() && err == nil {
		var events []chat.Event
		events, err = s.Next()
		if err != nil && len(events) > 0 {
			return "", errors.New("events beside an error")
		}
		for _, ev := range events {
			texts = append(texts, ev.(chat.TextDelta).Text)
		}
	}
	return strings.Join(texts, "|"), err
}

func TestReadReply(t *testing.T) {
	t.Parallel()
	body := []byte(`"a"`)
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(late{})
	r, err := wire.ReadReply(words{}, a, body)
	if err != nil || r.Text() != "a!" || !slices.Equal(r.Raw, body) {
		t.Errorf("got %+v, %v", r, err)
	}
	for name, tt := range map[string]struct {
		body string
		fail bool
		kind error
	}{
		"an error":             {`"busy"`, false, chat.ErrOverloaded},
		"a rule broken":        {`"call"`, false, chat.ErrBadReply},
		"half a reply":         {`"a`, false, chat.ErrBadReply},
		"a filter that failed": {`"a"`, true, chat.ErrBadReply},
	} {
		a := wire.NewAssembly(wire.Limits{})
		a.Filter(late{fail: tt.fail})
		if r, err := wire.ReadReply(words{}, a, []byte(tt.body)); r != nil || !errors.Is(err, tt.kind) {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
}
