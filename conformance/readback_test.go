package conformance

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/sabir-go/sabir/engine/profile"
)

// geminiSentinel is the token for calls that the model didn't make. Google's
// type can't hold it, so that it is exchanged before decoding.
const geminiSentinel = "skip_thought_signature_validator"

var someToken = base64.StdEncoding.EncodeToString([]byte("some token"))

// readBack decodes a body into the official type of a request, with the
// client's own decoder, encodes that again and names what is not the same.
func readBack(d profile.Dialect, body []byte) []string {
	text := strings.ReplaceAll(string(body), geminiSentinel, someToken)
	before, err := decoded([]byte(text))
	if err != nil {
		return []string{err.Error()}
	}
	if d != profile.OllamaAPI {
		delete(before, "stream")
	}
	params := reflect.New(official[d])
	if err := json.Unmarshal([]byte(text), params.Interface()); err != nil {
		return []string{err.Error()}
	}
	after, err := decoded([]byte(encoded(params.Interface())))
	if err != nil {
		return []string{err.Error()}
	}
	return losses(before, after, "read back")
}

// losses names the members in which two JSON values differ. null is as good as
// missing.
func losses(before, after any, at string) []string {
	var bad []string
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			break
		}
		for _, name := range sortedKeys(b) {
			switch {
			case b[name] == nil && a[name] == nil:
			case a[name] == nil:
				bad = append(bad, at+"."+name+": lost")
			default:
				bad = append(bad, losses(b[name], a[name], at+"."+name)...)
			}
		}
		for _, name := range sortedKeys(a) {
			if _, ok := b[name]; !ok && a[name] != nil {
				bad = append(bad, at+"."+name+": added")
			}
		}
		return bad
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		for i := range b {
			bad = append(bad, losses(b[i], a[i], at+"[]")...)
		}
		return bad
	}
	if !reflect.DeepEqual(before, after) {
		return []string{fmt.Sprintf("%s: %v became %v", at, before, after)}
	}
	return nil
}
