// Package cohere plays Cohere's Chat API, version 2.
package cohere
