module github.com/sabir-go/sabir/aws

go 1.26.0

replace github.com/sabir-go/sabir => ../

require github.com/sabir-go/sabir v0.0.0

require (
	github.com/aws/aws-sdk-go-v2 v1.48.0
	github.com/aws/smithy-go v1.28.9 // indirect
)
