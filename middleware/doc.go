// Package middleware wraps engines: another engine answers where one fails, a
// provider that is down is left alone, calls are cached, limited and counted.
//
//	breaker := middleware.Breaker(middleware.BreakerConfig{})
//	client := sabir.New(middleware.Fallback(breaker(first), breaker(second)))
package middleware
