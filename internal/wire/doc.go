// Package wire is what all dialects share: the [Codec] that each one
// implements, the [Call] that the planner hands to it, and the [Assembly] that
// pieces a reply together, whether it comes whole or in a stream. What more than
// one dialect reads or writes alike is in scan.go and spell.go; what they know of
// errors is in package failure.
//
// Codecs only spell. They are stateless and know no provider, key, host or
// retry; whatever had to be decided was decided in the plan.
package wire
