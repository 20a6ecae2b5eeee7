package main

import (
	"testing"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/enginetest"
)

//nolint:paralleltest // shows the least that such a test needs
func TestAnswer(t *testing.T) {
	client := sabir.New(enginetest.New(enginetest.Says("In Ghent.")))
	got, err := answer(t.Context(), client, "Where is it?")
	if err != nil || got != "In Ghent." {
		t.Errorf("got %q, %v", got, err)
	}
}
