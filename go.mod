module github.com/sabir-go/sabir

go 1.26.0

require (
	github.com/go-resty/resty/v2 v2.17.2
	github.com/google/jsonschema-go v0.4.3
	github.com/jarcoal/httpmock v1.4.2
	golang.org/x/sync v0.25.0
)

require golang.org/x/net v0.43.0 // indirect
