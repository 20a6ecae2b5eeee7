// Package thinktags takes the thoughts out of a text that begins with them,
// between tags such as <think> and </think>, as servers send it that leave
// the separation to their clients.
//
//	a.Filter(thinktags.NewFilter())
//
// Source: Qwen3 and DeepSeek-R1 model cards and vLLM's "Reasoning Outputs",
// read 2026-11-30: thoughts come once, before the answer.
package thinktags
