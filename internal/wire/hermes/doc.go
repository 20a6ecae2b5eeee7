// Package hermes carries tools over a wire that has none: it writes them into
// the prompt and reads the model's calls out of its text, in the form that Nous
// Research's Hermes models are trained on and many others know. It works on
// top of any chat dialect, on both sides of its codec:
//
//	call, err := hermes.Rewrite(call, choice, hermes.Template{})
//	…
//	a.Filter(thinktags.NewFilter(), hermes.NewFilter(hermes.Template{}))
//
// The same tools give the same words at the very beginning of the prompt, and
// what depends on the turn stands at its very end, so that a server's cache of
// prompt prefixes serves from call to call.
//
// Source: github.com/NousResearch/Hermes-Function-Calling, README and
// prompter; the model card of Hermes 3; both read 2026-11-30.
package hermes
