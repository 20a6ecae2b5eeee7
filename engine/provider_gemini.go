package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Gemini speaks Google's generateContent. Its calls carry signatures that must
// be said back; history that another provider made gets a stand-in.
type Gemini struct{ core }

// NewGemini returns an engine for the Gemini API. The key defaults to
// $GEMINI_API_KEY.
func NewGemini(cfg Config) *Gemini { return &Gemini{newCore(geminiProfile, cfg)} }

// Vertex speaks the same on Google Cloud, with a bearer token.
type Vertex struct{ core }

// NewVertex returns an engine for Gemini on Vertex AI. Config.Token gives the
// bearer token; Config.Project defaults to $GOOGLE_CLOUD_PROJECT and
// Config.Region to $GOOGLE_CLOUD_LOCATION, or us-central1. For the global
// endpoint set BaseURL.
func NewVertex(cfg Config) *Vertex { return &Vertex{newCore(vertex(), cfg)} }

// Source: go-genai v1.77.0, types.go and api_client.go (parameters, function
// calling config, thinking config, x-goog-api-key); vercel/ai,
// packages/google/src (4.0.121: JSON beside functions not before Gemini 3, then
// with auto only; thinking by model); ai.google.dev/gemini-api/docs/thought-signatures
// (the stand-in for calls that the model did not make); read 2026-11-30.
var geminiProfile = Profile{
	Name:    "gemini",
	BaseURL: "https://generativelanguage.googleapis.com/v1beta",
	Auth:    KeyHeader("X-Goog-Api-Key", "GEMINI_API_KEY"),
	Dialect: GeminiAPI,
	Tools:   toolchoice.Gemini,
	Schemas: schema.GeminiJSON,
	Can: Streaming | ToolUse | StrictTools | SubsetSwitch | SubsetAuto | JSONSchema | JSONMode | OpenSchema | SchemaWithTools | SchemaAutoOnly |
		Images | ImageURLs | ResultImages | Files | FileURLs | Audio | Temperature | TopP | Stop | Seed,
	Choice:   nativeChoice,
	Guard:    GuardNever,
	Thinking: geminiLevels,
	Models:   geminiModels,
	Quirks:   geminiQuirks,
	Example:  "gemini-3.8-flash",
}

func vertex() Profile {
	p := geminiProfile
	p.Name = "vertex"
	p.BaseURL = "https://{region}-aiplatform.googleapis.com/v1/projects/{project}/locations/{region}/publishers/google"
	p.Auth = Auth{Header: "Authorization", Prefix: "Bearer "}
	p.Region = Place{Env: "GOOGLE_CLOUD_LOCATION", Default: "us-central1"}
	p.Project = Place{Env: "GOOGLE_CLOUD_PROJECT"}
	return p
}

// olderGemini lacks what Gemini 3 brought: JSON beside functions, a subset of
// tools under auto, images in results.
const olderGemini = SchemaWithTools | SubsetAuto | ResultImages

var geminiModels = []ModelRule{
	{Match: []string{"gemini-2.5-pro*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &ThinkingSupport{
		State: ThinksAlways, Enabled: true, Adaptive: true, Budget: true, MinBudget: 128, MaxBudget: 32768, Display: true,
	}},
	{Match: []string{"gemini-2.5-flash-lite*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MinBudget: 512, MaxBudget: 24576, Display: true,
	}},
	{Match: []string{"gemini-2.5*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &ThinkingSupport{
		State: ThinksByDefault, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MaxBudget: 24576, Display: true,
	}},
	{Match: []string{"gemini-1*", "gemini-2*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &thinksNever},
	{Match: []string{"gemini-3.7*", "gemini-3.8*", "gemini-3*-pro*"}, Thinking: &geminiLevels},
	{Match: []string{"gemini-3*"}, Thinking: &ThinkingSupport{State: ThinksAlways, Efforts: fromMinimal, Display: true}},
	{Match: []string{"gemini-4-hydrogen*"}, Thinking: &ThinkingSupport{State: ThinksAlways, Efforts: toXHigh, Display: true}},
}

// geminiLevels: thinking can't be off, and minimal is refused by the newer.
var geminiLevels = ThinkingSupport{State: ThinksAlways, Efforts: []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh}, Display: true}

// geminiQuirks: calls that the model did not make go with a stand-in for the
// signature, where Gemini 3 would refuse them without one.
var geminiQuirks = Quirks{CallSignature: "skip_thought_signature_validator"}
