package chat

import "encoding/json"

// replyJSON is a reply's stored form.
type replyJSON struct {
	Parts     []partJSON      `json:"parts"`
	Finish    Finish          `json:"finish,omitempty"`
	RawFinish string          `json:"raw_finish,omitempty"`
	Usage     Usage           `json:"usage"`
	Output    json.RawMessage `json:"output,omitempty"`
	Engine    string          `json:"engine,omitempty"`
	Model     string          `json:"model,omitempty"`
	ID        string          `json:"id,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	RateLimit RateLimit       `json:"rate_limit,omitzero"`
	Timing    Timing          `json:"timing,omitzero"`
	Warnings  []Warning       `json:"warnings,omitempty"`
	Steps     []Step          `json:"steps,omitempty"`
}

// MarshalJSON writes the reply with all but Raw, which can be as long as the
// rest and says nothing that the parts don't. Durations are nanoseconds.
func (r Reply) MarshalJSON() ([]byte, error) {
	parts, err := storeParts(r.Parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(replyJSON{
		Parts: parts, Finish: r.Finish, RawFinish: r.RawFinish, Usage: r.Usage, Output: r.Output,
		Engine: r.Engine, Model: r.Model, ID: r.ID, RequestID: r.RequestID,
		RateLimit: r.RateLimit, Timing: r.Timing, Warnings: r.Warnings, Steps: r.Steps,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote. As with a message, a part of an
// unknown type is an error.
func (r *Reply) UnmarshalJSON(data []byte) error {
	var in replyJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	parts, err := loadParts(in.Parts)
	if err != nil {
		return err
	}
	*r = Reply{
		Parts: parts, Finish: in.Finish, RawFinish: in.RawFinish, Usage: in.Usage, Output: in.Output,
		Engine: in.Engine, Model: in.Model, ID: in.ID, RequestID: in.RequestID,
		RateLimit: in.RateLimit, Timing: in.Timing, Warnings: in.Warnings, Steps: in.Steps,
	}
	return nil
}
