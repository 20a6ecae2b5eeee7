//go:build race

package chaos_test

// stride thins out what is tried: the race detector costs a factor of six.
const stride = 7
