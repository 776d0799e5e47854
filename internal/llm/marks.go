package llm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A MarkFilter separates the marks of a streamed text from the words. Marks are [2] and
// [1, 3], which models are asked for, and what they write instead: 【1†source】,
// [Passage 1], [^1], ¹, [1-3], (1). White space before marks, at the beginning and at
// the end is dropped.
//
// What can be no citation is text: a number that no passage has, "(1)" before a
// sentence, an exponent, an index in code. Only [7], which looks as if it were one, is
// dropped.
type MarkFilter struct {
	Most  int // how many passages may be cited, numbered from 1
	Words func(string)
	Cite  func(numbers []int)

	whole   runes
	started bool
	pending string // possibly the beginning of a mark
	before  string // the end of the text so far
	code    bool   // within `code` on a line
	fenced  bool   // within a fence of code
}

const (
	superDigits = `⁰¹²³⁴⁵⁶⁷⁸⁹`
	markOpeners = `[(（［【〔\<,` + superDigits // start squareMark, roundMark, superMark and maybeMark
	markNumber  = `(?:\d{1,4}|[` + superDigits + `]{1,4})`
	markPrefix  = `(?:(?i:passages?|sources?|docs?|documents?|ref(?:erence)?s?|citations?|chunks?|excerpts?|extracts?|quellen?)\.?\s*[#:]?\s*|\^|#)?`
	markItem    = markPrefix + markNumber + `(?::\d{1,3})?(?:\s*[-–—‑]\s*` + markNumber + `)?(?:†[^\[\]【】\n]{0,40})?`
	markList    = `\s*` + markItem + `(?:(?:\s*(?:[,;、，；&/|]|\band\b)\s*|\s+)` + markItem + `)*\s*`
)

var (
	squareMark = regexp.MustCompile(`^\s*(?:\\?\[` + markList + `\\?\]|\[\[` + markList + `\]\]|［` + markList + `］|【` + markList + `】|〔` + markList + `〕)`)
	nativeMark = regexp.MustCompile(`^\s*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]$`)
	roundMark  = regexp.MustCompile(`^\s*(?:\(` + markList + `\)|（` + markList + `）)`)
	superMark  = regexp.MustCompile(`^\s*(?:[` + superDigits + `]+(?:[,˒·][` + superDigits + `]+)*|<sup>\s*\[?` + markList + `\]?\s*</sup>)`)
	markLink   = regexp.MustCompile(`^\((?:https?://|www\.|#)[^()\s]*\)`)

	maybeMark = regexp.MustCompile(`^\s*(?:[\[(（［【〔\\][^\])）］】〕\n]{0,60}|\[\[[^\[\]\n]{0,60}\]?|<[^>]{0,60}>?[^<]{0,40}<?[^>]{0,5}|[` + superDigits + `,]*)?$`)
	maybeLink = regexp.MustCompile(`^\((?:h?t?t?p?s?:?/?/?|w{0,3}|https?://[^()\s]{0,500}|www\.[^()\s]{0,500}|#[^()\s]{0,100})$`)

	plainText = regexp.MustCompile(`^\s*[^\s\[\](（［【〔\\<` + superDigits + "`" + `]+|^\s*[\[(（［【〔\\<` + "`" + `\]]|^\s*[` + superDigits + `]+|^\s+`)

	numbered = regexp.MustCompile(`(` + markNumber + `)(?::\d{1,3})?(?:\s*([-–—‑])\s*(` + markNumber + `))?(?:†[^\[\]【】\n,;]{0,40})?`)
)

// maxMark bounds the text held back as a possible mark, in bytes.
const maxMark = 160

// Write adds a piece of the text.
func (f *MarkFilter) Write(piece string) {
	f.pending += f.whole.add(piece)
	f.run(false)
}

// Close passes on what was held back.
func (f *MarkFilter) Close() {
	f.pending += f.whole.rest
	f.whole.rest = ""
	f.run(true)
	if rest := strings.TrimRight(f.pending, " \t\r\n"); rest != "" {
		f.words(rest)
	}
	f.pending = ""
}

