package aws_test

import (
	"context"
	"fmt"
	"net/http"

	sdk "github.com/aws/aws-sdk-go-v2/aws"

	"github.com/sabir-go/sabir/aws"
)

// Sign has the form of the engines' Config.Sign; the SDK's configuration is
// what its LoadDefaultConfig returns.
func ExampleFromSDK() {
	cfg := sdk.Config{Region: "eu-west-1", Credentials: keys("")}
	sign := aws.FromSDK(cfg).Sign

	header := http.Header{"Content-Type": {"application/json"}}
	if err := sign(context.Background(), "POST", converse, header, []byte(`{}`)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(header.Get("Authorization")[:16], len(header.Get("X-Amz-Date")))
	// Output: AWS4-HMAC-SHA256 16
}
