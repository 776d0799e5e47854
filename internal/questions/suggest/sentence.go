package suggest

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// reader makes questions of the sentences of a text.
type reader struct {
	text     string
	language string // "" if unclear: all are tried
}

// Questions returns the questions that a sentence of a text answers, or none. language is that of the text, "" if it is not clear.
func Questions(text, language, sentence string) (list []string) {
	return lists.Map((reader{text, language}).ask(sentence), func(q question) string { return q.text })
}

// Asked returns a line of a text that is a question itself, for example a heading, or "".
func Asked(language, line string) string { return reader{language: language}.asks(line) }

const (
	fewestWords = 4  // in a sentence
	mostWords   = 40 // in a sentence
	longest     = 13 // words in a question
)

// The value of a question to a person, by what it asks for.
const (
	definition = iota + 1
	place
	person
	moment
	amount
	reason
	asked // by the document itself
)

// question is a question with its worth.
type question struct {
	text  string
	worth int
}

// ask makes questions of a sentence that states a fact about a named thing. It
// returns none unless the sentence has a form that gives a natural question.
func (r reader) ask(sentence string) []question {
	sentence = strings.ReplaceAll(domain.OneLine(sentence), "`", "")
	first, _ := utf8.DecodeRuneInString(sentence)
	if !strings.HasSuffix(sentence, ".") || strings.ContainsAny(sentence, "[]{}*_|#<>=/\\…?!@") || !unicode.IsUpper(first) {
		return nil
	}
	words := strings.Fields(aside.ReplaceAllString(strings.TrimSuffix(sentence, "."), ", "))
	if len(words) < fewestWords || len(words) > mostWords {
		return nil
	}
	var asked, second []string
	var worth int
	if r.language == "en" || r.language == "" {
		if asked, worth = r.english(words); worth == moment {
			second = englishWho(words)
		}
	}
	if r.language == "de" || r.language == "" && asked == nil {
		asked, worth = r.german(words)
	}
	var all []question
	for _, q := range []struct {
		words []string
		worth int
	}{{asked, worth}, {second, person}} {
		if len(q.words) >= fewestWords && len(q.words) <= longest && !hasComma(q.words) {
			all = append(all, question{strings.Join(q.words, " ") + "?", q.worth})
		}
	}
	return all
}

// aside matches the ends of a clause other than a comma.
var aside = regexp.MustCompile(`,?\s*(?:[;()"“”„«»]|:\s|:$|\s[–—-]\s|—)[;()"“”„«»–—\s,]*`)

// asks returns a line of a text that is a question itself, for example a heading, or "".
func (r reader) asks(line string) string {
	line = domain.OneLine(strings.TrimLeft(line, "#*- 0123456789."))
	w := strings.Fields(strings.TrimSuffix(line, "?"))
	refers, begin := englishRefers, englishQuestion
	if r.language == "de" {
		refers, begin = germanRefers, germanQuestion
	}
	if !strings.HasSuffix(line, "?") || len(w) < fewestWords || len(w) > longest || !begin.has(w[:1]) || refers.has(w[1:]) || strings.ContainsAny(line, "*_|#<>\"") || hasComma(w) {
		return ""
	}
	return line
}

// lowerFirst returns a phrase from the start of a sentence as written within one: names keep their capital, other words
// lose it.
func (r reader) lowerFirst(phrase []string, determiners set) []string {
	low := strings.ToLower(phrase[0])
	if determiners[low] || low != phrase[0] && len(phrase) > 1 && englishNumbers[low] && !isCapital(phrase[1]) || low != phrase[0] && (len(phrase) < 2 || !isCapital(phrase[1])) && strings.Contains(r.text, " "+low+" ") {
		return append([]string{low}, phrase[1:]...)
	}
	return phrase
}

// set is a set of words.
type set map[string]bool

func words(list string) set {
	s := set{}
	for w := range strings.FieldsSeq(list) {
		s[w] = true
	}
	return s
}

// has reports whether one of the words is in the set, ignoring case.
func (s set) has(words []string) bool { return s.index(words) >= 0 }

func (s set) index(words []string) int {
	return slices.IndexFunc(words, func(w string) bool { return s[strings.ToLower(bare(w))] })
}

// bare returns a word without its comma.
func bare(word string) string { return strings.TrimSuffix(word, ",") }

func isCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// isShout reports whether a word has two capitals or more and no small letter.
func isShout(word string) bool {
	return utf8.RuneCountInString(word) > 1 && strings.ToUpper(word) == word && strings.IndexFunc(word, unicode.IsLetter) >= 0
}

var (
	isYear   = regexp.MustCompile(`^(1[0-9]|20)\d\d,?$`).MatchString
	isTime   = regexp.MustCompile(`^\d{1,2}[:.]\d\d,?$`).MatchString
	isDay    = regexp.MustCompile(`^\d{1,2}(st|nd|rd|th|\.)?,?$`).MatchString
	isNumber = regexp.MustCompile(`^\d[\d.,]*$`).MatchString
	isMoney  = regexp.MustCompile(`^[£$€]\d[\d.,]*,?$`).MatchString
)
