package chat

import (
	"encoding/json"
	"fmt"
)

// partJSON is every part's stored form: a type word and the members that
// belong to it.
type partJSON struct {
	Type      string     `json:"type"`
	Text      string     `json:"text,omitempty"`
	MediaType string     `json:"media_type,omitempty"`
	Data      []byte     `json:"data,omitempty"`
	URL       string     `json:"url,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	Name      string     `json:"name,omitempty"`
	ID        string     `json:"id,omitempty"`
	CallID    string     `json:"call_id,omitempty"`
	Arguments *string    `json:"arguments,omitempty"` // as text: it may be unsound
	Synthetic bool       `json:"synthetic,omitempty"`
	IsError   bool       `json:"is_error,omitempty"`
	Parts     []partJSON `json:"parts,omitempty"`
	Signature *Signature `json:"signature,omitempty"`
}

type messageJSON struct {
	Role  Role       `json:"role"`
	Parts []partJSON `json:"parts"`
}

// MarshalJSON writes the message with each part's kind under "type".
func (m Message) MarshalJSON() ([]byte, error) {
	parts, err := storeParts(m.Parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(messageJSON{m.Role, parts})
}

// UnmarshalJSON reads what MarshalJSON wrote. A part of an unknown type is an
// error: leaving it out would change what was said.
func (m *Message) UnmarshalJSON(data []byte) error {
	var in messageJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	parts, err := loadParts(in.Parts)
	if err != nil {
		return err
	}
	*m = Message{in.Role, parts}
	return nil
}

// MarshalJSON writes the result with each part's kind under "type".
func (r ToolResult) MarshalJSON() ([]byte, error) {
	s, err := storePart(r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *ToolResult) UnmarshalJSON(data []byte) error {
	var in partJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	p, err := loadPart(in)
	if err != nil {
		return err
	}
	got, ok := p.(ToolResult)
	if !ok {
		return fmt.Errorf("chat: read tool result: it is a part of type %q", in.Type)
	}
	*r = got
	return nil
}

func storeParts(parts []Part) ([]partJSON, error) {
	out := make([]partJSON, 0, len(parts))
	for _, p := range parts {
		s, err := storePart(p)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func storePart(p Part) (partJSON, error) {
	switch p := p.(type) {
	case Text:
		return partJSON{Type: "text", Text: p.Text, Signature: keep(p.Signature)}, nil
	case Thinking:
		return partJSON{Type: "thinking", Text: p.Text, Signature: keep(p.Signature)}, nil
	case Image:
		return partJSON{Type: "image", MediaType: p.MediaType, Data: p.Data, URL: p.URL, Detail: p.Detail}, nil
	case File:
		return partJSON{Type: "file", Name: p.Name, MediaType: p.MediaType, Data: p.Data, URL: p.URL, ID: p.ID}, nil
	case Audio:
		return partJSON{Type: "audio", MediaType: p.MediaType, Data: p.Data}, nil
	case ToolCall:
		args := string(p.Arguments)
		return partJSON{
			Type: "tool_call", ID: p.ID, Name: p.Name, Arguments: &args,
			Synthetic: p.Synthetic, Signature: keep(p.Signature),
		}, nil
	case ToolResult:
		parts, err := storeParts(p.Parts)
		return partJSON{Type: "tool_result", CallID: p.CallID, Name: p.Name, IsError: p.IsError, Parts: parts}, err
	}
	return partJSON{}, fmt.Errorf("chat: store message: part of type %T", p)
}

func loadParts(in []partJSON) ([]Part, error) {
	out := make([]Part, 0, len(in))
	for _, s := range in {
		p, err := loadPart(s)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func loadPart(s partJSON) (Part, error) {
	var sig Signature
	if s.Signature != nil {
		sig = *s.Signature
	}
	switch s.Type {
	case "text":
		return Text{Text: s.Text, Signature: sig}, nil
	case "thinking":
		return Thinking{Text: s.Text, Signature: sig}, nil
	case "image":
		return Image{MediaType: s.MediaType, Data: s.Data, URL: s.URL, Detail: s.Detail}, nil
	case "file":
		return File{Name: s.Name, MediaType: s.MediaType, Data: s.Data, URL: s.URL, ID: s.ID}, nil
	case "audio":
		return Audio{MediaType: s.MediaType, Data: s.Data}, nil
	case "tool_call":
		c := ToolCall{ID: s.ID, Name: s.Name, Synthetic: s.Synthetic, Signature: sig}
		if s.Arguments != nil {
			c.Arguments = json.RawMessage(*s.Arguments)
		}
		return c, nil
	case "tool_result":
		parts, err := loadParts(s.Parts)
		return ToolResult{CallID: s.CallID, Name: s.Name, IsError: s.IsError, Parts: parts}, err
	}
	return nil, fmt.Errorf("chat: read message: part of unknown type %q", s.Type)
}

func keep(s Signature) *Signature {
	if s.IsZero() {
		return nil
	}
	return &s
}
