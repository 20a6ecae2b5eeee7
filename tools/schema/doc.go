// Package schema makes, checks and adapts JSON Schemas (draft 2020-12, and
// what of draft-07 is common): from Go types ([For]), for validating what a
// model wrote ([Compile]), and for the subsets that wires take ([Adapt]).
// Schemas stay JSON text; what is changed is changed in order, so equal input
// gives equal bytes.
//
//	type args struct {
//		City string `json:"city" jsonschema:"name of a city"`
//		Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
//	}
//	raw, err := schema.For[args]()
package schema
