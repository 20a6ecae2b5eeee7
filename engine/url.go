package engine

import "strings"

// joinURL appends a dialect's path to a base URL. A query of the base's stays
// behind it; what the base already has of the path is not repeated.
func joinURL(base, path string) string {
	base, query, _ := strings.Cut(base, "?")
	base = strings.TrimRight(base, "/")
	url := strings.TrimSuffix(base, overlap(base, path)) + path
	switch {
	case query == "":
		return url
	case strings.Contains(path, "?"):
		return url + "&" + query
	}
	return url + "?" + query
}

// overlap is the beginning of a path that a base URL ends with: the whole
// operation, or its first segment, /v1 or /api. No API nests its own.
func overlap(base, path string) string {
	operation, _, _ := strings.Cut(path, "?")
	if strings.HasSuffix(base, operation) {
		return operation
	}
	if end := strings.IndexByte(path[1:], '/'); end > 0 && strings.HasSuffix(base, path[:end+1]) {
		if first := path[:end+1]; first == "/v1" || first == "/v2" || first == "/api" {
			return first
		}
	}
	return ""
}
