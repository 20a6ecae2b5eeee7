package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Gemini speaks Google's generateContent. Its calls carry signatures that must
// be said back; history that another provider made gets a stand-in.
type Gemini struct{ core }

// NewGemini returns an engine for the Gemini API. The key defaults to
// $GEMINI_API_KEY.
func NewGemini(cfg Config) *Gemini { return &Gemini{newCore(geminiProfile, cfg)} }

// Source: go-genai v1.77.0, types.go and api_client.go (parameters, function
// calling config, thinking config, x-goog-api-key); vercel/ai,
// packages/google/src (4.0.121: JSON beside functions not before Gemini 3, then
// with auto only; thinking by model); ai.google.dev/gemini-api/docs/thought-signatures
// (the stand-in for calls that the model did not make); read 2026-11-30.
var geminiProfile = profile.Profile{
	Name:    "gemini",
	BaseURL: "https://generativelanguage.googleapis.com/v1beta",
	Auth:    profile.KeyHeader("X-Goog-Api-Key", "GEMINI_API_KEY"),
	Dialect: profile.GeminiAPI,
	Tools:   toolchoice.Gemini,
	Schemas: schema.GeminiJSON,
	Can: profile.Streaming | profile.ToolUse | profile.StrictTools | profile.SubsetSwitch | profile.SubsetAuto | profile.JSONSchema | profile.JSONMode | profile.OpenSchema | profile.SchemaWithTools | profile.SchemaAutoOnly |
		profile.Images | profile.ImageURLs | profile.ResultImages | profile.Files | profile.FileURLs | profile.Audio | profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Choice:   nativeChoice,
	Guard:    profile.GuardNever,
	Thinking: geminiLevels,
	Models:   geminiModels,
	Quirks:   geminiQuirks,
	Example:  "gemini-3.8-flash",
}
