//go:build !race

package chaos_test

const stride = 1
