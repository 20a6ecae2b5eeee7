// Package models holds what the simulator knows of models: what each accepts,
// and when it thinks.
package models
