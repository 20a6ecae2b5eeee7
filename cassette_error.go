package sabir

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// errorJSON is a failure's stored form. Is lists what errors.Is found in it.
type errorJSON struct {
	Text string   `json:"text"`
	Is   []string `json:"is,omitempty"`
	// The rest are the fields of a *chat.Error, if it was one.
	Call       bool          `json:"call,omitempty"`
	Kind       string        `json:"kind,omitempty"`
	Engine     string        `json:"engine,omitempty"`
	Model      string        `json:"model,omitempty"`
	Status     int           `json:"status,omitempty"`
	Type       string        `json:"type,omitempty"`
	Code       string        `json:"code,omitempty"`
	Param      string        `json:"param,omitempty"`
	Message    string        `json:"message,omitempty"`
	RequestID  string        `json:"request_id,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Retryable  bool          `json:"retryable,omitempty"`
	Attempts   int           `json:"attempts,omitempty"`
	Reply      *chat.Reply   `json:"reply,omitempty"`
}

// kinds are the sentinels that a cassette keeps, by their texts.
var kinds = func() map[string]error {
	byText := make(map[string]error)
	for _, kind := range []error{
		chat.ErrInvalid, chat.ErrUnsupported, chat.ErrAuth, chat.ErrNotFound, chat.ErrBadRequest, chat.ErrTooLong,
		chat.ErrFiltered, chat.ErrQuota, chat.ErrRateLimited, chat.ErrOverloaded, chat.ErrServer, chat.ErrNetwork,
		chat.ErrBadReply, chat.ErrMalformedCall, chat.ErrTruncated, chat.ErrStreamUsed, chat.ErrToolChoiceUnmet,
		chat.ErrOutputUnmet, context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF,
	} {
		byText[kind.Error()] = kind
	}
	return byText
}()

func storeError(err error) *errorJSON {
	if err == nil {
		return nil
	}
	s := &errorJSON{Text: err.Error()}
	if e, ok := errors.AsType[*chat.Error](err); ok {
		s.Call, s.Engine, s.Model, s.Status = true, e.Engine, e.Model, e.Status
		s.Type, s.Code, s.Param, s.Message, s.RequestID = e.Type, e.Code, e.Param, e.Message, e.RequestID
		s.RetryAfter, s.Retryable, s.Attempts, s.Reply = e.RetryAfter, e.Retryable, e.Attempts, e.Reply
		if e.Kind != nil {
			s.Kind = e.Kind.Error()
		}
		if s.Text = ""; e.Err != nil {
			s.Text = e.Err.Error()
		}
	}
	for text, kind := range kinds {
		if text != s.Kind && errors.Is(err, kind) {
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
	if !s.Call {
		return cause
	}
	return &chat.Error{
		Kind: kinds[s.Kind], Engine: s.Engine, Model: s.Model, Status: s.Status, Type: s.Type, Code: s.Code, Param: s.Param,
		Message: s.Message, RequestID: s.RequestID, RetryAfter: s.RetryAfter, Retryable: s.Retryable, Attempts: s.Attempts,
		Reply: s.Reply, Err: cause,
	}
}

// recordedError is an error of which the text and the kinds were recorded.
type recordedError struct {
	text string
	is   []error
}

func (e *recordedError) Error() string   { return e.text }
func (e *recordedError) Unwrap() []error { return e.is }
