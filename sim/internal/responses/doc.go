// Package responses plays OpenAI's Responses.
package responses
