package chunk

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// pieces returns the headings and paragraphs of the text, in order, cutting
// those that exceed the limit.
func (m measure) pieces(t domain.Text) iter.Seq[piece] {
	levels := lists.Pairs(t.Headings, func(h domain.Heading) (int, int) { return h.Span.Start, h.Level })
	return func(each func(piece) bool) {
		yield := m.parting(t, each)
		if m.by == domain.ByTokens {
			if p, ok := m.piece(0, len(m.text)); ok {
				m.hardSplit(yield, p)
			}
			return
		}
		open := -1 // start of the current paragraph
		for start := 0; start < len(m.text); {
			end := lineEnd(m.text, start)
			level, blank := levels[start], isBlank(m.text[start:end])
			if (blank || level > 0) && open >= 0 {
				if !m.paragraph(yield, open, start) {
					return
				}
				open = -1
			}
			switch {
			case blank:
			case level > 0:
				if !m.fit(yield, start, end, bySentence, level) {
					return
				}
			case open < 0:
				open = start
			}
			start = end
		}
		if open >= 0 {
			m.paragraph(yield, open, len(m.text))
		}
	}
}

// parting returns a function that yields pieces after it has noted which of them
// begin a chunk.
func (m measure) parting(t domain.Text, each func(piece) bool) func(piece) bool {
	starts, below := m.startsOf(t), false
	return func(p piece) bool {
		p.apart = starts.passed(p.start)
		if m.by == domain.ByHeadings {
			p.apart, below = p.apart || p.level > 0 && below, p.level == 0
		}
		if m.by == domain.BySentences || m.by == domain.ByTokens {
			p.apart, p.level = false, 0
		}
		return each(p)
	}
}

// paragraph yields a paragraph, cut no finer than chunks may end.
func (m measure) paragraph(yield func(piece) bool, start, end int) bool {
	if m.by != domain.ByParts && m.by != domain.BySentences {
		return m.fit(yield, start, end, byLine, 0)
	}
	p, ok := m.piece(start, end)
	switch {
	case !ok:
		return true
	case m.by == domain.ByParts:
		return m.cut(yield, p, byLine)
	}
	for start := p.start; start < p.end; {
		next := lineEnd(m.text[:p.end], start)
		if line, ok := m.piece(start, next); ok && !m.cut(yield, line, bySentence) {
			return false
		}
		start = next
	}
	return true
}

// grain is a granularity for cutting text; larger is finer.
type grain int

const (
	byLine grain = iota
	bySentence
	byWord
)

// fit yields the stretch from start to end, cut no finer than the limit
// requires, starting with g.
func (m measure) fit(yield func(piece) bool, start, end int, g grain, level int) bool {
	p, ok := m.piece(start, end)
	p.level = level
	switch {
	case !ok:
		return true
	case p.tokens <= m.limit:
		return yield(p)
	case g == byWord:
		return m.hardSplit(yield, p)
	}
	return m.cut(yield, p, g)
}

// cut yields the parts of p, cut by g even if it fits.
func (m measure) cut(yield func(piece) bool, p piece, g grain) bool {
	for start := p.start; start < p.end; {
		next := cutAfter(m.text[:p.end], start, g)
		if !m.fit(yield, start, next, g+1, p.level) {
			return false
		}
		start = next
	}
	return true
}

// cutAfter returns the end of the line or sentence that starts at start.
func cutAfter(text []rune, start int, g grain) int {
	if g == byLine {
		return lineEnd(text, start)
	}
	return sentenceEnd(text, start)
}

// hardSplit cuts an overlong sentence between words, or an overlong word
// between characters.
func (m measure) hardSplit(yield func(piece) bool, p piece) bool {
	for start := p.start; start < p.end; {
		end := m.longest(start, p.end)
		if q, ok := m.piece(start, end); ok {
			q.level = p.level
			if !yield(q) {
				return false
			}
		}
		start = end
	}
	return true
}

