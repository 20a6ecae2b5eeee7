// Package tools makes Go functions into tools that a model can call, and runs
// the calls that it makes.
//
//	type where struct {
//		Name string `json:"name" jsonschema:"name of the place"`
//	}
//	place := tools.New("place", "Finds a place on the map.",
//		func(ctx context.Context, in where) (string, error) {
//			return atlas.Find(ctx, in.Name)
//		})
//
// place.Def goes into [chat.Request.Tools]; a [Set] answers the calls:
//
//	results, err := tools.NewSet(place).Run(ctx, reply.ToolCalls())
//
// What goes wrong with a call is, unless a tool says otherwise, told to the
// model and not to the caller: the model can mend its arguments or do without.
package tools
