// Package plan decides what becomes of a request: the planner. It is pure: the
// same host, capabilities and request give the same plan, and there is no key,
// no address and no HTTP here. A plan's other half settles the reply: it undoes
// the rewrites and holds the answer against what was asked for.
package plan
