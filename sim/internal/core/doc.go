// Package core is what the dialects of the simulator share: the exchange of a
// request for an answer, what a request wants, what a model says to it, and how
// an answer is written bit by bit.
package core
