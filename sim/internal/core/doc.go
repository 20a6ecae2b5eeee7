// Package core is what the dialects of the simulator share: the exchange of a
// request for an answer, what a request wants, what a model says to it, and how
// an answer is written bit by bit. Like the dialects it shares no code with the
// codecs, so that a mistake in one is none in both: docs/adr/0012.
package core
