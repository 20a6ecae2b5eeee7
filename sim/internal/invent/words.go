package invent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/sabir-go/sabir/sim/internal/schema"
)

// stopWords say nothing about which tool is meant, and don't count as names
// where they begin a sentence.
var stopWords = strings.Fields(`a about after again all also am an and any are as ask at be been before but by call
	can could did do does done find for from get give go had has have he hello help her hi him his how i if in into is it
	its just let like list make many may me more most much my need no not now of on one only or our out please run say
	set she should show so some take tell than that the their them then there these they this those time to too tool up
	us use using user value very want was we were what when where which who why will with would yes you your`)

// calendar are capitalised words that name no person, place or thing.
var calendar = strings.Fields(`monday tuesday wednesday thursday friday saturday sunday january february march april
	may june july august september october november december`)

// splitWords cuts a text into lower-case words: snake_case and camelCase count
// as several.
func splitWords(text string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	lower := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			lower = false
			continue
		}
		if lower && unicode.IsUpper(r) {
			flush()
		}
		b.WriteRune(r)
		lower = unicode.IsLower(r)
	}
	flush()
	return words
}

func trimPlural(word string) string {
	if len(word) > 3 {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

func findKeywords(text string) []string {
	var out []string
	for _, w := range splitWords(text) {
		if len(w) > 2 && !slices.Contains(stopWords, w) {
			out = append(out, trimPlural(w))
		}
	}
	return out
}

// Candidate is what a prompt may mean: a tool, or a branch of a schema.
type Candidate struct {
	Name, Description string
	Schema            json.RawMessage
}

// scoreCandidate counts how well a candidate fits the words of a prompt: its name weighs
// most, then its description, then its parameters.
func scoreCandidate(c Candidate, words []string) int {
	n := 0
	for _, part := range []struct {
		text   string
		weight int
	}{{c.Name, 3}, {c.Description, 1}, {schema.PropertyNames(c.Schema), 1}} {
		for _, w := range findKeywords(part.text) {
			if slices.Contains(words, w) {
				n += part.weight
			}
		}
	}
	return n
}

// FindBest is the index of the candidate that fits best, the first of several,
// and how well it fits.
func FindBest(list []Candidate, prompt string) (best, most int) {
	words := findKeywords(prompt)
	for i, c := range list {
		if n := scoreCandidate(c, words); n > most {
			best, most = i, n
		}
	}
	return best, most
}

// findNames finds the proper names in a text, in order: runs of capitalised
// words. Single words that only begin a sentence come last, dates not at all.
func findNames(text string) []string {
	var sure, maybe []string
	var run []string
	begins, first := true, false
	flush := func() {
		if len(run) == 0 {
			return
		}
		name := strings.Join(run, " ")
		if first && len(run) == 1 {
			maybe = append(maybe, name)
		} else {
			sure = append(sure, name)
		}
		run = nil
	}
	for field := range strings.FieldsSeq(text) {
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
		if isName(word) {
			if len(run) == 0 {
				first = begins
			}
			run = append(run, word)
		} else {
			flush()
		}
		begins = false
		if end := strings.TrimRight(field, `"')”`); end != "" && strings.ContainsRune(".,;:?!", rune(end[len(end)-1])) {
			flush()
			begins = strings.ContainsRune(".:?!", rune(end[len(end)-1]))
		}
	}
	flush()
	return append(sure, maybe...)
}

func isName(word string) bool {
	for _, r := range word {
		lower := strings.ToLower(word)
		base, _, _ := strings.Cut(strings.ReplaceAll(lower, "’", "'"), "'")
		return unicode.IsUpper(r) && !slices.Contains(stopWords, base) && !slices.Contains(calendar, lower)
	}
	return false
}

// findNumbers finds the plain numbers in a text, as written.
func findNumbers(text string) []string {
	var out []string
	for field := range strings.FieldsSeq(text) {
		word := strings.Trim(field, `.,;:?!()[]"'%€$£`)
		if isNumber(word) {
			out = append(out, word)
		}
	}
	return out
}

func isNumber(word string) bool {
	digits := strings.TrimPrefix(word, "-")
	whole, frac, dotted := strings.Cut(digits, ".")
	return hasOnlyDigits(whole) && (!dotted || hasOnlyDigits(frac)) && len(digits) <= 15 &&
		(whole == "0" || !strings.HasPrefix(whole, "0"))
}

func hasOnlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
