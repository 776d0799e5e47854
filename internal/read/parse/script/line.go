// Package script turns the meaning of characters' looks into plain text: struck, raised and lowered
// runs, marks of notes, characters of symbol fonts, and formulas. It is independent of formats; every
// reader of files uses it, so that the same look becomes the same text.
//
//   - Struck text is left out, or kept as ~~400~~.
//   - A raised figure is a power (10⁶, m², x^n) or the mark of a note (1200 [^3]),
//     depending on the text before it. Ordinals stay whole: 19th.
//   - A lowered figure stays on its letters (H2O), else it is written x_i.
//   - A note begins with its mark: [^3] Without the tax.
//   - Characters of the fonts Symbol and Wingdings are those that they look like.
//   - A formula is a line: 1/(sin 45.0), ∑_(i=1)^n i², √(x + 1).
//
// Runs never fuse into one number or word across such a boundary. Marks of notes have a circumflex, so
// that they can't be mistaken for the citations of an answer.
package script

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Look is the position or style of a run of text in its line.
type Look uint8

// The looks of a run. A run with several takes the first of them.
const (
	Plain   Look = iota
	Struck       // crossed out
	Note         // the mark of a note, such as 3 or *
	Raised       // superscript: a power, an ordinal or the mark of a note
	Lowered      // subscript
	Formula      // a formula in a line, never joined to a word next to it
)

// A Line gathers the runs of a paragraph. The zero Line is empty and leaves struck
// text out.
type Line struct {
	KeepStruck bool // keep struck text, marked by tildes
	runs       []*run
	size       int
}

type run struct {
	look Look
	text strings.Builder
}

// Add adds a run. Neighbours of the same look are one run.
func (l *Line) Add(look Look, text string) {
	if text == "" || look == Struck && !l.KeepStruck {
		return
	}
	l.size += len(text)
	if n := len(l.runs); n == 0 || l.runs[n-1].look != look || look == Note || look == Formula {
		l.runs = append(l.runs, &run{look: look})
	}
	l.runs[len(l.runs)-1].text.WriteString(text)
}

// Len returns the size of the line in bytes.
func (l *Line) Len() int { return l.size }

// Reset empties the line.
func (l *Line) Reset() { l.runs, l.size = nil, 0 }

// String returns the text of the line.
func (l *Line) String() string {
	if len(l.runs) == 1 && l.runs[0].look == Plain {
		return l.runs[0].text.String()
	}
	return strings.Join(l.Parts(), "")
}

// Parts returns the text of each run: each stretch of runs of one look, each note and each formula. Struck text that is
// left out is not a run.
func (l *Line) Parts() []string {
	parts := make([]string, len(l.runs))
	var out writer
	for i, r := range l.runs {
		from := out.Len()
		out.add(r.look, r.text.String(), l.after(i))
		parts[i] = out.String()[from:]
	}
	return parts
}

// after returns the beginning of the plain text that follows run i and what is
// raised or lowered beside it.
func (l *Line) after(i int) string {
	for _, next := range l.runs[i+1 : min(len(l.runs), i+4)] {
		if next.look == Plain {
			text := next.text.String()
			return text[:min(len(text), lookBack)]
		}
		if next.look != Raised && next.look != Lowered {
			break
		}
	}
	return ""
}

// A writer writes runs and parts them where they would fuse.
type writer struct {
	strings.Builder
	end   string // end of the written text, for rules that look back
	apart bool   // the next word needs a space before it
}

// lookBack is how much of a line the rules look at, in bytes.
const lookBack = 64

func (w *writer) write(s string) {
	if s == "" {
		return
	}
	w.WriteString(s)
	w.end += s
	if n := len(w.end) - lookBack; n > lookBack {
		w.end = strings.ToValidUTF8(w.end[n:], "")
	}
}

func (w *writer) add(look Look, text, after string) {
	if look == Plain {
		if w.apart && startsWord(text) {
			w.write(" ")
		}
		w.apart = false
		w.write(text)
		return
	}
	inner := strings.TrimSpace(text)
	if inner == "" {
		w.write(text)
		return
	}
	lead, trail, _ := strings.Cut(text, inner)
	if lead != "" {
		w.apart = false
		w.write(lead)
	}
	if trail != "" {
		after = trail
	}
	s, apart := render(look, w.end, inner, after)
	if w.apart && startsWord(s) && look != Raised && look != Lowered {
		w.write(" ")
	}
	w.write(s + trail)
	w.apart = apart && trail == ""
}

// render returns the text of a run that is not plain, and whether a word must not
// follow it directly.
func render(look Look, before, text, after string) (s string, apart bool) {
	switch look {
	case Struck:
		return spaced(before, "~~"+text+"~~"), true
	case Note:
		return noteMark(before, unbracket(text)), true
	case Raised:
		return raised(before, text, after)
	case Lowered:
		return lowered(before, text, after)
	case Formula:
		return spaced(before, text), true
	}
	return text, false
}

