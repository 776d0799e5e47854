package parse

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readRTF reads Rich Text Format (version 1.9): paragraphs, headings by their
// outline level, lists by the marks that are written out, tables, and then the
// notes behind their marks. It leaves out headers, footers, comments, metafiles,
// deleted and hidden text.
func readRTF(ctx context.Context, w *writer, data []byte) error {
	if !bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return domain.Errorf(domain.Invalid, "This file is named as rich text but does not begin like it.")
	}
	r := rtfReader{w: w, fonts: rtfFonts{page: encodingOf("windows-1252")}, symbols: map[int]string{}, state: rtfState{skip: 1, level: -1}, lists: rtfLists{numbers: newDocxNumbers()}}
	r.text.KeepStruck = w.keepStruck
	r.fonts.choose(w, data)
	for n := 0; len(data) > 0 && !r.done; n++ {
		data = data[r.next(data):]
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if w.full || r.size > utf8.UTFMax*w.limits.MaxChars {
			return tooMuchText(w.limits.MaxChars)
		}
	}
	for r.inNote() {
		r.endNote()
	}
	r.paragraph()
	r.endTable()
	r.flushBoxes()
	r.pictures.flush(w)
	for _, note := range r.notes {
		w.paragraph(note)
	}
	r.running.warn(w, "document")
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

	text    script.Line
	pending int    // characters to skip after one in Unicode
	high    rune   // first half of a character in Unicode
	bytes   []byte // not decoded yet
	row     rtfRow
	nested  rtfNested
	lists   rtfLists
	fields  []rtfField // open ones, outermost first
	boxes   []string   // texts next to the current paragraph
	formula rtfFormula

	pictures rtfPictures
	running  runningText
	table    []rtfRow
	title    strings.Builder

	symbols  map[int]string // names of symbol fonts
	font     int            // whose name is being read
	plain    int            // the font of text without a stated font
	name     strings.Builder
	defined  []rtfCell // of the row
	column   rtfCell   // of the row, being defined
	head     bool      // the row names columns
	marks    int       // of notes so far
	mark     string    // of the next note
	openNote []rtfNote // notes being read
	notes    []string  // read so far
}

// An rtfNote is the state to return to after a note.
type rtfNote struct {
	depth int // of its group
	text  script.Line
	row   rtfRow
	mark  string
	box   bool // it is a text next to the paragraph, not a note
}

// rtfState holds the state that a group inherits and restores at its end.
type rtfState struct {
	skip    int  // number of characters that replace one in Unicode
	out     bool // the content of the group is left out
	info    bool // it contains the title
	hidden  bool
	level   int // outline level of the paragraph; -1 if there is none
	inTable bool

	picture         bool // it contains the bytes of a picture
	inPicture       bool // it is part of one
	shape           bool // it is part of a shape
	property        int  // it contains the name or value of a property
	fonts           bool // it contains the names of fonts
	levelText       bool // it contains the text of a list level
	instruction     bool // it contains the instruction of a field
	running         bool // it is a header or footer
	outside         bool // text around the destination is left out
	list, depth     int  // the list of the paragraph, 0 if there is none, and its level
	font            int
	struck, deleted bool
	raised, lowered bool
}

