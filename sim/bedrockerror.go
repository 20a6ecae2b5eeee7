package sim

import (
	"fmt"
	"net/http"
)

// bedrockWords are the types of errors by status. Source: aws-sdk-go-v2,
// bedrockruntime types/errors.go, read 2026-11-30.
func bedrockWords(status int) (typ, code, message string) {
	switch status {
	case http.StatusForbidden:
		return "AccessDeniedException", "", "You don't have access to the model with the specified model ID."
	case http.StatusNotFound:
		return "ResourceNotFoundException", "", "Could not resolve the foundation model from the provided model identifier."
	case http.StatusRequestTimeout:
		return "ModelTimeoutException", "", "Model has timed out in processing the request."
	case http.StatusFailedDependency:
		return "ModelErrorException", "", "The model failed while processing the request."
	case http.StatusTooManyRequests:
		return "ThrottlingException", "", "Too many tokens, please wait before trying again."
	case http.StatusServiceUnavailable:
		return "ServiceUnavailableException", "", "Bedrock is unable to process your request."
	}
	if status >= http.StatusInternalServerError {
		return "InternalServerException", "", "The system encountered an unexpected error during processing."
	}
	return "ValidationException", "", "The request is not valid."
}

// bedrockFailure has the type in a header.
func bedrockFailure(f *refusal, _ string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	if f.status == http.StatusUnauthorized {
		f.status, f.message = http.StatusForbidden, "The security token included in the request is invalid."
		f.typ = "UnrecognizedClientException"
		if f.keyless {
			f.typ, f.message = "MissingAuthenticationTokenException", "Missing Authentication Token"
		}
	}
	f.fill(bedrockWords(f.status))
	if f.header == nil {
		f.header = http.Header{}
	}
	f.header.Set("X-Amzn-Errortype", f.typ+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	return document(object{"message": f.message})
}

// invalid is a ValidationException.
func invalid(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}