func (f *MarkFilter) run(end bool) {
	if !f.started {
		f.pending = strings.TrimLeft(f.pending, " \t\r\n")
	}
	for f.pending != "" {
		if end && strings.TrimSpace(f.pending) == "" {
			return
		}
		mark, wait := f.mark(end)
		if wait && !end {
			return
		}
		f.started = true
		if mark == "" {
			f.plain()
			continue
		}
		numbers, valid := f.numbers(mark)
		switch {
		case valid:
			f.pending = f.pending[len(mark):]
			f.skipLink()
			f.Cite(numbers)
		case f.looksCited(mark):
			f.pending = f.pending[len(mark):]
		default:
			f.pending = f.pending[len(mark):]
			f.words(mark)
		}
	}
}

// plain passes on the next words.
func (f *MarkFilter) plain() {
	found := plainText.FindString(f.pending)
	if found == "" {
		_, n := utf8.DecodeRuneInString(f.pending)
		found = f.pending[:n]
	}
	f.pending = f.pending[len(found):]
	f.words(found)
}

// words passes words on, and follows whether they are code.
func (f *MarkFilter) words(text string) {
	f.before += text
	if strings.Contains(text, "\n") {
		f.code = false
	}
	if strings.HasSuffix(text, "`") {
		f.code = !f.code
		if strings.HasSuffix(f.before, "```") {
			f.fenced, f.code = !f.fenced, false
		}
	}
	f.before = f.before[max(0, len(f.before)-maxMark):]
	f.Words(text)
}

// mark returns the mark at the beginning of the pending text, or "" if there is none. wait means that more text is
// needed to decide.
func (f *MarkFilter) mark(end bool) (mark string, wait bool) {
	if f.code || f.fenced {
		return "", false
	}
	if rest := strings.TrimLeft(f.pending, "\t\n\f\r "); rest != "" && !strings.ContainsRune(markOpeners, firstRune(rest)) {
		return "", false // bounds the number of words, without the expressions
	}
	for _, kind := range []*regexp.Regexp{squareMark, roundMark, superMark} {
		if mark = kind.FindString(f.pending); mark == "" {
			continue
		}
		after := f.pending[len(mark):]
		if !end && (after == "" || !utf8.FullRuneInString(after) || strings.TrimLeft(after, " ") == "" && len(after) < 3 || after == "." || maybeLink.MatchString(after)) {
			return "", true
		}
		if kind == superMark && !strings.Contains(mark, "<") && strings.ContainsRune(superDigits, firstRune(after)) {
			return "", true
		}
		fits := map[*regexp.Regexp]func(mark, after string) bool{squareMark: f.squareFits, roundMark: f.roundFits, superMark: f.superFits}[kind]
		if !fits(mark, after) {
			return "", false
		}
		return mark, false
	}
	return "", len(f.pending) < maxMark && maybeMark.MatchString(f.pending)
}

// skipLink drops the address of a mark that is a link.
func (f *MarkFilter) skipLink() {
	f.pending = f.pending[len(markLink.FindString(f.pending)):]
}

// squareFits reports whether brackets may be a mark: not if they index something or define a footnote.
func (f *MarkFilter) squareFits(mark, after string) bool {
	glued := f.before != "" && !unicode.IsSpace(firstRune(mark)) && isWordRune(lastRune(f.before))
	rest := strings.TrimLeft(after, " ")
	if glued && (strings.HasPrefix(rest, "=") || strings.HasPrefix(after, ".") && isWordRune(secondRune(after)) || strings.Contains(mark, "[0]")) {
		return false
	}
	starts := f.before == "" || strings.HasSuffix(f.before, "\n") || strings.Contains(mark[:len(mark)-len(strings.TrimLeft(mark, " \t\r\n"))], "\n")
	return !(starts && strings.HasPrefix(after, ":"))
}

