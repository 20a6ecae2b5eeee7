// Package messages plays Anthropic's Messages.
package messages
