// Package truthtable folds the table of what the planner does into a form that
// a person can review, and unfolds it again.
//
// The full table has a row for every engine, model, choice, thinking and
// output. The folded one has a block for every engine and family: models that
// are alike share one, the others say only how they differ. Nothing is lost:
// Unfold gives the rows that were folded.
package truthtable
