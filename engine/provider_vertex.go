package engine

import "github.com/sabir-go/sabir/engine/profile"

// Vertex speaks Gemini's generateContent on Google Cloud, with a bearer token.
type Vertex struct{ core }

// NewVertex returns an engine for Gemini on Vertex AI. Config.Token gives the
// bearer token; Config.Project defaults to $GOOGLE_CLOUD_PROJECT and
// Config.Region to $GOOGLE_CLOUD_LOCATION, or us-central1. For the global
// endpoint set BaseURL.
func NewVertex(cfg Config) *Vertex { return &Vertex{newCore(vertex(), cfg)} }

func vertex() profile.Profile {
	p := geminiProfile
	p.Name = "vertex"
	p.BaseURL = "https://{region}-aiplatform.googleapis.com/v1/projects/{project}/locations/{region}/publishers/google"
	p.Auth = profile.Auth{Header: "Authorization", Prefix: "Bearer "}
	p.Region = profile.Place{Env: "GOOGLE_CLOUD_LOCATION", Default: "us-central1"}
	p.Project = profile.Place{Env: "GOOGLE_CLOUD_PROJECT"}
	return p
}
