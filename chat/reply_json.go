package chat

import "encoding/json"

// replyJSON is a reply's stored form. Durations are nanoseconds; what was
// received as JSON is kept as text, because marshalling would write it anew.
type replyJSON struct {
	Parts     []partJSON   `json:"parts"`
	Finish    FinishReason `json:"finish,omitempty"`
	RawFinish string       `json:"raw_finish,omitempty"`
	Usage     Usage        `json:"usage,omitzero"`
	Output    *string      `json:"output,omitempty"`
	Engine    string       `json:"engine,omitempty"`
	Model     string       `json:"model,omitempty"`
	ID        string       `json:"id,omitempty"`
	RequestID string       `json:"request_id,omitempty"`
	RateLimit RateLimit    `json:"rate_limit,omitzero"`
	Timing    Timing       `json:"timing,omitzero"`
	Warnings  []Warning    `json:"warnings,omitempty"`
	Steps     []PlanStep   `json:"steps,omitempty"`
	Raw       *string      `json:"raw,omitempty"`
}

// MarshalJSON writes the whole reply, so that it can be stored and read back
// without loss. Only bytes of Raw that aren't UTF-8 become U+FFFD.
func (r Reply) MarshalJSON() ([]byte, error) {
	out := replyJSON{
		Finish: r.Finish, RawFinish: r.RawFinish, Usage: r.Usage, Output: storeRaw(r.Output),
		Engine: r.Engine, Model: r.Model, ID: r.ID, RequestID: r.RequestID, RateLimit: r.RateLimit, Timing: r.Timing,
		Warnings: r.Warnings, Steps: r.Steps, Raw: storeRaw(r.Raw),
	}
	if r.Parts != nil {
		var err error
		if out.Parts, err = storeParts(r.Parts); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. A part of an unknown type is an
// error.
func (r *Reply) UnmarshalJSON(data []byte) error {
	var in replyJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Reply{
		Finish: in.Finish, RawFinish: in.RawFinish, Usage: in.Usage, Output: loadRaw(in.Output),
		Engine: in.Engine, Model: in.Model, ID: in.ID, RequestID: in.RequestID, RateLimit: in.RateLimit, Timing: in.Timing,
		Warnings: in.Warnings, Steps: in.Steps, Raw: loadRaw(in.Raw),
	}
	if in.Parts != nil {
		var err error
		if out.Parts, err = loadParts(in.Parts); err != nil {
			return err
		}
	}
	*r = out
	return nil
}

func storeRaw(raw json.RawMessage) *string {
	if raw == nil {
		return nil
	}
	return new(string(raw))
}

func loadRaw(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	return json.RawMessage(*text)
}