// longest returns the end of a stretch from start that is close to the limit
// without exceeding it.
func (m measure) longest(start, end int) int {
	for n := min(end-start, 8*m.limit); ; {
		at := end
		if start+n < end {
			at = pauseBefore(m.text, start, start+n)
		}
		from, to := trim(m.text, start, at)
		count := m.tokens(from, to)
		if count <= m.limit || n == 1 {
			return at
		}
		n = max(1, min(n-1, n*m.limit/count))
	}
}

// pauseBefore moves end back to just after the last white space in the second
// half of the stretch, or else to a place that splits no visible character, if
// there is one.
func pauseBefore(text []rune, start, end int) int {
	for at := end; at > start+(end-start)/2; at-- {
		if unicode.IsSpace(text[at-1]) {
			return at
		}
	}
	for at := end; at > start; at-- {
		if !joins(text[at]) && !joinsNext(text[at-1]) {
			return at
		}
	}
	return end
}

// joins reports whether r attaches to the character before it: a combining
// mark, a variation selector, a skin tone or a joiner.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || joinsNext(r) || r >= 0x1F3FB && r <= 0x1F3FF
}

// joinsNext reports whether r attaches the next character to itself.
func joinsNext(r rune) bool { return r == '\u200d' }

// lineEnd returns the position after the line break that ends the line at
// start.
func lineEnd(text []rune, start int) int {
	for i := start; i < len(text); i++ {
		if text[i] == '\n' {
			return i + 1
		}
	}
	return len(text)
}

// trim shrinks the range to exclude white space at its ends.
func trim(text []rune, start, end int) (int, int) {
	for start < end && unicode.IsSpace(text[start]) {
		start++
	}
	for end > start && unicode.IsSpace(text[end-1]) {
		end--
	}
	return start, end
}

// abbreviations end in a full stop that does not end a sentence. The list is
// short because a wrong cut merely moves the end of a chunk.
const abbreviations = " mr mrs ms dr prof st sr jr no vs etc e.g i.e fig vol inc ltd co u.s u.k "

// sentenceEnd returns the position after the sentence that starts at start,
// including closing quotes and brackets.
func sentenceEnd(text []rune, start int) int {
	for i := start; i < len(text); i++ {
		if strings.ContainsRune("。！？", text[i]) {
			return afterClosers(text, i+1)
		}
		if !strings.ContainsRune(".!?…", text[i]) {
			continue
		}
		end := afterNotes(text, afterClosers(text, i+1))
		switch {
		case end < len(text) && !unicode.IsSpace(text[end]), beforeLower(text, end):
			i = end - 1 // nor does the punctuation in between end a sentence
		case !abbreviates(text, start, i):
			return end
		}
	}
	return len(text)
}

// beforeLower reports whether the next word after end is in lower case, so that the sentence continues.
func beforeLower(text []rune, end int) bool {
	for end < len(text) && unicode.IsSpace(text[end]) {
		end++
	}
	return end < len(text) && unicode.IsLower(text[end])
}

// abbreviates reports whether the mark at i is the full stop of an initial or
// an abbreviation.
func abbreviates(text []rune, start, i int) bool {
	if text[i] != '.' {
		return false
	}
	word := i
	for word > start && !unicode.IsSpace(text[word-1]) {
		word--
	}
	last := strings.TrimLeft(strings.ToLower(string(text[word:i])), "(\"'“‘[")
	return len([]rune(last)) == 1 && unicode.IsUpper(text[i-1]) || strings.Contains(abbreviations, " "+last+" ")
}

// afterNotes skips the marks of notes, as in "in 1960.[2]" and "in 1960.[^2]".
func afterNotes(text []rune, i int) int {
	for i < len(text) && text[i] == '[' {
		end := i + 1
		for end < len(text) && end < i+6 && text[end] != ']' && text[end] != '\n' {
			end++
		}
		if end == len(text) || text[end] != ']' || text[i+1] != '^' && !unicode.IsDigit(text[i+1]) {
			break
		}
		i = end + 1
	}
	return i
}

