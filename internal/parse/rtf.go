package parse

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readRTF reads Rich Text Format (version 1.9): paragraphs, headings by their
// outline level, lists by the marks that are written out, and tables. It leaves
// out headers, footers, comments, pictures and hidden text.
func readRTF(ctx context.Context, w *writer, data []byte) error {
	if !bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return domain.Errorf(domain.Invalid, "This file is called rich text but does not begin like it.")
	}
	r := rtfReader{w: w, fonts: rtfFonts{page: encodingOf("windows-1252")}, state: rtfState{skip: 1, level: -1}}
	r.fonts.choose(w, data)
	for n := 0; len(data) > 0 && !r.done; n++ {
		data = data[r.next(data):]
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if w.full || r.size > utf8.UTFMax*w.limit {
			return tooMuchText(w.limit)
		}
	}
	r.paragraph()
	r.endTable()
	return nil
}

// An rtfReader reads groups and control words. It keeps its own stack.
type rtfReader struct {
	w     *writer
	fonts rtfFonts
	state rtfState
	stack []rtfState
	done  bool
	size  int

	text    strings.Builder
	pending int    // characters to leave out after one in Unicode
	high    rune   // first half of a character in Unicode
	bytes   []byte // not decoded yet
	row     []string
	table   []string
	title   strings.Builder
}

// rtfState holds the state that a group inherits and restores at its end.
type rtfState struct {
	skip    int  // characters that stand for one in Unicode
	out     bool // what the group holds is left out
	info    bool // it holds the title
	hidden  bool
	font    int
	level   int // outline level of the paragraph; -1 for none
	inTable bool
}

// maxRTFDepth is how deep groups may be nested before they are left out.
const maxRTFDepth = 1000

// next reads what data begins with, and returns its length.
func (r *rtfReader) next(data []byte) int {
	switch c := data[0]; c {
	case '{':
		r.decode()
		r.stack = append(r.stack, r.state)
		if len(r.stack) > maxRTFDepth {
			r.state.out = true
		}
		if len(r.stack) > 100*maxRTFDepth {
			r.done = true
		}
		return 1
	case '}':
		r.decode()
		if n := len(r.stack); n > 0 {
			r.state, r.stack = r.stack[n-1], r.stack[:n-1]
		}
		r.done = len(r.stack) == 0
		return 1
	case '\\':
		return r.control(data)
	case '\r', '\n', 0:
		return 1
	default:
		r.char(c)
		return 1
	}
}

// control reads a control word or symbol.
func (r *rtfReader) control(data []byte) int {
	if len(data) < 2 {
		return len(data)
	}
	if c := data[1]; c < 'a' || c > 'z' {
		return r.symbol(data)
	}
	end := 1
	for end < len(data) && end < 40 && (data[end] >= 'a' && data[end] <= 'z' || data[end] >= 'A' && data[end] <= 'Z') {
		end++
	}
	word := string(data[1:end])
	start := end
	if end < len(data) && data[end] == '-' {
		end++
	}
	for end < len(data) && end < start+11 && data[end] >= '0' && data[end] <= '9' {
		end++
	}
	number, err := strconv.Atoi(string(data[start:end]))
	if end < len(data) && data[end] == ' ' {
		end++
	}
	if word == "bin" && number > 0 {
		return min(len(data), end+number)
	}
	r.word(word, number, err == nil)
	return end
}

// symbol reads a control symbol.
func (r *rtfReader) symbol(data []byte) int {
	switch c := data[1]; c {
	case '\'':
		if len(data) < 4 {
			return len(data)
		}
		if n, err := strconv.ParseUint(string(data[2:4]), 16, 8); err == nil {
			r.char(byte(n))
		}
		return 4
	case '*':
		r.state.out = true // a destination that not all readers know
	case '~':
		r.rune(' ')
	case '_':
		r.rune('-')
	case '\\', '{', '}':
		r.char(c)
	case '\r', '\n':
		r.paragraph()
	}
	return 2
}

// char adds a byte of text.
func (r *rtfReader) char(c byte) {
	if r.pending > 0 {
		r.pending--
		return
	}
	if !r.state.out && !r.state.hidden || r.state.info {
		r.bytes = append(r.bytes, c)
		r.size++
	}
}

