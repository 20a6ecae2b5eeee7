// Package failure reads the bodies of answers that failed. Gateways pass on
// and wrap what providers say, proxies answer for servers, and compatible
// servers imitate what they like, so that any shape can come on any path. There
// is one reader for all of them. A codec adds what only its own dialect says:
//
//	var failures = failure.Dialect{Kinds: map[string]error{"cyber_policy": chat.ErrFiltered}}
//
//	func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
//		return failures.Decode(status, h, body)
//	}
//
// Kinds are told from codes, types and statuses, never from sentences, which
// change. Here is also decided which errors are [chat.Error.Retryable].
package failure
