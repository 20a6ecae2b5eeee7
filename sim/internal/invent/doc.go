// Package invent makes values that are valid against a JSON Schema, with words
// of a prompt where they fit, and finds what a prompt is about.
package invent
