package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

func ExampleNew() {
	type where struct {
		City string `json:"city" jsonschema:"name of a city"`
		Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
	}
	weather := tools.New("get_weather", "Tells the weather.", func(_ context.Context, in where) (string, error) {
		return "sunny in " + in.City, nil
	})
	fmt.Println(string(weather.Def.Schema))
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"name of a city"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["city"],"additionalProperties":false}
}

func ExampleSet_Run() {
	double := tools.New("double", "Doubles a number.", func(_ context.Context, in struct {
		N int `json:"n"`
	},
	) (int, error) {
		return 2 * in.N, nil
	})
	results, err := tools.NewSet(double).Run(context.Background(), []chat.ToolCall{
		{ID: "c1", Name: "double", Arguments: json.RawMessage(`{"n":21}`)},
		{ID: "c2", Name: "double", Arguments: json.RawMessage(`{"n":"many"}`)},
		{ID: "c3", Name: "halve", Arguments: json.RawMessage(`{"n":2}`)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(r.CallID, r.IsError, r.Parts[0].(chat.Text).Text)
	}
	// Output:
	// c1 false 42
	// c2 true arguments: n: must be an integer, not the string "many"
	// c3 true there is no tool "halve"; the tools are double
}

func ExampleRaw() {
	echo := tools.Raw("echo", "Says it back.", json.RawMessage(`{"type":"object"}`),
		func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil })
	result := tools.NewSet(echo).Call(context.Background(), chat.ToolCall{
		ID: "c1", Name: "echo", Arguments: json.RawMessage(`{"id":9007199254740993}`),
	})
	fmt.Println(result.Parts[0].(chat.Text).Text)
	// Output: {"id":9007199254740993}
}

func ExampleTool_With() {
	pay := tools.New("pay", "Pays an invoice.", func(context.Context, struct{}) (string, error) {
		return "paid", nil
	}).With(tools.Options{NeedsApproval: true, SideEffects: true, MaxCalls: 1})
	_, err := tools.NewSet(pay).Run(context.Background(), []chat.ToolCall{{ID: "c1", Name: "pay"}})
	fmt.Println(err)
	// Output: tool "pay": call c1: needs approval
}
