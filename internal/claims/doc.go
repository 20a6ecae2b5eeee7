// Package claims holds what the providers' own sources say about their APIs:
// which model thinks, which choice of tools is refused, which member is
// ignored. The claims are rows of claims.json, each with its source, the day
// it was read and how sure it is.
//
// The rows are written from the sources, never from the engines' profiles, so
// that every fact is stated twice, by two hands: a mistake in a profile is
// found by the tests that hold the two together, and by the simulator, which
// refuses what the claims say is refused. The linter admits this package to
// sim and to tests only.
//
// The package loads, checks and finds rows, and does nothing else. What a
// claim means for a request is said by its readers.
//
//	facts := claims.About("anthropic", "claude-opus-5-5")
//	facts.Is(claims.Thinks) // "always"
package claims
