// Package openaichat speaks Chat Completions: OpenAI's dialect and that of the
// many servers that imitate it. What they do differently on the way out is a
// [wire.Quirks] value; what they do differently on the way back is simply
// survived, whoever sent it.
//
// A call of a custom tool (free text instead of arguments, never offered by us)
// stays visible: its arguments are the text as it came, and its signature's
// kind is "custom", so that it can be said back.
package openaichat
