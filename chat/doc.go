// Package chat is sabir's vocabulary: what is asked of a model ([Request],
// [Message], [ToolDef]), what comes back ([Reply], [Event]) and what can go
// wrong ([Error], [UnsupportedError]). It is plain data: values can be copied,
// logged, stored as JSON and planned without network. Nothing here knows a
// provider.
//
//	reply, err := client.Chat(ctx, &chat.Request{
//		Model:    "claude-sonnet-4-5",
//		Messages: chat.Prompt("Where is the Gravensteen?"),
//	})
package chat
