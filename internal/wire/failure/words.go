package failure

import (
	"cmp"
	"errors"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// kinds are codes and types that say more than a status. A word means the same
// on every path, as gateways pass on what others said; what only one dialect
// says is in the Dialect of its codec. Sources, read 2026-11-30 if nothing else
// is said: OpenAI's error guide; Anthropic, "Errors"; googleapis
// google/rpc/code.proto and google/api/error_reason.proto; llama.cpp's server
// (exceed_context_size_error); console.groq.com/docs/errors (tool_use_failed);
// DashScope (data_inspection_failed, Arrearage); Azure OpenAI's page on content
// filters; Moonshot (exceeded_current_quota_error, engine_overloaded_error);
// AWS's quota and throttling exceptions; and, read 2026-12-01, GitHub Copilot
// (model_max_prompt_tokens_exceeded) and platform.minimax.io, "Error Codes".
var kinds = map[error][]string{
	chat.ErrTooLong: {
		"context_length_exceeded", "context_window_exceeded", "exceed_context_size_error",
		"model_max_prompt_tokens_exceeded", "request_too_large",
	},
	chat.ErrQuota: {
		"insufficient_quota", "insufficient_balance", "exceeded_current_quota_error", "enforced_spend_limit_reached",
		"Arrearage", "RESOURCE_QUOTA_EXCEEDED", "ServiceQuotaExceededException", "base_resp:1008",
	},
	chat.ErrRateLimited: {"RESOURCE_EXHAUSTED", "ThrottlingException", "TooManyRequestsException", "base_resp:1002"},
	chat.ErrOverloaded: {
		"server_is_overloaded", "slow_down", "overloaded_error", "engine_overloaded_error", "capacity_exceeded",
		"service_tier_capacity_exceeded", "service_unavailable_error", "UNAVAILABLE",
	},
	chat.ErrFiltered: {
		"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation", "data_inspection_failed",
		"DataInspectionFailed", "base_resp:1026", "base_resp:1027",
	},
	chat.ErrMalformedCall: {"tool_use_failed"},
	chat.ErrAuth: { // a bad key comes with 400 at Google
		"invalid_api_key", "API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED",
		"API_KEY_IP_ADDRESS_BLOCKED", "API_KEY_ANDROID_APP_BLOCKED", "API_KEY_IOS_APP_BLOCKED", "SERVICE_DISABLED",
		"CONSUMER_INVALID", "CONSUMER_SUSPENDED", "USER_PROJECT_DENIED", "SECURITY_POLICY_VIOLATED",
		"ACCESS_TOKEN_EXPIRED", "base_resp:1004", "base_resp:2049",
	},
}

// statuses are types that stand for an HTTP status, where the one that came is
// less exact: inside a 200, or behind the 500 that llama.cpp's server answers
// to a bad request. Sources as for kinds; for Google's, the mapping of
// google/rpc/code.proto to HTTP.
var statuses = map[int][]string{
	400: {
		"invalid_request_error", "BadRequestError", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE",
		"ALREADY_EXISTS", "base_resp:2013",
	},
	401: {"authentication_error", "UNAUTHENTICATED"},
	403: {"permission_error", "PERMISSION_DENIED"},
	404: {"not_found", "not_found_error", "NotFoundError", "model_not_found"},
	409: {"ABORTED"},
	499: {"CANCELLED"},
	500: {
		"api_error", "server_error", "internal_server_error", "INTERNAL", "UNKNOWN",
		"base_resp:1000", "base_resp:1024", "base_resp:1033",
	},
	501: {"UNIMPLEMENTED", "DATA_LOSS"}, // they never get better
	504: {"timeout_error", "DEADLINE_EXCEEDED", "base_resp:1001"},
}

// prefixes begin codes of which every server has some of its own.
var prefixes = map[error]string{chat.ErrQuota: "billing", chat.ErrRateLimited: "rate_limit"}

// findKind finds the kind that the words of an error name; nil if none does. The
// first counts, but a quota is never mistaken for a pace: servers say both.
func (d *Dialect) findKind(words []string) error {
	var first error
	for _, word := range words {
		kind := cmp.Or(findMeaning(d.Kinds, word), findMeaning(kinds, word))
		for k, prefix := range prefixes {
			if kind == nil && strings.HasPrefix(strings.ToLower(word), prefix) && !strings.ContainsAny(word, " \n\t") {
				kind = k
			}
		}
		if errors.Is(kind, chat.ErrQuota) {
			return kind
		}
		if first == nil {
			first = kind
		}
	}
	return first
}

func (d *Dialect) findStatus(words []string) int {
	for _, word := range words {
		if status := cmp.Or(findMeaning(d.Statuses, word), findMeaning(statuses, word)); status != 0 {
			return status
		}
	}
	return 0
}

func findMeaning[M comparable](table map[M][]string, word string) (meaning M) {
	for m, words := range table {
		for _, w := range words {
			if strings.EqualFold(w, word) {
				return m
			}
		}
	}
	return meaning
}
