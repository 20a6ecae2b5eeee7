// Package sim is a strict simulator of LLM providers for tests and examples:
// an HTTP server on loopback that speaks Chat Completions, OpenAI Responses,
// Anthropic Messages, Gemini, Ollama, Bedrock Converse, Cohere and AKI.IO's own
// API, whole and streamed, in the providers' own shapes, and refuses what they
// refuse with their own status and error body.
//
//	srv, err := sim.Start(sim.Options{})
//	if err != nil {
//		return err
//	}
//	defer srv.Close()
//	eng := engine.NewGroq(engine.Config{APIKey: "any", BaseURL: srv.BaseURL("groq")})
//
// The first segment of the path says which provider is played, by the name of
// its engine: /openai, /anthropic, /gemini, /bedrock and so on; any other name
// is a plain Chat Completions server without particular rules. Those whose
// models call tools in words (hermes, nousresearch, aki-openai, aki) read them
// from the system text and write the calls into the answer.
//
// Without a script the simulator calls the forced, or else the best matching,
// tool with arguments made from its JSON Schema, answers with a fitting
// document where the request carries an output schema, and answers in text
// that quotes the results once the tools have run. With [Options].Turns it
// says what the script says, and breaks the rules where a [Fault] asks for it.
// Everything is deterministic: the same requests in the same order give the
// same bytes.
//
// The texts of error messages follow the observed ones without being them;
// match on status, type and code.
package sim
