// Package readme keeps README.md in step with the code: the support table is
// made from the planner's golden truth table, and code blocks are those of the
// examples.
//
//go:generate go run ./gen
package readme
