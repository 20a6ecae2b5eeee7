package openairesponses

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures names the codes that a response can fail with and no other dialect
// has. Source: openai-go responses/response.go, ResponseErrorCode, read
// 2026-11-30.
var failures = failure.Dialect{
	Kinds: map[error][]string{
		chat.ErrFiltered: {"image_content_policy_violation", "cyber_policy", "bio_policy"},
		chat.ErrServer:   {"vector_store_timeout"},
	},
	Statuses: map[int][]string{http.StatusBadRequest: {
		"invalid_prompt", "invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url",
		"invalid_image_mode", "image_too_large", "image_too_small", "image_parse_error", "image_file_too_large",
		"unsupported_image_media_type", "empty_image_file", "failed_to_download_image", "image_file_not_found",
	}},
}

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}

// failureInside reads an error that came with status 200: an error event, flat
// or nested, or an error object in the place of a reply.
func failureInside(body []byte) error {
	if e := failures.Find(body); e != nil {
		return e
	}
	return failure.BadReply("no response", nil)
}

// failedResponse is the error of a response whose status is failed.
func failedResponse(raw []byte) *chat.Error {
	if !holdsError(raw) {
		return &chat.Error{Kind: chat.ErrServer, Status: http.StatusOK, Message: "the response failed"}
	}
	return failures.Inside(raw)
}