// roundFits reports whether a number in parentheses may be a mark: it follows a
// sentence or a clause, and nothing follows it on the line but an end mark.
func (f *MarkFilter) roundFits(mark, after string) bool {
	if strings.ContainsFunc(mark, unicode.IsLetter) {
		return !strings.Contains(mark[:len(mark)-len(strings.TrimLeft(mark, " \t\r\n"))], "\n") || f.before == ""
	}
	last := lastRune(f.before)
	if f.before == "" || strings.Contains(mark, "\n") || !isWordRune(last) && !strings.ContainsRune(`.!?"”»)]%。！？`, last) {
		return false
	}
	if unicode.IsDigit(last) && !unicode.IsSpace(firstRune(mark)) {
		return false
	}
	next := strings.TrimLeft(after, " \t")
	return next == "" || strings.ContainsRune(".!?\n。！？", firstRune(next)) || strings.ContainsRune(",;:，；", firstRune(after))
}

// superFits reports whether raised digits may be a mark: not after a number, a unit or a variable, where they are an
// exponent.
func (f *MarkFilter) superFits(mark, after string) bool {
	if isWordRune(firstRune(after)) && !unicode.IsSpace(firstRune(mark)) && after != "" {
		return false
	}
	last := lastRune(f.before)
	if strings.ContainsRune(`.!?,;:"”»)。`, last) {
		return !(last == ')' && f.Most == 0)
	}
	word := f.before[strings.LastIndexFunc(f.before, func(r rune) bool { return !isWordRune(r) })+1:]
	return utf8.RuneCountInString(word) > 2 && !strings.ContainsFunc(word, unicode.IsDigit) && !units[strings.ToLower(word)]
}

// units are longer than two letters, and raised to powers.
var units = map[string]bool{
	"metres": true, "meters": true, "metre": true, "meter": true, "feet": true, "foot": true, "inch": true, "inches": true, "miles": true, "mile": true, "yards": true,
	"kilometres": true, "kilometers": true, "kms": true, "sec": true, "min": true,
}

// looksCited reports whether a mark that names no passage is dropped.
func (f *MarkFilter) looksCited(mark string) bool {
	const fewest = 100 // no answer has so many passages: it is a year or another number
	if !nativeMark.MatchString(mark) {
		return strings.Contains(mark, "†")
	}
	for _, m := range numbered.FindAllString(mark, -1) {
		if n, err := strconv.Atoi(m); err != nil || n >= fewest {
			return false
		}
	}
	return f.before == "" || unicode.IsSpace(firstRune(mark)) || !isWordRune(lastRune(f.before)) || !strings.Contains(mark, "[0]")
}

// numbers returns the passages that a mark names, false if it names none.
func (f *MarkFilter) numbers(mark string) (all []int, valid bool) {
	add := func(n int) {
		if n >= 1 && n <= f.Most && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	for _, m := range numbered.FindAllStringSubmatch(mark, -1) {
		first := valueOf(m[1])
		switch {
		case m[2] != "":
			last := valueOf(m[3])
			if first < 1 || last < first || last > f.Most {
				continue
			}
			for n := first; n <= last; n++ {
				add(n)
			}
		case first > f.Most && strings.ContainsRune(superDigits, firstRune(m[1])):
			for _, r := range m[1] { // ¹² means 1 and 2
				if valueOf(string(r)) > f.Most {
					return nil, false
				}
			}
			for _, r := range m[1] {
				add(valueOf(string(r)))
			}
		default:
			add(first)
		}
	}
	return all, len(all) > 0
}

// valueOf returns the value of digits, raised or not.
func valueOf(digits string) int {
	n := 0
	for _, r := range digits {
		if at := slices.Index([]rune(superDigits), r); at >= 0 {
			r = rune('0' + at)
		}
		n = n*10 + int(r-'0')
	}
	return n
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

func secondRune(s string) rune {
	_, n := utf8.DecodeRuneInString(s)
	return firstRune(s[n:])
}