// spaced puts a space before s if it would touch a word.
func spaced(before, s string) string {
	if endsWord(before) {
		return " " + s
	}
	return s
}

// noteMark returns the mark of a note after the text before.
func noteMark(before, mark string) string { return spaced(before, Mark(mark)) }

// Mark returns the mark of a note, which its text begins with too.
func Mark(mark string) string { return "[^" + strings.Join(strings.Fields(mark), " ") + "]" }

// NoteText returns the text of a note, after its mark.
func NoteText(mark, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return Mark(mark) + " " + text
}

// unbracket removes brackets around a mark.
func unbracket(s string) string {
	if n := len(s); n > 2 && (s[0] == '[' && s[n-1] == ']' || s[0] == '(' && s[n-1] == ')') {
		return strings.TrimPrefix(s[1:n-1], "^")
	}
	return strings.TrimSuffix(s, ")")
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isWord(r)
}

func endsWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return isWord(r)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

var (
	bracketed   = regexp.MustCompile(`^[\[(]\^?(?:\d{1,3}|[a-z*†‡§]|[ivx]{1,5})[\])]$`)
	noteNumbers = regexp.MustCompile(`^\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\)?$`)
	noteSigns   = regexp.MustCompile(`^[*†‡§¶#]+$`)
	figures     = regexp.MustCompile(`^\d+$`)
	exponent    = regexp.MustCompile(`^[+\-−–±]?[\d.,/]*[+\-−–]?$`)
	isotope     = regexp.MustCompile(`^[A-Z][a-z]?(?:[^a-zA-Z]|$)`)
	term        = regexp.MustCompile(`^(?:[\p{L}\d]|[^\p{L}]*[+\-−*/×·^=][^\p{L}]*|.{0,30}[+\-−*/×·^=²³].{0,30})$`)
	lastNumber  = regexp.MustCompile(`\d+(?:[.,' \x{a0}\x{2009}\x{202f}]\d{3})*(?:[.,]\d+)?$`)
	operator    = regexp.MustCompile(`[×·*/^=+−<>≤≥≈√∙⋅(]\s*$`)
	operatorAt  = regexp.MustCompile(`^\s*[×·*/^=+−<>≤≥≈∙⋅)]`)
	roman       = regexp.MustCompile(`^[IVXLCM]+$`)
)

// raised returns the text of a superscript.
func raised(before, text, after string) (s string, apart bool) {
	base := baseOf(before)
	switch {
	case bracketed.MatchString(text) && !isVariable(base):
		return noteMark(before, unbracket(text)), true
	case strings.EqualFold(text, "TM"):
		return "™", true
	case strings.EqualFold(text, "SM"):
		return "℠", true
	case noteSigns.MatchString(text):
		return noteMark(before, text), true
	case isDegree(base, text, after):
		return "°", false
	case noteNumbers.MatchString(text):
		return raisedFigures(before, base, text, after)
	case exponent.MatchString(text):
		return Power(text), true
	case strings.ContainsFunc(text, unicode.IsLetter) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' }):
		return raisedLetters(before, base, text)
	case strings.ContainsFunc(text, isWord):
		if strings.Contains(text, " ") && utf8.RuneCountInString(text) > 12 {
			return spaced(before, text), true
		}
		return Power(text), true
	}
	return text, false // signs such as ® and ′
}

// raisedFigures returns figures that are a power or the mark of a note.
func raisedFigures(before, base, text, after string) (s string, apart bool) {
	single := figures.MatchString(text)
	switch {
	case base == "":
		switch {
		case single && isotope.MatchString(after):
			return Power(text), false
		case strings.TrimSpace(before) == "" && single:
			return Mark(text), true // the text of a note begins
		}
		return noteMark(before, unbracket(text)), true
	case single && isPower(before, base, after):
		return Power(text), true
	}
	return noteMark(before, unbracket(text)), true
}

// isPower reports whether figures raised behind base are a power of it rather than
// the mark of a note.
func isPower(before, base, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(base)
	switch {
	case unicode.IsDigit(last):
		number := lastNumber.FindString(before)
		digits := strings.Count(strings.Map(digitOnly, number), "0")
		return digits <= 2 || operator.MatchString(strings.TrimSuffix(before, number)) || operatorAt.MatchString(after)
	case last == ')' || last == ']' || last == '|':
		inner := base[:len(base)-1]
		if open := strings.LastIndexAny(before[:max(0, len(before)-1)], "([|"); open >= 0 {
			inner = before[open+1 : len(before)-1]
		}
		return term.MatchString(inner)
	case isWord(last):
		return isVariable(base) || isUnit(base)
	}
	return false // after a full stop, a comma, a quotation mark
}

func digitOnly(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return -1
}

