module github.com/sabir-go/sabir

go 1.26.0

require (
	github.com/go-resty/resty/v2 v2.17.2 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/jarcoal/httpmock v1.4.2 // indirect
	golang.org/x/net v0.43.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
)
