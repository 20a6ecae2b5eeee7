package wiretest

import (
	"encoding/json"

	"github.com/sabir-go/sabir/chat"
)

// The story of the request fixtures: a visitor asks a harbour desk.
const (
	System   = "You answer for the harbour desk at Port Sorrel. Be brief."
	Question = "High water at Sorrel Bar on Friday, and a berth for Kittiwake?"

	TideSchema = `{"type":"object","properties":{"station":{"type":"string","description":"Tide station name"},` +
		`"date":{"type":"string","description":"ISO date"}},"required":["station","date"],"additionalProperties":false}`
	BerthSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"},` +
		`"shore_power":{"type":"boolean"}},"required":["vessel","nights","shore_power"],"additionalProperties":false}`
	PlanSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"length_m":{"type":"number"},` +
		`"berths":{"type":"array","items":{"type":"string"}},"note":{"type":["string","null"]}},` +
		`"required":["vessel","length_m","berths","note"],"additionalProperties":false}`
	TideArgs  = `{"station":"Sorrel Bar","date":"2026-12-04"}`
	BerthArgs = `{"vessel":"Kittiwake","nights":2,"shore_power":true}`
)

// Tools are the desk's tools, get_tide and book_berth.
func Tools(strict bool) []chat.ToolDef {
	return []chat.ToolDef{
		{
			Name: "get_tide", Description: "High and low water for one station and day.",
			Schema: json.RawMessage(TideSchema), Strict: strict,
		},
		{Name: "book_berth", Description: "Reserve a visitor berth.", Schema: json.RawMessage(BerthSchema), Strict: strict},
	}
}

// Asked is a message of the user.
func Asked(parts ...chat.Part) chat.Message {
	return chat.Message{Role: chat.RoleUser, Parts: parts}
}

// Said is a message of the model.
func Said(parts ...chat.Part) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: parts}
}

// ToolCall is a call with arguments given as text.
func ToolCall(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}
