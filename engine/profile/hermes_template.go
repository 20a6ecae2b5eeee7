package profile

// HermesTemplate is how tools are written into the system text and calls into
// the model's, on engines whose tool wire format is Hermes. The zero value is
// the form of the Hermes models; a field that is set replaces its part of that.
type HermesTemplate struct {
	// Tools, Call, Response and Think name tags: "tools", "tool_call",
	// "tool_response" and "think". Calls inside of Think are thoughts.
	Tools, Call, Response, Think string
	// Prompt tells the model how to call. {{tools}} stands for the tools, one
	// JSON object per line; {{tools_tag}}, {{call_tag}} and {{response_tag}}
	// for the names of the tags.
	Prompt string
}
