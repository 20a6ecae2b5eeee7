package chat

import (
	"encoding/json"
	"errors"
	"time"
)

// errorJSON is an error's stored form. Kind and Cause are texts.
type errorJSON struct {
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
	Reply      *Reply        `json:"reply,omitempty"`
	Cause      string        `json:"cause,omitempty"`
}

// MarshalJSON writes the error so that errors.Is finds its kind again. Of the
// cause only the text is kept.
func (e *Error) MarshalJSON() ([]byte, error) {
	out := errorJSON{
		Engine: e.Engine, Model: e.Model, Status: e.Status, Type: e.Type, Code: e.Code, Param: e.Param, Message: e.Message,
		RequestID: e.RequestID, RetryAfter: e.RetryAfter, Retryable: e.Retryable, Attempts: e.Attempts, Reply: e.Reply,
	}
	if e.Kind != nil {
		out.Kind = e.Kind.Error()
	}
	if e.Err != nil {
		out.Cause = e.Err.Error()
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. A kind that isn't of this package
// is an error of that text.
func (e *Error) UnmarshalJSON(data []byte) error {
	var in errorJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Error{
		Engine: in.Engine, Model: in.Model, Status: in.Status, Type: in.Type, Code: in.Code, Param: in.Param, Message: in.Message,
		RequestID: in.RequestID, RetryAfter: in.RetryAfter, Retryable: in.Retryable, Attempts: in.Attempts, Reply: in.Reply,
	}
	if in.Kind != "" {
		out.Kind = kindByText(in.Kind)
	}
	if in.Cause != "" {
		out.Err = errors.New(in.Cause)
	}
	*e = out
	return nil
}

func kindByText(text string) error {
	for _, k := range kinds {
		if text == k.kind.Error() {
			return k.kind
		}
	}
	return errors.New(text)
}
