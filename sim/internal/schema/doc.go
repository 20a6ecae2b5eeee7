// Package schema reads JSON Schemas as providers do: it follows references,
// validates, merges, and knows which subset each provider takes.
package schema
