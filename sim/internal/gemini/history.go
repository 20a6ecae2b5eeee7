package gemini

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// checkCallTurns: the results of a step come right after its calls, all in one
// content, as many as calls. Source: go-genai v1.77.0, types.go; vercel/ai,
// packages/google, convert-to-google-messages.ts; read 2026-11-30.
func checkCallTurns(r *request) *core.Refusal {
	var open []*part
	for i, c := range r.Contents {
		results := c.listResults()
		if len(results) > 0 && len(open) == 0 {
			return refuseArgument("", "Please ensure that function response turn comes immediately after a function call turn.")
		}
		if len(open) != len(results) {
			return refuseArgument("",
				"Please ensure that the number of function response parts is equal to the number of function call parts of the "+
					"function call turn.")
		}
		for _, res := range results {
			at := slices.IndexFunc(open, func(p *part) bool {
				return p.Call.Name == res.Name && (p.Call.ID == "" || res.ID == "" || p.Call.ID == res.ID)
			})
			if at < 0 {
				return refuseArgument("", "Function response `%s` at position %d matches no function call of the turn before.",
					res.Name, i+1)
			}
			open = slices.Delete(slices.Clone(open), at, at+1)
		}
		calls := c.listCalls()
		if len(calls) > 0 && (i == 0 || r.Contents[i-1].Role == "model") {
			return refuseArgument("",
				"Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		open = calls
	}
	if len(open) > 0 {
		return refuseArgument("",
			"Please ensure that the number of function response parts is equal to the number of function call parts of the "+
				"function call turn.")
	}
	return nil
}

// skipSignature are stand-ins for the signature of a call that the model did
// not make. Source: ai.google.dev, "Thought signatures", read 2026-11-30.
var skipSignature = []string{"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"}

// checkSignatures: from Gemini 3 on each step of the current turn keeps the
// signature of its first call, and no signature is altered or moved. Source:
// ai.google.dev, "Thought signatures", read 2026-11-30.
func checkSignatures(r *request) *core.Refusal {
	current := 0
	for i, c := range r.Contents {
		if c.Role != "model" && len(c.listResults()) == 0 {
			current = i
		}
	}
	for i, c := range r.Contents {
		for _, p := range c.Parts {
			if p.Signature != "" && !fitsSignature(&p) {
				return refuseArgument("", "Thought signature is not valid. Position %d.", i+1)
			}
		}
		calls := c.listCalls()
		if i > current && len(calls) > 0 && calls[0].Signature == "" && r.version.Major >= 3 {
			return refuseArgument("",
				"Function call is missing a thought_signature in functionCall parts. Function call `%s`, position %d.",
				calls[0].Call.Name, i+1)
		}
	}
	return nil
}

func fitsSignature(p *part) bool {
	if slices.Contains(skipSignature, p.Signature) {
		return true
	}
	if _, err := base64.StdEncoding.DecodeString(p.Signature); err != nil {
		return false
	}
	state := core.Verify("gemini", describeBinding(p), p.Signature, nil)
	return state == core.SignatureGood || !strings.HasPrefix(p.Signature, signatureStart)
}

// signatureStart is how the signatures that are made here begin, of whatever
// dialect.
var signatureStart = base64.StdEncoding.EncodeToString([]byte(core.SignatureMark))

// describeBinding says what a signature is bound to: the call that it stands
// on. Those on texts may stand on the whole text or on an empty one after it.
func describeBinding(p *part) string {
	if p.Call != nil {
		return "call " + p.Call.Name
	}
	return "text"
}
