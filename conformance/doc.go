// Package conformance holds sabir against the providers' official Go clients.
// It has no code of its own, only tests; its README says what they prove.
package conformance
