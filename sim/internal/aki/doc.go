// Package aki plays AKI.IO's own API, where answers come whole and tools travel
// in words.
package aki
