// Package hermes reads tools, results and demands from the text of a
// conversation, and writes calls into the text of an answer, as models do that
// call tools in words. Source: NousResearch/Hermes-Function-Calling;
// NousResearch/hermes-agent#7457; read 2026-11-30.
package hermes
