// Package aws signs requests to Amazon Bedrock with AWS credentials (Signature
// Version 4), for those who don't use a Bedrock API key. It stands in a module
// of its own, so that nobody else downloads the AWS SDK.
//
//	cfg, err := config.LoadDefaultConfig(ctx) // github.com/aws/aws-sdk-go-v2/config
//	if err != nil {
//		return err
//	}
//	eng := engine.NewBedrock(engine.Config{Sign: aws.FromSDK(cfg).Sign})
package aws
