package prose

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

// Key returns the normal form of a name, shared by all its spellings. It folds
// compatibility forms, case, diacritics and punctuation, separates words by one
// space, drops possessive endings and a leading "the", and spells "&" as "and".
// Letters of every script stay. A name without letters or digits keeps its
// signs, so that only a blank name has an empty key. Key is idempotent.
func Key(name string) string {
	folded := fold(name)
	key := make([]byte, 0, len(folded))
	gap := false
	for i, w := 0, 0; i < len(folded); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(folded[i:])
		switch {
		case isWordRune(r) || isTrailingSign(r, key, gap):
			if gap && len(key) > 0 {
				key = append(key, ' ')
			}
			gap = false
			key = append(key, folded[i:i+w]...)
		case r == '&':
			if len(key) > 0 {
				key = append(key, ' ')
			}
			key = append(key, "and"...)
			gap = true
		case isApostrophe(r) && !gap && len(key) > 0 && isPossessive(folded[i+w:]):
			w++ // the s
		default:
			gap = true
		}
	}
	if len(key) == 0 {
		return domain.OneLine(folded)
	}
	return dropArticle(string(key))
}

// dropArticle removes leading articles unless nothing would be left.
func dropArticle(key string) string {
	for strings.HasPrefix(key, "the ") {
		key = key[len("the "):]
	}
	return key
}

// isTrailingSign reports whether r is a sign that distinguishes names when it
// follows a letter: C, C++ and C#.
func isTrailingSign(r rune, key []byte, gap bool) bool {
	return (r == '+' || r == '#') && !gap && len(key) > 0
}

// isPossessive reports whether rest, which follows an apostrophe, is an s that
// ends a word.
func isPossessive(rest string) bool {
	if rest == "" || rest[0] != 's' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest[1:])
	return !isWordRune(r)
}

