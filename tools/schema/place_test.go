package schema_test

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/sabir-go/sabir/tools/schema"
)

// TestPlace: which values mean something before they are whole.
func TestPlace(t *testing.T) {
	t.Parallel()
	type everything struct {
		base
		Text    string                      `json:"text"`
		Pointer **string                    `json:"pointer"`
		Listed  string                      `json:"listed" enum:"a,b"`
		Many    []*string                   `json:"many" enum:"a,b"`
		Free    []string                    `json:"free"`
		Quoted  int                         `json:"quoted,string"`
		Said    string                      `json:"said,string"`
		Number  float64                     `json:"number"`
		Flag    bool                        `json:"flag"`
		Big     *big.Int                    `json:"big"`
		Digits  json.Number                 `json:"digits"`
		Time    time.Time                   `json:"time"`
		Bytes   []byte                      `json:"bytes"`
		Unit    unit                        `json:"unit"`
		Level   level                       `json:"level"`
		Opaque  opaque                      `json:"opaque"`
		Raw     json.RawMessage             `json:"raw"`
		Any     any                         `json:"any"`
		Map     map[string]map[string]level `json:"map"`
		Nested  *struct{ A [2]string }      `json:"nested"`
		Union   shape                       `json:"union"`
	}
	for _, tc := range []struct {
		path  []string // "" is an item
		known bool
		grows bool
	}{
		{nil, true, true},
		{[]string{"text"}, true, true},
		{[]string{"note"}, true, true},
		{[]string{"pointer"}, true, true},
		{[]string{"listed"}, true, false},
		{[]string{"many"}, true, true},
		{[]string{"many", ""}, true, false},
		{[]string{"free", ""}, true, true},
		{[]string{"quoted"}, true, false},
		{[]string{"said"}, true, false},
		{[]string{"number"}, true, false},
		{[]string{"flag"}, true, false},
		{[]string{"big"}, true, false},
		{[]string{"digits"}, true, false},
		{[]string{"time"}, true, false},
		{[]string{"bytes"}, true, false},
		{[]string{"unit"}, true, false},
		{[]string{"level"}, true, false},
		{[]string{"opaque"}, true, false},
		{[]string{"raw"}, true, false},
		{[]string{"any"}, true, true},
		{[]string{"any", "x", ""}, true, true},
		{[]string{"map", "x"}, true, true},
		{[]string{"map", "x", "y"}, true, false},
		{[]string{"nested", "A", ""}, true, true},
		{[]string{"union", "circle", "note"}, true, true},
		{[]string{"union", "color"}, true, false},
		{[]string{"union", "group", "shapes", "", "group"}, true, true},
		{[]string{"Text"}, false, false},
		{[]string{"base"}, false, false},
		{[]string{"text", "x"}, false, false},
		{[]string{"text", ""}, false, false},
		{[]string{"map", ""}, false, false},
		{[]string{"free", "x"}, false, false},
	} {
		place, known := schema.PlaceOf(reflect.TypeFor[*everything]()), true
		for _, step := range tc.path {
			if step == "" {
				place, known = place.Item()
			} else {
				place, known = place.Member(step)
			}
		}
		if known != tc.known || known && place.Grows() != tc.grows {
			t.Errorf("%q: known %v, grows %v", tc.path, known, known && place.Grows())
		}
	}
}