func (s rtfState) look() script.Look {
	switch {
	case s.struck || s.deleted:
		return script.Struck
	case s.raised:
		return script.Raised
	case s.lowered:
		return script.Lowered
	}
	return script.Plain
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
		if r.inNote() && r.openNote[len(r.openNote)-1].depth == len(r.stack) {
			r.endNote()
		}
		r.formula.close(r)
		r.closeField()
		if n := len(r.stack); n > 0 {
			if r.state.picture && !r.stack[n-1].picture {
				r.pictures.end(r.w)
			}
			if r.state.property == rtfPropertyValue && r.stack[n-1].property == 0 {
				r.pictures.endProperty(&r.state)
			}
			if r.state.running && !r.stack[n-1].running {
				r.running.end()
			}
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
		after := min(len(data), end+number)
		if r.state.picture {
			r.pictures.add(data[end:after])
		}
		return after
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
		r.state.outside = r.state.out
		r.state.out, r.state.running, r.state.picture = true, false, false // a destination that some readers don't know
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
	if r.state.picture {
		r.pictures.digit(c)
		return
	}
	if r.pending > 0 {
		r.pending--
		return
	}
	if !r.state.out || r.state.info || r.state.fonts || r.state.levelText || r.state.instruction || r.state.running || r.state.property != 0 {
		r.bytes = append(r.bytes, c)
		r.size++
	}
}

// decode decodes the bytes read so far.
func (r *rtfReader) decode() {
	if len(r.bytes) == 0 {
		return
	}
	if font := r.symbols[r.state.font]; font != "" && !r.state.out {
		var codes strings.Builder
		for _, c := range r.bytes {
			codes.WriteRune(rune(c))
		}
		r.bytes = r.bytes[:0]
		r.write(script.Symbols(font, codes.String()))
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
	case r.state.fonts:
		r.fontName(s)
	case r.state.levelText:
		r.lists.text(s)
	case r.state.running:
		r.running.add(s)
	case r.state.instruction:
		r.instruct(s)
	case r.state.property != 0:
		r.pictures.property(&r.state, s)
	case r.state.out:
	case r.state.hidden:
		r.w.warn("Hidden text in this document was left out.")
	case r.formula.reads():
		r.formula.text(s)
	default:
		r.text.Add(r.state.look(), s)
	}
}

func (r *rtfReader) rune(c rune) {
	r.decode()
	r.write(string(c))
}

// unicode adds a character, or half of one.
func (r *rtfReader) unicode(n int) {
	c := rune(uint16(n)) // negative numbers encode large ones
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
	if symbol, ok := script.Symbol(r.symbols[r.state.font], c); ok {
		c = symbol
	}
	r.rune(c)
}

// fontName reads the names of fonts, each terminated by a semicolon.
func (r *rtfReader) fontName(s string) {
	for _, c := range s {
		if c != ';' {
			if r.name.Len() < maxLevelText {
				r.name.WriteRune(c)
			}
			continue
		}
		if name := r.name.String(); script.IsSymbolFont(name) && len(r.symbols) < maxStyles {
			r.symbols[r.font] = name
		}
		r.name.Reset()
	}
}

// word obeys a control word.
func (r *rtfReader) word(word string, n int, has bool) {
	r.decode()
	r.fonts.inTable = r.fonts.inTable && len(r.stack) > 1 || word == "fonttbl"
	r.fonts.word(word, n)
	if r.formula.word(r, word) {
		return
	}
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
		r.state.level, r.state.inTable, r.state.list, r.state.depth = -1, false, 0, 0
	case "itap":
		r.nested.begin(r, n)
	case "intbl":
		r.state.inTable = true
	case "outlinelevel":
		r.state.level = n
	case "nestcell":
		r.nested.cell(r)
	case "nestrow":
		r.nested.row()
	case "cell":
		r.nested.end(r)
		if !r.state.out && len(r.row.texts) < maxCells {
			r.row.texts = append(r.row.texts, r.text.String())
			r.text.Reset()
		}
	case "row":
		r.endRow()
	case "u":
		r.unicode(n)
	case "uc":
		r.state.skip = min(max(n, 0), 100)
	case "v":
		r.state.hidden = !has || n != 0
	case "deff":
		r.plain, r.state.font = n, n
	case "title":
		r.state.info = true
	default:
		r.moreWord(word, n, !has || n != 0)
	}
}

// moreWord obeys a control word about the look of characters, notes and cells.
func (r *rtfReader) moreWord(word string, n int, on bool) {
	s := &r.state
	switch word {
	case "strike", "striked":
		s.struck = on
	case "deleted":
		s.deleted = on
	case "super":
		s.raised, s.lowered = on, false
	case "sub":
		s.raised, s.lowered = false, on
	case "nosupersub":
		s.raised, s.lowered = false, false
	case "up":
		s.raised, s.lowered = n > 0, false
	case "dn":
		s.raised, s.lowered = false, n > 0
	case "plain":
		s.struck, s.deleted, s.raised, s.lowered, s.hidden, s.font = false, false, false, false, false, r.plain
	case "f":
		if s.font = n; s.fonts {
			r.font = n
		}
	case "fonttbl":
		s.out, s.fonts = true, true
	case "footnote":
		s.out = s.outside
		r.startNote(false)
	case "shptxt", "dptxbxtext":
		s.out = s.outside
		r.startNote(true)
	case "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		s.out, s.running = true, true
	case "field":
		r.openField()
	case "fldinst":
		s.out, s.running, s.instruction = true, false, len(r.fields) > 0
	case "chftn":
		r.noteMark()
	case "trowd", "trhdr", "clmrg", "clvmrg", "cellx":
		if !s.out { // if not, it is about a table within a cell
			r.rowWord(word, n)
		}
	case "shppict", "nonshppict", "listpicture", "pict", "pngblip", "jpegblip", "shp", "sn", "sv":
		r.pictures.word(s, word)
	default:
		r.lists.word(s, word, n)
		if rtfLeftOut[word] {
			s.out, s.running = true, false
		}
	}
}

