// Gen rewrites the support table in README.md. go generate runs it in
// internal/readme.
package main

import (
	"fmt"
	"os"

	"github.com/sabir-go/sabir/internal/readme"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The paths are seen from internal/readme.
const (
	path       = "../../README.md"
	matrixPath = "../../engine/testdata/matrix.txt"
)

func run() error {
	matrix, err := os.ReadFile(matrixPath)
	if err != nil {
		return err
	}
	table, err := readme.Table(matrix)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fresh, err := readme.Replace(old, table)
	if err != nil {
		return err
	}
	return os.WriteFile(path, fresh, 0o600) //nolint:gosec // the path is a constant
}
