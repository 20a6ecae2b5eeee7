package openairesponses

import (
	"errors"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/openaichat"
)

// DecodeError reads the body of an answer that failed. Errors are those of
// Chat Completions, with some codes more.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	e := openaichat.Codec{}.DecodeError(status, h, body)
	if kind := codes[e.Code]; kind != nil && vague(e.Kind) {
		e.Kind, e.Retryable = kind, errors.Is(kind, chat.ErrServer)
	}
	return e
}

// vague reports whether a kind says no more than the status.
func vague(kind error) bool {
	return errors.Is(kind, chat.ErrServer) || errors.Is(kind, chat.ErrBadRequest)
}

// codes are those that a response can fail with and Chat Completions doesn't
// have. Source: openai-go responses/response.go, ResponseErrorCode, read
// 2026-11-30.
var codes = map[string]error{
	"invalid_prompt":                 chat.ErrBadRequest,
	"invalid_image":                  chat.ErrBadRequest,
	"invalid_image_format":           chat.ErrBadRequest,
	"invalid_base64_image":           chat.ErrBadRequest,
	"invalid_image_url":              chat.ErrBadRequest,
	"invalid_image_mode":             chat.ErrBadRequest,
	"image_too_large":                chat.ErrBadRequest,
	"image_too_small":                chat.ErrBadRequest,
	"image_parse_error":              chat.ErrBadRequest,
	"image_file_too_large":           chat.ErrBadRequest,
	"unsupported_image_media_type":   chat.ErrBadRequest,
	"empty_image_file":               chat.ErrBadRequest,
	"failed_to_download_image":       chat.ErrBadRequest,
	"image_file_not_found":           chat.ErrBadRequest,
	"image_content_policy_violation": chat.ErrFiltered,
	"cyber_policy":                   chat.ErrFiltered,
	"bio_policy":                     chat.ErrFiltered,
	"vector_store_timeout":           chat.ErrServer,
}

// failureInside reads an error that came with status 200: an error event, flat
// or nested, or an error object in the place of a reply.
func failureInside(body []byte) *chat.Error {
	e := Codec{}.DecodeError(http.StatusOK, nil, body)
	if e.Message == "" && e.Code == "" && e.Type == "" {
		return badReply("no response", nil)
	}
	return e
}

// failedResponse is the error of a response whose status is failed.
func failedResponse(raw []byte) *chat.Error {
	if !says(raw) {
		return &chat.Error{Kind: chat.ErrServer, Status: http.StatusOK, Message: "the response failed"}
	}
	return Codec{}.DecodeError(http.StatusOK, nil, raw)
}

func badReply(message string, cause error) *chat.Error {
	return &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Message: message, Err: cause}
}

// unreadable is the error for a body or frame that isn't the JSON it should be.
func unreadable(body []byte, cause error) *chat.Error {
	if cause == nil {
		cause = errors.New("not a JSON object")
	}
	return badReply(openaichat.Codec{}.DecodeError(http.StatusOK, nil, body).Message, cause)
}
