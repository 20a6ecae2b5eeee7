package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
)

func TestTalk(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Says("Good day."), enginetest.Fails(400, "too cold"), enginetest.Says("In Ghent."))
	var out bytes.Buffer
	if err := talk(t.Context(), strings.NewReader("Hello\nWhere?\nWhere is it?\n"), &out, fake); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"> Good day.\n(", "> \nthat went wrong: ", "> In Ghent.\n("} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed %q, without %q", out.String(), want)
		}
	}
	if last := fake.Requests()[2].Messages; len(last) != 3 || last[1].Text() != "Good day." || last[2].Text() != "Where is it?" {
		t.Errorf("the last request holds %+v", last)
	}
}
