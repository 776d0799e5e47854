package pdf

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Paragraph is a paragraph of a page. Lines that ended only because the column
// did are joined; where the page breaks a line on purpose, it holds \n.
type Paragraph struct {
	Text  string
	Size  float64 // of the letters of its longest line, in points
	Bold  bool    // all of it
	Table bool    // parts of its lines stand wide apart
}

// Content is what a page shows.
type Content struct {
	Paragraphs []Paragraph
	Images     int
	Glyphs     int // characters shown
	Unknown    int // of them, those whose font does not say what they are
}

// Content reads a page. It ends early when ctx does.
func (f *File) Content(ctx context.Context, p Page) Content {
	in := interpreter{ctx: ctx, file: f, state: initialState()}
	in.run(f.content(p), f.dict(p.resources), 0)
	in.state = initialState()
	in.annotations(p)
	c := Content{Images: in.images, Glyphs: len(in.marks), Unknown: in.unknown}
	for turn := range 4 { // text that stands upright on the page first
		turn = ((p.rotate/90+turn)%4 + 4) % 4
		var marks []mark
		for _, m := range in.marks {
			if m.turn == turn {
				marks = append(marks, m)
			}
		}
		if found := area(segments(marks)); len(found) > 0 {
			columns := found.lines(0)
			for _, lines := range columns {
				f.noteCompounds(lines)
			}
			for _, lines := range columns {
				c.Paragraphs = append(c.Paragraphs, f.paragraphs(lines)...)
			}
		}
	}
	return c
}

// compound is a word with a hyphen in it.
var compound = regexp.MustCompile(`\pL+-\pL+`)

// noteCompounds remembers the words that the document spells with a hyphen
// within a line, so that they keep it when they are broken there.
func (f *File) noteCompounds(lines []line) {
	for _, l := range lines {
		for _, word := range compound.FindAllString(l.text, -1) {
			f.compounds[word] = true
		}
	}
}

// minColumnWidth is the width, in units of the letters' size, of the narrowest
// column that prose is set in. Shorter lines are lines for a reason.
const minColumnWidth = 12

// paragraphs parts the lines of a column.
func (f *File) paragraphs(lines []line) []Paragraph {
	gap := usualGap(lines)
	var out []Paragraph
	start := 0
	for i := 1; i <= len(lines); i++ {
		if i == len(lines) || parts(lines[start], lines[i-1], lines[i], gap) {
			if p := f.paragraph(lines[start:i]); p.Text != "" {
				out = append(out, p)
			}
			start = i
		}
	}
	return out
}

// usualGap is the median distance between two lines.
func usualGap(lines []line) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		gaps = append(gaps, lines[i-1].y-lines[i].y)
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// parts reports whether a paragraph ends between two lines: by the space
// between them, by the size or weight of their letters, or because the second is
// indented and the paragraph's first line was, too, or began further left.
func parts(first, before, after line, gap float64) bool {
	size := max(before.size, after.size)
	indent := after.x0 - before.x0
	switch {
	case before.y-after.y > 1.25*gap && before.y-after.y > 1.3*size, before.y-after.y > 2.2*size:
		return true
	case min(before.size, after.size) < 0.88*size, before.bold && !after.bold:
		return true
	}
	return indent > 0.8*after.size && indent < 4*after.size && strings.ContainsRune(".!?:”\"", lastRune(before.text)) && first.x0 >= before.x0-0.1*after.size
}

// lastRune is the last character of s.
func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// paragraph joins lines.
func (f *File) paragraph(lines []line) Paragraph {
	p := Paragraph{Size: slices.MaxFunc(lines, func(a, b line) int { return len(a.text) - len(b.text) }).size}
	right := lines[0].x0 + minColumnWidth*p.Size
	p.Bold = true
	for _, l := range lines {
		right = max(right, l.x1)
		p.Bold = p.Bold && l.bold
		p.Table = p.Table || l.cells
	}
	short := make([]bool, len(lines)) // there was room for the next line's first word
	count := 0
	for i, l := range lines[1:] {
		short[i] = lines[i].x1+firstWord(l) < right
		if short[i] {
			count++
		}
	}
	joined := lines[0].text
	for i, l := range lines[1:] {
		onPurpose := lines[i].cells || l.cells || short[i] && 2*count >= len(lines)-1
		joined = f.join(joined, l.text, onPurpose)
	}
	p.Text = strings.TrimSpace(joined)
	return p
}

// firstWord is about how wide the first word of a line is, with a space.
func firstWord(l line) float64 {
	word, _, _ := strings.Cut(l.text, " ")
	n := utf8.RuneCountInString(l.text)
	if n == 0 {
		return 0
	}
	return (l.x1 - l.x0) / float64(n) * float64(utf8.RuneCountInString(word)+1)
}

// join puts the next line behind a text. onPurpose says that the line was not
// broken for lack of room. A hyphen at the end of a line is
// taken out before a small letter, because there it most often parts a word,
// unless the document spells the word with one elsewhere.
func (f *File) join(before, next string, onPurpose bool) string {
	first, _ := utf8.DecodeRuneInString(next)
	body := strings.TrimRight(before, "-\u2010\u00AD")
	if hyphens := utf8.RuneCountInString(before) - utf8.RuneCountInString(body); hyphens == 1 && unicode.IsLetter(lastRune(body)) {
		switch {
		case unicode.IsLower(first) && !f.compounds[compoundAt(before, next)]:
			return body + next
		case unicode.IsLetter(first):
			return before + next
		}
	}
	if onPurpose || isBullet(next) {
		return before + "\n" + next
	}
	return before + " " + next
}

// compoundAt is the word that ends one line with a hyphen and ends on the next.
func compoundAt(before, next string) string {
	word := before[strings.LastIndex(before, " ")+1:]
	rest, _, _ := strings.Cut(next, " ")
	return compound.FindString(word + rest)
}

// isBullet reports whether a line begins with a list's bullet.
func isBullet(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("•‣◦▪●○–-", r) && strings.HasPrefix(s[size:], " ")
}
