package script

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Look is how a run of text stands in its line.
type Look uint8

// The looks of a run. A run with several takes the first of them.
const (
	Plain   Look = iota
	Struck       // crossed out
	Note         // the mark of a note, such as 3 or *
	Raised       // superscript, which may be a power, an ordinal or the mark of a note
	Lowered      // subscript
	Formula      // a formula in a line, which takes part in no word beside it
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

// Len returns the size of what was added, in bytes.
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

// Parts returns the text of each run: of each stretch of runs of one look, and of
// each note and formula alone. Struck text that is left out is no run.
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
	end   string // of what is written, as far as rules look back
	apart bool   // a word that comes next needs a space before it
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

// noteMark returns the mark of a note that stands behind before.
func noteMark(before, mark string) string { return spaced(before, Mark(mark)) }

// Mark returns the mark of a note, which its text begins with too.
func Mark(mark string) string { return "[^" + strings.Join(strings.Fields(mark), " ") + "]" }

// NoteText returns the text of a note, behind its mark.
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