// decode adds the bytes read so far.
func (r *rtfReader) decode() {
	if len(r.bytes) == 0 {
		return
	}
	text := r.fonts.of(r.state.font).decode(r.bytes)
	r.bytes = r.bytes[:0]
	r.write(text)
}

func (r *rtfReader) write(s string) {
	switch {
	case r.state.info:
		if r.title.Len() < 4*maxTitle {
			r.title.WriteString(s)
		}
	case !r.state.out && !r.state.hidden:
		r.text.WriteString(s)
	}
}

func (r *rtfReader) rune(c rune) {
	r.decode()
	r.write(string(c))
}

// unicode adds a character, or half of one.
func (r *rtfReader) unicode(n int) {
	c := rune(uint16(n)) // negative numbers stand for large ones
	r.pending = r.state.skip
	switch {
	case r.high != 0:
		c = utf16.DecodeRune(r.high, c)
		r.high = 0
	case utf16.IsSurrogate(c):
		r.high = c
		return
	}
	r.size += utf8.RuneLen(c)
	r.rune(c)
}

// word obeys a control word.
func (r *rtfReader) word(word string, n int, has bool) {
	r.decode()
	r.fonts.inTable = r.fonts.inTable && len(r.stack) > 1 || word == "fonttbl"
	r.fonts.word(word, n)
	if page, ok := rtfRunes[word]; ok {
		r.rune(page)
		return
	}
	switch word {
	case "par", "sect", "page":
		r.paragraph()
	case "line":
		r.rune('\n')
	case "pard":
		r.state.level, r.state.inTable = -1, false
	case "intbl":
		r.state.inTable = true
	case "outlinelevel":
		r.state.level = n
	case "cell", "nestcell":
		if !r.state.out && len(r.row) < maxCells {
			r.row = append(r.row, r.text.String())
			r.text.Reset()
		}
	case "row", "nestrow":
		if line := tableRow(r.row); line != "" {
			r.table = append(r.table, line)
		}
		r.row = nil
	case "u":
		r.unicode(n)
	case "uc":
		r.state.skip = min(max(n, 0), 100)
	case "v":
		r.state.hidden = !has || n != 0
	case "f", "deff":
		r.state.font = n
	case "title":
		r.state.info = true
	default:
		if rtfLeftOut[word] {
			r.state.out = true
		}
	}
}

// rtfRunes are the characters that words stand for.
var rtfRunes = map[string]rune{
	"tab": ' ', "emdash": '—', "endash": '–', "lquote": '‘', "rquote": '’', "ldblquote": '“', "rdblquote": '”', "bullet": '•',
	"emspace": ' ', "enspace": ' ', "qmspace": ' ', "zwj": '\u200d', "zwnj": '\u200c',
}

// rtfLeftOut are the destinations that are no text.
var rtfLeftOut = map[string]bool{
	"fonttbl": true, "colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "header": true, "headerl": true, "headerr": true,
	"headerf": true, "footer": true, "footerl": true, "footerr": true, "footerf": true, "fldinst": true, "annotation": true, "listtable": true,
	"listoverridetable": true, "generator": true, "themedata": true, "datastore": true, "latentstyles": true, "xmlnstbl": true, "rsidtbl": true,
	"filetbl": true, "revtbl": true, "atnid": true, "atnauthor": true, "bkmkstart": true, "bkmkend": true, "mmathPr": true, "nonshppict": true, "tc": true, "xe": true,
}

// paragraph ends the open paragraph.
func (r *rtfReader) paragraph() {
	r.decode()
	if r.state.out {
		return
	}
	text := r.text.String()
	switch {
	case r.state.inTable && len(r.row) > 0 || r.state.inTable && strings.TrimSpace(text) != "":
		r.text.WriteByte(' ') // the cell goes on
		return
	case strings.TrimSpace(text) == "":
		r.text.Reset()
		return
	}
	r.text.Reset()
	r.endTable()
	r.w.name(r.title.String())
	if r.state.level >= 0 && r.state.level < 9 {
		r.w.heading(r.state.level+1, text)
		return
	}
	r.w.paragraph(bullets.ReplaceAllString(tidy(text), "- "))
}

// endTable writes the rows read so far.
func (r *rtfReader) endTable() {
	r.w.lines(r.table)
	r.table = nil
}
