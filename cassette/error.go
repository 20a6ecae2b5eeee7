package cassette

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// errorJSON is a failure's stored form. Is lists what errors.Is found in it.
type errorJSON struct {
	Text string   `json:"text"`
	Is   []string `json:"is,omitempty"`
	// Call is the *chat.Error, if it was one; Text and Is are then its cause's.
	Call *chat.Error `json:"call,omitempty"`
}

// kinds are the sentinels that a cassette keeps, by their texts.
var kinds = func() map[string]error {
	byText := make(map[string]error)
	foreign := []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF}
	for _, kind := range append(chat.Kinds(), foreign...) {
		byText[kind.Error()] = kind
	}
	return byText
}()

func storeError(err error) *errorJSON {
	if err == nil {
		return nil
	}
	s, own := &errorJSON{Text: err.Error()}, ""
	if e, ok := errors.AsType[*chat.Error](err); ok {
		bare := *e
		bare.Err = nil
		s.Call, s.Text = &bare, ""
		if e.Kind != nil {
			own = e.Kind.Error()
		}
		if e.Err != nil {
			s.Text = e.Err.Error()
		}
	}
	for text, kind := range kinds {
		if text != own && errors.Is(err, kind) {
			s.Is = append(s.Is, text)
		}
	}
	slices.Sort(s.Is)
	return s
}

func (s *errorJSON) load() error {
	var cause error
	if s.Text != "" || len(s.Is) > 0 {
		recorded := &recordedError{text: s.Text}
		for _, text := range s.Is {
			recorded.is = append(recorded.is, kinds[text])
		}
		cause = recorded
	}
	if s.Call == nil {
		return cause
	}
	e := *s.Call
	if e.Kind != nil && kinds[e.Kind.Error()] != nil {
		e.Kind = kinds[e.Kind.Error()]
	}
	e.Err = cause
	return &e
}

// recordedError is an error of which the text and the kinds were recorded.
type recordedError struct {
	text string
	is   []error
}

func (e *recordedError) Error() string   { return e.text }
func (e *recordedError) Unwrap() []error { return e.is }
