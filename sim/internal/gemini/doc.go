// Package gemini plays generateContent of the Gemini API and of Vertex AI.
package gemini
