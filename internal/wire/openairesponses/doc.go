// Package openairesponses speaks OpenAI's Responses API, without state on the
// server: nothing is stored there, and the whole conversation is sent each
// time. It also reads what llama.cpp's server and Ollama send under that name.
//
// A reply is a list of items. Messages become text, calls become calls, and a
// reasoning item becomes a thought whose signature is the item itself, so that
// it goes back as it came, in front of the item that it led to. Items of hosted
// tools and other kinds without a part of their own are kept the same way, as
// thoughts without text.
//
// A call of a custom tool (free text instead of arguments, never offered by us)
// stays visible: its arguments are the text as it came, and its signature's
// kind is "custom_item", so that it and its result can be said back.
package openairesponses
