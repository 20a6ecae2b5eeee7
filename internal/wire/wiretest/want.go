package wiretest

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/sabir-go/sabir/chat"
)

// want is what a codec made of a case, in a form that can be read and compared.
type want struct {
	ID        string            `json:"id,omitempty"`
	Model     string            `json:"model,omitempty"`
	Finish    chat.FinishReason `json:"finish,omitempty"`
	RawFinish string            `json:"raw_finish,omitempty"`
	Parts     []chat.Part       `json:"-"`
	Usage     chat.Usage        `json:"usage"`
	Error     *wantError        `json:"error,omitempty"`
}

type wantError struct {
	Kind       string `json:"kind"`
	Status     int    `json:"status,omitempty"`
	Type       string `json:"type,omitempty"`
	Code       string `json:"code,omitempty"`
	Param      string `json:"param,omitempty"`
	Message    string `json:"message,omitempty"`
	RequestID  string `json:"request_id,omitempty"`
	RetryAfter string `json:"retry_after,omitempty"`
	Retryable  bool   `json:"retryable"`
	Partial    bool   `json:"partial,omitempty"` // the reply beside it is what was read
}

// renderOutcome is the case's outcome as indented JSON.
func renderOutcome(r *chat.Reply, err error) (map[string]any, error) {
	w := want{Error: wantOf(err)}
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Reply != nil {
		r = e.Reply
	}
	if r != nil {
		w.ID, w.Model, w.Finish, w.RawFinish, w.Usage, w.Parts = r.ID, r.Model, r.Finish, r.RawFinish, r.Usage, r.Parts
	}
	m, err := toMap(w)
	if err != nil {
		return nil, err
	}
	if r == nil {
		delete(m, "usage")
		return m, nil
	}
	msg, err := toMap(chat.Message{Parts: w.Parts})
	if err != nil {
		return nil, err
	}
	m["parts"] = msg["parts"]
	hideMadeUp(m["parts"])
	return m, nil
}

func wantOf(err error) *wantError {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		return &wantError{Kind: "not a *chat.Error: " + err.Error()}
	}
	w := &wantError{
		Kind: "none", Status: e.Status, Type: e.Type, Code: e.Code, Param: e.Param, Message: e.Message,
		RequestID: e.RequestID, Retryable: e.Retryable, Partial: e.Reply != nil,
	}
	if e.Kind != nil {
		w.Kind = e.Kind.Error()
	}
	if e.RetryAfter > 0 {
		w.RetryAfter = e.RetryAfter.String()
	}
	return w
}

func toMap(v any) (map[string]any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	return m, json.Unmarshal(b, &m)
}

// madeUp is the form of ids from wire.MakeCallID.
var madeUp = regexp.MustCompile(`^call_[A-Z2-7]{26}$`)

func hideMadeUp(parts any) {
	list, _ := parts.([]any)
	for _, p := range list {
		if m, ok := p.(map[string]any); ok {
			if id, _ := m["id"].(string); madeUp.MatchString(id) {
				m["id"] = "<made up>"
			}
		}
	}
}
