package tools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/schema"
)

type stop struct {
	schema.OneOf
	City    *string `json:"city,omitempty"`
	Station *struct {
		Code string `json:"code"`
	} `json:"station,omitempty"`
}

// TestUnionAsInput: a tool that takes a union is called with one alternative.
func TestUnionAsInput(t *testing.T) {
	t.Parallel()
	visit := tools.New("visit", "Goes there.", func(_ context.Context, in stop) (string, error) {
		switch {
		case in.City != nil:
			return "city " + *in.City, nil
		case in.Station != nil:
			return "station " + in.Station.Code, nil
		}
		return "nowhere", nil
	})
	for _, tc := range []struct {
		name, args, want string
		bad              bool
	}{
		{"one", `{"input":{"city":"Ghent"}}`, "city Ghent", false},
		{"another", `{"input":{"station":{"code":"FGSP"}}}`, "station FGSP", false},
		{"none", `{"input":{}}`, `fits none of the 2 alternatives ({"city": …}, {"station": …})`, true},
		{"two", `{"input":{"city":"Ghent","station":{"code":"FGSP"}}}`, "fits none of the 2 alternatives", true},
		{"not whole", `{"input":{"station":{}}}`, "input.station.code: is required", true},
		{"without its member", `{"city":"Ghent"}`, "there is input", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tools.NewSet(visit).Call(t.Context(), call("visit", tc.args))
			if text := got.Parts[0].(chat.Text).Text; !strings.Contains(text, tc.want) || got.IsError != tc.bad {
				t.Errorf("%+v, want %q", got, tc.want)
			}
		})
	}
}