// raisedLetters formats raised letters: of an ordinal, an abbreviation, the mark of a note, or a power.
func raisedLetters(before, base, text string) (s string, apart bool) {
	last, _ := utf8.DecodeLastRuneInString(base)
	count := utf8.RuneCountInString(text)
	number := unicode.IsDigit(last)
	long := utf8.RuneCountInString(base) > 2
	switch {
	case base == "" && count == 1 && unicode.IsLower([]rune(text)[0]):
		return Mark(text), true
	case base == "":
		return text, false
	case number && !long && text == "a":
		return "ª", true
	case number && !long && text == "o":
		return "º", true
	case (number || roman.MatchString(base)) && (ordinals[strings.ToLower(text)] && (count > 1 || !long)):
		return text, true
	case text == "o" && base == "N" || text == "o" && base == "n":
		return "º", true
	case count == 1 && !isVariable(base) && (long || !number):
		if unicode.IsLower([]rune(text)[0]) {
			return noteMark(before, text), true
		}
		return "^" + text, true
	case isAbbreviation(base, text):
		return text, true
	case isVariable(base), number, last == ')':
		return Power(text), true
	case count > 4:
		return spaced(before, text), true
	}
	return text, true
}

// isAbbreviation reports whether letters end a shortened word, as in Mme and Dr.
func isAbbreviation(base, text string) bool {
	first, width := utf8.DecodeRuneInString(base)
	return width == len(base) && unicode.IsUpper(first) && text == strings.ToLower(text) && (len(text) > 1 || text == "r")
}

var ordinals = map[string]bool{
	"st": true, "nd": true, "rd": true, "th": true, "e": true, "er": true, "re": true, "ère": true, "ème": true, "eme": true, "es": true, "nde": true, "os": true, "as": true,
}

// isDegree reports whether a raised o or 0 stands for degrees.
func isDegree(base, text, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(base)
	if !unicode.IsDigit(last) || text != "o" && text != "0" && text != "º" {
		return false
	}
	after = strings.TrimLeft(after, " ")
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, "CFNSEW"))
	return len(after) > 0 && strings.ContainsRune("CFNSEW", rune(after[0])) && !isWord(next)
}

// baseOf returns the letters, digits or sign that before ends with.
func baseOf(before string) string {
	last, width := utf8.DecodeLastRuneInString(before)
	var same func(rune) bool
	switch {
	case before == "" || unicode.IsSpace(last):
		return ""
	case unicode.IsDigit(last):
		same = unicode.IsDigit
	case unicode.IsLetter(last):
		same = func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
	default:
		return before[len(before)-width:]
	}
	at := strings.LastIndexFunc(before, func(r rune) bool { return !same(r) })
	if at < 0 {
		return before
	}
	_, width = utf8.DecodeRuneInString(before[at:])
	return before[at+width:]
}

// isVariable reports whether base is a single letter, or the name of a function.
func isVariable(base string) bool {
	r, width := utf8.DecodeRuneInString(base)
	return width == len(base) && unicode.IsLetter(r) || slices.Contains(functions, base)
}

var functions = strings.Fields("sin cos tan cot sec csc sinh cosh tanh log ln lg exp arcsin arccos arctan lim max min")

// isUnit reports whether base is a unit that is raised to powers.
func isUnit(base string) bool { return slices.Contains(units, base) }

var units = strings.Fields("mm cm dm dam hm km µm μm nm pm in ft yd mi kg mg cd mol ms µs ns min Pa kPa Hz kHz kW kV mA kA rad sr px pt sq ha lb oz")

// superscripts are the characters that have a raised form.
var superscripts = map[rune]rune{
	'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹',
	'+': '⁺', '-': '⁻', '−': '⁻', '–': '⁻', '=': '⁼', '(': '⁽', ')': '⁾',
}

// Power returns s as an exponent: ⁶, ^n, ^(n+1).
func Power(s string) string {
	s = compact(s)
	if high, ok := mapAll(s, superscripts); ok {
		return high
	}
	return "^" + group(s)
}

// Index returns s as an index: _i, _(i=1).
func Index(s string) string { return "_" + group(compact(s)) }

// compact drops the spaces around signs.
func compact(s string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(s) {
		if endsWord(b.String()) && startsWord(word) {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

func mapAll(s string, forms map[rune]rune) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		form, ok := forms[r]
		if !ok {
			return "", false
		}
		b.WriteRune(form)
	}
	return b.String(), s != ""
}

// lowered returns the text of a subscript.
func lowered(before, text, after string) (s string, apart bool) {
	base := baseOf(before)
	last, _ := utf8.DecodeLastRuneInString(base)
	next, _ := utf8.DecodeRuneInString(after)
	count := utf8.RuneCountInString(text)
	switch {
	case base == "":
		return text, false
	case strings.Contains(text, " ") && count > 12:
		return spaced(before, text), true
	case figures.MatchString(text) && (unicode.IsLetter(last) || last == ')' || last == ']') && !unicode.IsDigit(next):
		return text, false // H2O
	case count == 1 && unicode.IsLower([]rune(text)[0]) && utf8.RuneCountInString(base) > 1 && unicode.IsUpper(last):
		return text, false // NOx
	case !isWord(last):
		return text, true
	}
	return Index(text), true
}
