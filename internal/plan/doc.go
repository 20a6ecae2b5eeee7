// Package plan decides what becomes of a request: the planner. It is pure: the
// same host, capabilities and request give the same plan, and there is no key,
// no address and no HTTP here.
//
// It decides by these rules. README and comments use the same numbers.
//
//  1. Check the request: what is wrong in itself is refused with the path of
//     the field, whatever the engine (check.go, check_messages.go).
//  2. Work out the effective thinking: what the request says, else what the
//     model does by default, else that it always thinks (thinking.go).
//  3. Refuse a forced choice beside thinking where the model refuses it, also
//     when it thinks by default, and whatever rewrite could carry it (tools.go).
//  4. Send a named tool as such; else alone, with any; else as an output schema
//     whose answer becomes a synthetic call; else refuse (tools.go,
//     tool_schemas.go). Any with one tool is this case.
//  5. Send any as such; else as one schema that is a union over the tools; else
//     refuse.
//  6. Send none as such; else leave the tools out; else refuse calls in the
//     reply.
//  7. Send an output schema in the wire's subset; else as a forced tool; else in
//     the prompt, with JSON mode on; else refuse (output.go).
//  8. Of everything else that the wire can't carry, refuse what changes the
//     answer and leave out, with a warning, what only costs (settings.go,
//     history.go, tools_in_text.go).
//  9. Warn where a changed tool choice drops a cached prefix (cached_prefix.go).
//
// A plan's other half settles the reply: it undoes the rewrites and holds the
// answer against what was asked for (settle.go, settle_stream.go). Guards that
// the tables don't know are learned from what the provider says (guard.go).
package plan
