package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
)

func TestHello(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := hello(t.Context(), &out, enginetest.New(enginetest.Says("Hallo!"))); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "Hallo!\n" {
		t.Errorf("printed %q", got)
	}
}