// rowWord obeys a control word about the cells of a row.
func (r *rtfReader) rowWord(word string, n int) {
	switch word {
	case "trowd":
		r.defined, r.column, r.head = nil, rtfCell{}, false
	case "trhdr":
		r.head = true
	case "clmrg":
		r.column.left = true
	case "clvmrg":
		r.column.above = true
	case "cellx":
		if r.column.edge = n; len(r.defined) < maxCells {
			r.defined = append(r.defined, r.column)
		}
		r.column = rtfCell{}
	}
}

func (r *rtfReader) inNote() bool { return len(r.openNote) > 0 }

// noteMark adds the mark of the note that comes next. The note itself has it too.
func (r *rtfReader) noteMark() {
	if r.state.out || r.inNote() || r.state.look() == script.Struck {
		return
	}
	r.marks++
	r.mark = strconv.Itoa(r.marks)
	r.text.Add(script.Note, r.mark)
}

// startNote begins a note or a text box, which RTF places inside a paragraph.
func (r *rtfReader) startNote(box bool) {
	if r.state.out || len(r.openNote) == maxTables || r.state.look() == script.Struck && !r.w.keepStruck || box && r.inNote() {
		r.state.out = true
		return
	}
	r.openNote = append(r.openNote, rtfNote{depth: len(r.stack), text: r.text, row: r.row, mark: r.mark, box: box})
	r.text, r.row, r.mark = script.Line{KeepStruck: r.w.keepStruck}, rtfRow{}, ""
	r.state.raised, r.state.lowered = false, false
}

// endNote stores a finished note.
func (r *rtfReader) endNote() {
	r.keepNote()
	last := r.openNote[len(r.openNote)-1]
	r.openNote = r.openNote[:len(r.openNote)-1]
	r.text, r.row = last.text, last.row
}

// keepNote stores a paragraph of the current note.
func (r *rtfReader) keepNote() {
	last := &r.openNote[len(r.openNote)-1]
	text := r.text.String()
	r.text.Reset()
	if strings.TrimSpace(text) == "" {
		return
	}
	if last.box {
		r.boxes = append(r.boxes, text)
		return
	}
	if last.mark != "" {
		text = script.NoteText(last.mark, text)
		last.mark = ""
	}
	r.notes = append(r.notes, text)
}

func (r *rtfReader) endRow() {
	if r.inNote() {
		return
	}
	if slices.ContainsFunc(r.row.texts, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		r.row.cells, r.row.head = slices.Clone(r.defined), r.head
		r.table = append(r.table, r.row)
	}
	r.row = rtfRow{}
}

// rtfRunes maps control words to characters.
var rtfRunes = map[string]rune{
	"tab": ' ', "emdash": '—', "endash": '–', "lquote": '‘', "rquote": '’', "ldblquote": '“', "rdblquote": '”', "bullet": '•',
	"emspace": ' ', "enspace": ' ', "qmspace": ' ', "zwj": '\u200d', "zwnj": '\u200c',
}

// rtfLeftOut lists the destinations without text.
var rtfLeftOut = map[string]bool{
	"colortbl": true, "stylesheet": true, "info": true, "object": true,
	"annotation": true, "listtable": true,
	"listoverridetable": true, "generator": true, "themedata": true, "datastore": true, "latentstyles": true, "xmlnstbl": true, "rsidtbl": true,
	"filetbl": true, "revtbl": true, "atnid": true, "atnauthor": true, "bkmkstart": true, "bkmkend": true, "mmathPr": true, "nonesttables": true, "shprslt": true, "mmathPict": true, "tc": true, "xe": true,
}

