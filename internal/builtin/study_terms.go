package builtin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// A termed is a term that no verb defines.
type termed struct {
	term, says string
	span       domain.Span // of the line
}

// inBrackets matches an abbreviation in brackets with the words before it.
var inBrackets = regexp.MustCompile(`((?:[\p{L}\p{N}&’'-]+\s+){1,10})\(["“]?([\p{L}][\p{L}\p{N}&.-]{1,9})["”]?\)`)

// abbreviations returns the abbreviations that a sentence writes in brackets after their words.
func abbreviations(said string) (list []termed) {
	for _, m := range inBrackets.FindAllStringSubmatch(domain.OneLine(said), -1) {
		short := strings.ReplaceAll(m[2], ".", "")
		if capitals := strings.IndexFunc(short, unicode.IsLower); capitals == 0 || countUpper(short) < 2 {
			continue
		}
		if long := longForm(strings.Fields(m[1]), short); long != "" {
			list = append(list, termed{term: m[2], says: long})
		}
	}
	return list
}

func countUpper(s string) (n int) {
	for _, r := range s {
		if unicode.IsUpper(r) {
			n++
		}
	}
	return n
}

// longForm returns the last of the words that an abbreviation stands for, or "". Small words may be skipped.
func longForm(words []string, short string) string {
	letters := []rune(strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return r
		}
		return -1
	}, short)))
	at := len(words) - 1
	for _, letter := range slices.Backward(letters) {
		for at >= 0 && prose.IsSmallWord(words[at]) && []rune(strings.ToLower(words[at]))[0] != letter {
			at--
		}
		if at < 0 || []rune(strings.ToLower(words[at]))[0] != letter {
			return ""
		}
		at--
	}
	return strings.Join(words[at+1:], " ")
}

// termThenText matches a line of a list of terms: "Term: what it is".
var termThenText = regexp.MustCompile(`^\s*(?:[-*•]\s+)?\**([\p{L}][^:|–—.?!]{1,48}?)\**\s*(?::\**|\s[–—-])\s+(\S.*)$`)

// Limits of a list of terms, in lines and in words.
const (
	fewestLines  = 2
	fewestSaid   = 4
	mostLabelled = 5
)

// listed returns the terms of lists in a text: lines that follow each other, each a term and what it is.
func listed(text string) (list []termed) {
	var run []termed
	start := 0
	for line := range strings.Lines(text) {
		length := domain.Runes(line)
		words := strings.TrimRight(line, "\n")
		if strings.TrimSpace(words) != "" { // lists may have blank lines between their items
			if t, ok := termLine(words); ok {
				t.span = domain.Span{Start: start, End: start + domain.Runes(words)}
				run = append(run, t)
			} else {
				list, run = closeList(list, run), nil
			}
		}
		start += length
	}
	return closeList(list, run)
}

// closeList adds a run of lines to a list. One that has a term twice, or says I, is talk.
func closeList(list, run []termed) []termed {
	terms, talks := map[string]bool{}, false
	for _, t := range run {
		talks = talks || terms[t.term] || refers(strings.Fields(t.says)[:1])
		terms[t.term] = true
	}
	if len(run) < fewestLines || talks {
		return list
	}
	return append(list, run...)
}

func termLine(line string) (termed, bool) {
	m := termThenText.FindStringSubmatch(line)
	if m == nil {
		return termed{}, false
	}
	term, says := strings.Trim(m[1], "*_`\"“” "), strings.TrimSpace(m[2])
	words := strings.Fields(term)
	switch {
	case len(words) > mostLabelled, len(strings.Fields(says)) < fewestSaid, lineLabels[strings.ToLower(words[0])], refers(words):
		return termed{}, false
	case slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789/@,;()") }):
		return termed{}, false
	}
	return termed{term: term, says: says}, true
}

// lineLabels begin lines that hold no terms.
var lineLabels = prose.Set(`note notes warning caution tip example examples date from to cc subject re sent see source sources author authors address phone email tel page chapter section figure table step question answer q a speaker present absent agenda item summary contact location time venue status
	hinweis achtung tipp beispiel datum von an betreff siehe quelle quellen adresse telefon seite kapitel abschnitt abbildung tabelle schritt frage antwort anwesend abwesend tagesordnung ort uhrzeit`)
