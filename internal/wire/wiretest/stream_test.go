package wiretest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// plain is a codec of one word per frame: "end" ends the reply, "stop" the
// stream, "bad" is an error, everything else is text.
type plain struct{}

func (plain) EncodeRequest(wire.Call) (wire.Encoded, error) { return wire.Encoded{}, nil }

func (plain) DecodeReply(a *wire.Assembly, body []byte) error {
	a.Text(0, body)
	a.Finish(chat.FinishStop, "")
	return nil
}

func (plain) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	switch string(f.Data) {
	case "end":
		a.End()
	case "stop":
		a.Stop()
	case "bad":
		return &chat.Error{Kind: chat.ErrServer}
	default:
		a.Text(0, f.Data)
	}
	return nil
}

func (plain) DecodeError(status int, _ http.Header, _ []byte) *chat.Error {
	return &chat.Error{Kind: chat.ErrServer, Status: status}
}

func TestStream(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		words string
		kind  error // nil: ends well
		text  string
	}{
		{"stops", "a b stop never", nil, "ab"},
		{"ends", "a end", nil, "a"},
		{"cut", "a b", chat.ErrTruncated, "ab"},
		{"fails", "a bad b", chat.ErrServer, "a"},
		{"nothing", "", chat.ErrTruncated, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reply, events, err := wiretest.Stream(plain{}, strings.NewReader(body(tt.words)))
			if tt.kind != nil {
				reply = partial(t, err, tt.kind)
			} else if err != nil {
				t.Fatal(err)
			}
			if reply.Text() != tt.text || len(events) != len(tt.text) {
				t.Errorf("got %q and %d events", reply.Text(), len(events))
			}
		})
	}
}

func body(words string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(words) {
		b.WriteString("data: " + w + "\n\n")
	}
	return b.String()
}

// partial is what an error of that kind carries.
func partial(t *testing.T, err, kind error) *chat.Reply {
	t.Helper()
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(e, kind) || e.Reply == nil {
		t.Fatalf("got %v, want %v with a reply", err, kind)
	}
	return e.Reply
}

// TestStreamBroken: an error of the connection shows as the cause, even after
// the reply was complete.
func TestStreamBroken(t *testing.T) {
	t.Parallel()
	r := io.MultiReader(strings.NewReader(body("a end")), iotest.ErrReader(io.ErrClosedPipe))
	_, _, err := wiretest.Stream(plain{}, r)
	if got := partial(t, err, chat.ErrTruncated).Text(); got != "a" || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestDecode runs the harness on a folder of its own making.
func TestDecode(t *testing.T) {
	t.Parallel()
	wiretest.Decode(t, plain{}, "testdata")
}