// paragraph ends the open paragraph.
func (r *rtfReader) paragraph() {
	r.decode()
	if r.state.running {
		r.running.end()
	}
	switch {
	case r.state.out, r.state.deleted && !r.w.keepStruck: // a deleted end joins two paragraphs
		return
	case r.inNote():
		r.keepNote()
		return
	}
	text := r.text.String()
	mark := r.lists.mark(r.state, text)
	switch {
	case r.state.inTable && len(r.row.texts) > 0 || r.state.inTable && strings.TrimSpace(text) != "":
		r.text.Add(script.Plain, " ") // the cell continues
		return
	case strings.TrimSpace(text) == "":
		r.text.Reset()
		r.endTable()
		r.pictures.flush(r.w)
		return
	}
	defer r.pictures.flush(r.w)
	r.text.Reset()
	r.endTable()
	r.flushBoxes()
	r.w.name(r.title.String())
	if r.state.level >= 0 && r.state.level < 9 {
		r.w.heading(r.state.level+1, strings.TrimPrefix(mark, "- ")+text)
		return
	}
	r.w.paragraph(mark + bullets.ReplaceAllString(tidy(text), "- "))
}

// endTable writes the rows read so far.
func (r *rtfReader) endTable() {
	r.w.lines(rtfLines(r.table, r.w.limits.MaxChars))
	r.table = nil
}

// flushBoxes writes the texts beside a paragraph.
func (r *rtfReader) flushBoxes() {
	for _, text := range r.boxes {
		r.w.paragraph(text)
	}
	r.boxes = nil
}

// An rtfField is an unfinished field.
type rtfField struct {
	depth       int // of its group
	at          int // length of the paragraph where it begins
	instruction strings.Builder
}

func (r *rtfReader) openField() {
	if len(r.fields) < maxTables {
		r.fields = append(r.fields, rtfField{depth: len(r.stack), at: r.text.Len()})
	}
}

// instruct adds to the instruction of the innermost field.
func (r *rtfReader) instruct(s string) {
	if n := len(r.fields); n > 0 && r.fields[n-1].instruction.Len() < maxInstruction {
		r.fields[n-1].instruction.WriteString(s)
	}
}

// closeField ends the field whose group ends. Without a result it shows its instruction's text.
func (r *rtfReader) closeField() {
	n := len(r.fields)
	if n == 0 || r.fields[n-1].depth != len(r.stack) {
		return
	}
	f := &r.fields[n-1]
	if text, look := shownByField(f.instruction.String()); r.text.Len() == f.at && !r.state.out && !r.state.hidden {
		if look == script.Plain {
			look = r.state.look()
		}
		r.text.Add(look, text)
	}
	r.fields = r.fields[:n-1]
}

// An rtfFormula reads a formula, whose elements are groups that are called like those of
// Office, with an m before.
type rtfFormula struct {
	open   []*script.Node
	depths []int // of their groups
	said   strings.Builder
	value  bool // the text is that of a property
}

func (f *rtfFormula) reads() bool { return len(f.open) > 0 }

// word obeys a control word, and reports whether it is one of the formula: it begins a group.
func (f *rtfFormula) word(r *rtfReader, word string) bool {
	name, ok := strings.CutPrefix(word, "m")
	n := len(f.open)
	switch {
	case word == "moMath" && n == 0:
		r.state.out = r.state.outside
		if r.state.out {
			return true
		}
	case word == "moMathPara" && n == 0:
		r.state.out = r.state.outside
		return true
	case n == 0 || !ok || name == "" || f.depths[n-1] == len(r.stack) || n == script.MaxDepth:
		return false
	}
	node := &script.Node{Name: name, Val: map[string]string{}}
	if f.value = false; n > 0 {
		outer := f.open[n-1]
		outer.Kids = append(outer.Kids, node)
		f.value = strings.HasSuffix(outer.Name, "Pr")
	}
	f.said.Reset()
	f.open, f.depths = append(f.open, node), append(f.depths, len(r.stack))
	return true
}

func (f *rtfFormula) text(s string) {
	if f.value {
		f.said.WriteString(s)
		return
	}
	last := f.open[len(f.open)-1]
	last.Kids = append(last.Kids, &script.Node{Text: s})
}

// close ends the element whose group ends.
func (f *rtfFormula) close(r *rtfReader) {
	n := len(f.open) - 1
	if n < 0 || f.depths[n] != len(r.stack) {
		return
	}
	last := f.open[n]
	f.open, f.depths = f.open[:n], f.depths[:n]
	if f.value {
		last.Val["val"], f.value = strings.TrimSpace(f.said.String()), false
	}
	if n == 0 {
		r.text.Add(script.Formula, last.Linear())
	}
}