// fold lowers case and removes compatibility forms and diacritics.
func fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	s = strings.ToLower(norm.NFKC.String(partPowers(s)))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if r < 0x300 || r > 0x36f { // the combining diacritical marks
			if plain, ok := plainLetters[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return norm.NFKC.String(b.String())
}

// partPowers puts a space between figures and a power of them, which would be one
// number without its compatibility form.
func partPowers(s string) string {
	if !strings.ContainsAny(s, powers) {
		return s
	}
	var b strings.Builder
	figure := false
	for _, r := range s {
		if figure && strings.ContainsRune(powers, r) {
			b.WriteByte(' ')
		}
		figure = r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return b.String()
}

const powers = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"

// plainLetters maps letters whose diacritic does not decompose.
var plainLetters = map[rune]string{
	'ß': "ss", 'ø': "o", 'ł': "l", 'æ': "ae", 'œ': "oe", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t",
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

// Set returns the set of the words in list. If the list has commas, they separate its
// members, which may be phrases.
func Set(list string) map[string]bool {
	members := strings.Fields(list)
	if strings.Contains(list, ",") {
		members = strings.Split(list, ",")
	}
	set := map[string]bool{}
	for _, m := range members {
		if m = domain.OneLine(m); m != "" {
			set[m] = true
		}
	}
	return set
}

// KeySet returns the keys of the words that Set finds in list.
func KeySet(list string) map[string]bool {
	set := map[string]bool{}
	for m := range Set(list) {
		set[Key(m)] = true
	}
	return set
}

// Lists are the lists of words of a data file. In the file each stands below its name in
// brackets; a line that starts with # is a comment.
type Lists []struct{ name, words string }

// ReadLists reads a data file.
func ReadLists(file string) Lists {
	var all Lists
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			all = append(all, struct{ name, words string }{name: strings.Trim(line, "[]")})
		case len(all) > 0:
			all[len(all)-1].words += line + "\n"
		}
	}
	return all
}

// Set returns the set of the words of a list, see Set. It panics if there is no list of
// that name.
func (l Lists) Set(name string) map[string]bool {
	for _, list := range l {
		if list.name == name {
			return Set(list.words)
		}
	}
	panic(fmt.Sprintf("there is no list %q", name))
}

// Kinds maps each word of the lists named "name kind" to its kind. The first list with a word decides. It panics if
// there is no such list.
func (l Lists) Kinds(name string) map[string]string {
	kinds := map[string]string{}
	for _, list := range l {
		kind, ok := strings.CutPrefix(list.name, name+" ")
		if !ok {
			continue
		}
		for w := range Set(list.words) {
			if kinds[w] == "" {
				kinds[w] = kind
			}
		}
	}
	if len(kinds) == 0 {
		panic(fmt.Sprintf("there is no list %q by kinds", name))
	}
	return kinds
}

// Stem returns the lower-case Snowball stem of an English word, without
// diacritics: "Bridges" and "bridge" have the same stem. Words of other
// languages are merely folded.
func Stem(word string) string {
	word = fold(word)
	if len(word) < 3 || !isPlain(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// Terms returns the stems of the words in text except stop words, in order and
// with repetition.
func Terms(text string) []string {
	var terms []string
	for _, w := range Words(text) {
		if plain := strings.TrimSuffix(fold(w.Text), "'s"); !IsStopWord(plain) {
			terms = append(terms, Stem(plain))
		}
	}
	return terms
}

// IsStopWord reports whether a word is a stop word in any case. WHO, US and IT are
// none: written so they are names.
func IsStopWord(word string) bool { return stopWords[strings.ToLower(word)] && !smallAcronyms[word] }

// IsSmallWord reports whether a word is a function word, or asks, in any language that
// texts are told apart by.
func IsSmallWord(word string) bool {
	lower := strings.ToLower(word)
	return IsStopWord(word) || (len(languagesOf[lower]) > 0 || askers[lower]) && !smallAcronyms[word] && !alsoEnglish[lower]
}

// IsAcronym reports whether a word is two to six capitals.
func IsAcronym(word string) bool {
	return len(word) >= 2 && len(word) <= 6 && !strings.ContainsFunc(word, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// IsCapitalised reports whether a word starts with a capital letter.
func IsCapitalised(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) || unicode.IsTitle(r)
	}
	return false
}

// pronouns refer to something said before.
var pronouns = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`he she it they him her them his hers its their theirs this that these those there then one
		er sie es ihn ihm ihr ihre ihren ihrem sein seine il elle ils elles lui leur él ella ellos ellas lui lei loro`) {
		set[word] = true
	}
	return set
}()

// Question returns the questions in a text without the statements around them: "Leave out the files. Who built the
// quay?". It returns the whole text if it contains no question, or one that depends on its context.
func Question(text string) string {
	runes := []rune(text)
	var asks []string
	for _, s := range Sentences(text) {
		sentence := string(runes[s.Start:s.End])
		if strings.ContainsAny(sentence[max(0, len(sentence)-6):], "?？؟") {
			asks = append(asks, sentence)
		}
	}
	if len(asks) == 0 || !standsAlone(asks[0]) {
		return text
	}
	return strings.Join(asks, " ")
}

// standsAlone reports whether a sentence names its subject.
func standsAlone(sentence string) bool {
	terms := 0
	for _, t := range Tokens(sentence) {
		switch word := strings.ToLower(t.Text); {
		case pronouns[word]:
			return false
		case t.Word && !IsStopWord(t.Text):
			terms++
		}
	}
	return terms > 0
}

// commonStems are the stems of words that English texts write in lower case much more
// often than with a capital inside a sentence. First names and places are not among
// them. They were counted in manuals, encyclopedia articles and novels.
//
//go:embed common.txt
var commonStems string

var common = Set(commonStems)

// IsCommon reports whether an English word, in any case, rarely is a name or a part of
// one: its capital in a heading or a list says nothing.
func IsCommon(word string) bool { return stopWords[strings.ToLower(word)] || common[Stem(word)] }

// IsFunctionWord reports whether a word is one of the small words of a language in
// Latin letters, in any case.
func IsFunctionWord(word string) bool {
	lower := strings.ToLower(word)
	return stopWords[lower] || len(languagesOf[lower]) > 0
}

// IsCode reports whether a token is spelled as names of programs and their parts are:
// with a capital inside, with digits among letters, as an acronym, or as a sign that
// prose does without.
func IsCode(t Token) bool {
	if !t.Word {
		return strings.ContainsAny(t.Text, "{}<>=|\\`#$@~^*_+[]")
	}
	lower, digit, letter, before := false, false, false, false
	for _, r := range t.Text {
		switch {
		case unicode.IsDigit(r):
			digit = true
			before = before || letter
		case unicode.IsUpper(r) && lower:
			return !strings.HasPrefix(t.Text, "Mc") && !strings.HasPrefix(t.Text, "Mac") && !strings.ContainsAny(t.Text, "-'’")
		}
		letter = letter || unicode.IsLetter(r)
		lower = unicode.IsLower(r)
	}
	return digit && before || strings.Contains(strings.TrimRight(t.Text, "."), ".") && !isNumber(t.Text) && len(t.Text) > 4 || IsAcronym(t.Text) && !isRoman(t.Text)
}

func isRoman(word string) bool { return strings.Trim(word, "IVXLCDM") == "" }
