package main

import (
	"bytes"
	"testing"
	"testing/synctest"

	"github.com/sabir-go/sabir/enginetest"
)

func TestParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := compare(t.Context(), &out, enginetest.New(script...)); err != nil {
			t.Fatal(err)
		}
		const want = `{"city":"Ghent"} 4 °C
{"city":"Lisbon"} 15 °C
{"city":"Tunis"} 19 °C
3 calls of 1.5s in all took 500ms
Tunis is the warmest.
`
		if out.String() != want {
			t.Errorf("printed %s\nwant %s", out.String(), want)
		}
	})
}