// afterClosers skips closing marks.
func afterClosers(text []rune, i int) int {
	for i < len(text) && strings.ContainsRune(`.!?…"'”’»)]」』）`, text[i]) {
		i++
	}
	return i
}

// firstWord returns the length in bytes of the first word of a text that is not empty.
// Words are those of the vocabulary's splitter, whose pattern is
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// The general engine for such patterns takes several times as long.
func firstWord(text string) int {
	if n := shortForm(text); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	rest := text[size:]
	switch {
	case unicode.IsLetter(first), !isBreak(first) && !unicode.IsNumber(first) && rest != "" && unicode.IsLetter(second):
		return size + run(rest, unicode.IsLetter, len(text))
	case unicode.IsNumber(first):
		return size + run(rest, unicode.IsNumber, 2)
	case isSign(first), first == ' ' && rest != "" && isSign(second):
		n := size + run(rest, isSign, len(text))
		return n + run(text[n:], isBreak, len(text))
	}
	return space(text)
}

// shortForm returns the length of a short form in English that a text begins with, such as 's, or 0.
func shortForm(text string) int {
	if text[0] != '\'' {
		return 0
	}
	for _, form := range [...]string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if n := 1 + len(form); len(text) >= n && strings.EqualFold(text[1:n], form) {
			return n
		}
	}
	return 0
}

// space returns the length of the first part of the white space that a text begins with: up to its last line break, or
// but for the last character, which belongs to what follows.
func space(text string) int {
	n := run(text, unicode.IsSpace, len(text))
	if at := strings.LastIndexAny(text[:n], "\r\n"); at >= 0 {
		return at + 1
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n < len(text) && n > last {
		return n - last
	}
	return n
}

// run returns how many characters at the start of a text are of a kind, up to most.
func run(text string, of func(rune) bool, most int) int {
	for i, r := range text {
		if most == 0 || !of(r) {
			return i
		}
		most--
	}
	return len(text)
}

func isBreak(r rune) bool { return r == '\r' || r == '\n' }

// isSign reports whether r is neither a letter, a number nor a space.
func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsSpace(r) }

// Tokenizer counts tokens of the cl100k_base vocabulary, which is built into
// the program. Other models use other vocabularies, whose counts differ by a
// few per cent, so a limit in these tokens measures length and guarantees
// nothing about a particular model. It is safe for concurrent use.
type Tokenizer struct {
	codec func() *codec.Codec

	mu    sync.Mutex
	known map[string]int // tokens of words counted so far
}

var _ Counter = (*Tokenizer)(nil)

// Limits of the cache of tokens: number of words, and bytes of a word.
const maxKnown, maxKnownBytes = 1 << 14, 24

// NewTokenizer returns a tokenizer that loads the vocabulary when it first counts.
// That is slow and takes memory, so share the result.
func NewTokenizer() *Tokenizer {
	return &Tokenizer{codec: sync.OnceValue(codec.NewCl100kBase), known: map[string]int{}}
}

// Count returns the number of tokens in text. No token reaches over the end of a word,
// and most words have been counted before.
func (t *Tokenizer) Count(text string) (tokens int) {
	if !utf8.ValidString(text) {
		return t.ask(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(text) > 0 {
		n := firstWord(text)
		tokens += t.ofWord(text[:n])
		text = text[n:]
	}
	return tokens
}

// ofWord returns the number of tokens in a word. The caller holds the lock.
func (t *Tokenizer) ofWord(word string) int {
	if len(word) > maxKnownBytes {
		return t.ask(word)
	}
	n, ok := t.known[word]
	if !ok {
		if len(t.known) >= maxKnown {
			clear(t.known)
		}
		n = t.ask(word)
		t.known[strings.Clone(word)] = n
	}
	return n
}

// ask counts with the vocabulary. Text that its splitter rejects counts one token
// per byte; no valid UTF-8 is known to be rejected.
func (t *Tokenizer) ask(text string) int {
	n, err := t.codec().Count(text)
	if err != nil {
		return len(text)
	}
	return n
}
