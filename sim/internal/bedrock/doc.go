// Package bedrock plays Amazon Bedrock's Converse. The rules of Claude are those
// of Messages, which the request is translated to.
package bedrock
