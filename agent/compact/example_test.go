package compact_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/tools"
)

// A run of long results goes through a small window. What gave way is in the
// archive.
func ExampleCompact() {
	read := tools.New("read_page", "Reads a page.", func(_ context.Context, in page) (string, error) {
		return fmt.Sprintf("Page %d. ", in.Page) + strings.Repeat("Lorem ipsum. ", 100), nil
	})
	bot := agent.Agent{
		Model: enginetest.New(
			enginetest.Calls("read_page", page{1}), enginetest.Calls("read_page", page{2}),
			enginetest.Calls("read_page", page{3}), enginetest.Says("I have read them."),
		),
		Tools:   tools.NewSet(read),
		Compact: compact.Compactor{Window: 1200, Keep: 2},
	}
	result, err := bot.Run(context.Background(), chat.User("Read the pages."))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, history := range [][]chat.Message{result.Messages, result.Archive} {
		first := history[2].Parts[0].(chat.ToolResult)
		fmt.Printf("%.22s\n", chat.Message{Parts: first.Parts}.Text())
	}
	fmt.Println(result.Text())
	// Output:
	// [left out to save room
	// Page 1. Lorem ipsum. L
	// I have read them.
}
