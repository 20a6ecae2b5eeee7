package bedrock

import (
	"fmt"
	"net/http"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// wordsFor are the types of errors by status. Source: aws-sdk-go-v2,
// bedrockruntime types/errors.go, read 2026-11-30.
func wordsFor(status int) (typ, message string) {
	switch status {
	case http.StatusForbidden:
		return "AccessDeniedException", "You don't have access to the model with the specified model ID."
	case http.StatusNotFound:
		return "ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier."
	case http.StatusRequestTimeout:
		return "ModelTimeoutException", "Model has timed out in processing the request."
	case http.StatusFailedDependency:
		return "ModelErrorException", "The model failed while processing the request."
	case http.StatusTooManyRequests:
		return "ThrottlingException", "Too many tokens, please wait before trying again."
	case http.StatusServiceUnavailable:
		return "ServiceUnavailableException", "Bedrock is unable to process your request."
	}
	if status >= http.StatusInternalServerError {
		return "InternalServerException", "The system encountered an unexpected error during processing."
	}
	return "ValidationException", "The request is not valid."
}

// encodeFailure puts the type of an error into a header.
func encodeFailure(f *core.Refusal, _ string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	if f.Status == http.StatusUnauthorized {
		f.Status, f.Message = http.StatusForbidden, "The security token included in the request is invalid."
		f.Type = "UnrecognizedClientException"
		if f.Keyless {
			f.Type, f.Message = "MissingAuthenticationTokenException", "Missing Authentication Token"
		}
	}
	typ, message := wordsFor(f.Status)
	f.FillWords(typ, "", message)
	if f.Header == nil {
		f.Header = http.Header{}
	}
	f.Header.Set("X-Amzn-Errortype", f.Type+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	return core.EncodeDocument(object{"message": f.Message})
}

// refuse makes a ValidationException.
func refuse(format string, args ...any) *core.Refusal {
	return &core.Refusal{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}
