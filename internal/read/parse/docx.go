package parse

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readDOCX reads a Word document (ECMA-376, part 1, section 17): the body, then footnotes and
// endnotes behind their marks. It leaves out headers, footers, comments, deleted text and tables of contents.
func readDOCX(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "Word document", maxExpanded)
	if err != nil {
		return err
	}
	main := files.mainPart("word/document.xml")
	if !files.has(main) {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no Word document in it.")
	}
	if err := nameByCore(ctx, w, files, "Word Document"); err != nil {
		return err
	}
	folder := main[:strings.LastIndex(main, "/")+1]
	styles, err := readStyles(files, folder+"styles.xml")
	if err != nil {
		return err
	}
	numbers, err := readNumbers(ctx, files, folder+"numbering.xml")
	if err != nil {
		return err
	}
	notes := newDocxNotes()
	for _, part := range []string{main, folder + "footnotes.xml", folder + "endnotes.xml"} {
		r := docxReader{blocks: blocks{w: w}, styles: styles, numbers: numbers, notes: notes, ctx: ctx}
		if r.objects, err = openObjects(ctx, w, files, part); err != nil {
			return err
		}
		if err := files.each(ctx, part, r.token); err != nil {
			return err
		}
		r.flushJoined()
		r.flushList()
		if err := r.objects.write(ctx, &r.noted); err != nil {
			return err
		}
	}
	running := runningText{}
	if err := running.ofWord(ctx, files, main); err != nil {
		return err
	}
	running.warn(w, "Word document")
	return nil
}

// nameByCore takes the title from the document's properties, unless a program made
// it up, and facts.
func nameByCore(ctx context.Context, w *writer, files *zipPackage, madeUp string) error {
	p := newProperties()
	err := files.each(ctx, "docprops/core.xml", p.token)
	if title := p.title(); !strings.HasPrefix(title, "Microsoft Word - ") && title != madeUp {
		w.name(title)
	}
	w.know(p.facts())
	return err
}

// A docxReader writes the paragraphs of a part as it reads its tokens. It keeps its own stacks
// instead of recursing, so that no nesting exhausts the program's.
type docxReader struct {
	blocks
	styles     docxStyles
	ctx        context.Context //nolint:containedctx // the tokens of one part are read with it
	objects    *objectWriter
	noted      objects // that stand in the text read last
	numbers    *docxNumbers
	notes      *docxNotes
	open       []*docxParagraph // paragraphs being read: a text box stands within another
	joined     *docxParagraph   // a paragraph whose end is deleted, so that the next one goes on with it
	skip       int              // depth within an element that is left out
	deleted    int              // depth within deleted text that is kept
	inside     []string         // elements of properties being read
	text       bool             // within an element that holds text
	formula    formulaReader
	fields     []docxField // open, the outermost first
	instructed bool        // within the instruction of a field
	size       int         // bytes read so far
}

type docxParagraph struct {
	line    script.Line
	style   string
	outline int // -1 until the paragraph names one
	numbers string
	depth   int // of the list that it is an item of; -1 until the paragraph names one
	endless bool
	run     docxRun
}

// A docxRun is the look of a run.
type docxRun struct {
	struck bool
	height script.Look // raised, lowered or plain
	font   string
	hidden bool
}

// take takes over the look of a style.
func (run *docxRun) take(look script.Look) {
	switch look {
	case script.Plain:
	case script.Struck:
		run.struck = true
	default:
		run.height = look
	}
}

func (run *docxRun) look() script.Look {
	if run.struck {
		return script.Struck
	}
	return run.height
}

// token handles the next token of the part. The error says that there is too much text.
func (r *docxReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if r.skip > 0 || r.leftOut(t.Name) || isDocxNote(t.Name) && !r.notes.note(t) || t.Name.Local == "tbl" && len(r.tables) == maxTables {
			r.skip++
			r.notes.dropped(t)
			return nil
		}
		r.start(t)
	case xml.EndElement:
		if r.skip > 0 {
			r.skip--
			return nil
		}
		r.end(t.Name)
		if len(r.noted.ids) > 0 && len(r.open) == 0 && len(r.tables) == 0 {
			r.flushList()
			return r.objects.write(r.ctx, &r.noted)
		}
	case xml.CharData:
		if r.skip == 0 && r.instructed {
			r.instruct(string(t))
		} else if r.skip == 0 && r.text {
			r.write(string(t))
		}
	}
	if r.size > utf8.UTFMax*r.w.limits.MaxChars {
		return tooMuchText(r.w.limits.MaxChars)
	}
	return nil
}

// leftOut reports whether an element is no part of the text: deleted or moved text, former
// properties, and alternative forms of other elements. A deletion among the properties of a
// paragraph or a row is about its end.
func (r *docxReader) leftOut(name xml.Name) bool {
	if name.Space != "w" {
		return leftOut(name)
	}
	switch name.Local {
	case "del":
		return len(r.inside) == 0 && !r.w.keepStruck
	case "moveFrom":
		return len(r.inside) == 0
	case "numberingChange", "rt":
		return true
	}
	return strings.HasSuffix(name.Local, "PrChange")
}

// leftOut reports whether an element is an alternative form of another.
func leftOut(name xml.Name) bool { return name.Space == "mc" && name.Local == "Fallback" }

func (r *docxReader) start(t xml.StartElement) {
	r.noted.note(t)
	if t.Name.Space == "m" {
		r.startFormula(t)
		return
	}
	if t.Name.Space != "w" {
		return
	}
	switch t.Name.Local {
	case "p":
		r.startParagraph()
	case "r":
		if p := r.paragraphOpen(); p != nil {
			p.run = docxRun{}
			p.run.take(r.styles.look(p.style))
		}
	case "t":
		r.text = true
	case "delText":
		r.text = r.deleted > 0
	case "instrText":
		r.instructed = len(r.fields) > 0
	case "fldChar", "fldSimple":
		r.startField(t)
	case "tab", "ptab":
		if len(r.inside) == 0 { // else it is where a tab stops
			r.write(" ")
		}
	case "br", "cr":
		r.write("\n")
	case "noBreakHyphen":
		r.write("-")
	case "del":
		if len(r.inside) == 0 {
			r.deleted++
		} else {
			r.property(t)
		}
	case "pPr", "rPr", "trPr", "tcPr", "tblPr", "sectPr":
		r.inside = append(r.inside, t.Name.Local)
	default:
		r.startMore(t)
	}
}

// startMore handles an element of a table, a sign or a mark.
func (r *docxReader) startMore(t xml.StartElement) {
	switch t.Name.Local {
	case "tbl":
		r.flushJoined()
		r.startTable()
	case "tr":
		r.startRow()
	case "tc":
		r.startCell(1, 1)
	case "sym":
		r.symbol(attr(t, "font"), attr(t, "char"))
	case "footnoteReference", "endnoteReference":
		if p := r.paragraphOpen(); p != nil && isOff(t, "customMarkFollows") {
			p.line.Add(script.Note, r.notes.mark(t))
		}
	default:
		r.property(t)
	}
}

// isOff reports whether an attribute that is on or off is off or missing.
func isOff(t xml.StartElement, name string) bool {
	switch attr(t, name) {
	case "", "0", "false", "off":
		return true
	}
	return false
}

// startParagraph opens a paragraph, or goes on with one whose end is deleted.
func (r *docxReader) startParagraph() {
	p := &docxParagraph{outline: -1, depth: -1}
	p.line.KeepStruck = r.w.keepStruck
	if r.joined != nil && len(r.open) == 0 {
		p.line = r.joined.line
		r.joined = nil
	} else if mark := r.notes.begin(); mark != "" {
		p.line.Add(script.Plain, mark)
	}
	r.open = append(r.open, p)
}

// paragraphOpen returns the innermost open paragraph, or nil.
func (r *docxReader) paragraphOpen() *docxParagraph {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1]
}

// symbol writes a character of a font, whose code is in hexadecimal digits.
func (r *docxReader) symbol(font, char string) {
	code, err := strconv.ParseUint(char, 16, 32)
	if err != nil || code > utf8.MaxRune {
		return
	}
	if symbol, ok := script.Symbol(font, rune(code)); ok {
		r.add(string(symbol))
	} else if !script.IsSymbolFont(font) {
		r.add(string(rune(code)))
	}
}

// property handles an element that describes the open paragraph, run, row or cell.
func (r *docxReader) property(t xml.StartElement) {
	if len(r.inside) == 0 {
		return
	}
	switch r.inside[len(r.inside)-1] {
	case "trPr":
		r.rowProperty(t)
	case "tcPr":
		r.cellProperty(t)
	}
	p := r.paragraphOpen()
	if p == nil {
		return
	}
	switch r.inside[len(r.inside)-1] {
	case "pPr":
		p.property(t)
	case "rPr":
		if len(r.inside) > 1 { // of the paragraph's end
			p.endless = p.endless || t.Name.Local == "del" || t.Name.Local == "moveFrom"
			return
		}
		p.run.property(t, r.styles)
	}
}

func (p *docxParagraph) property(t xml.StartElement) {
	switch t.Name.Local {
	case "pStyle":
		p.style = attr(t, "val")
	case "outlineLvl":
		p.outline = outlineLevel(t)
	case "numId":
		p.numbers = attr(t, "val")
	case "ilvl":
		p.depth = levelOf(t, "val")
	}
}

func (run *docxRun) property(t xml.StartElement, styles docxStyles) {
	switch t.Name.Local {
	case "rStyle":
		run.take(styles.look(attr(t, "val")))
	case "rFonts":
		run.font = attr(t, "ascii")
		if font := attr(t, "hAnsi"); script.IsSymbolFont(font) {
			run.font = font
		}
	case "strike", "dstrike":
		run.struck = isOn(t) || run.struck && t.Name.Local == "dstrike"
	case "vertAlign":
		run.height, _ = docxLook(t)
	case "position":
		if n := intAttr(t, "val", 0); n > 0 {
			run.height = script.Raised
		} else if n < 0 {
			run.height = script.Lowered
		}
	case "vanish", "webHidden":
		run.hidden = isOn(t) && t.Name.Local == "vanish"
	}
}

// docxLook returns the look that an element of properties gives to a run.
func docxLook(t xml.StartElement) (look script.Look, ok bool) {
	switch t.Name.Local {
	case "strike", "dstrike":
		if isOn(t) {
			return script.Struck, true
		}
		return script.Plain, t.Name.Local == "strike"
	case "vertAlign":
		switch attr(t, "val") {
		case "superscript":
			return script.Raised, true
		case "subscript":
			return script.Lowered, true
		}
	}
	return script.Plain, false
}

func (r *docxReader) rowProperty(t xml.StartElement) {
	switch t.Name.Local {
	case "tblHeader":
		if isOn(t) {
			r.headRow()
		}
	case "del":
		if !r.w.keepStruck {
			r.dropRow()
		}
	case "gridBefore":
		for range min(intAttr(t, "val", 0), maxCells) {
			r.startCell(1, 1)
			r.endCell()
		}
	}
}

func (r *docxReader) cellProperty(t xml.StartElement) {
	c := r.cell()
	if c == nil {
		return
	}
	switch t.Name.Local {
	case "gridSpan":
		c.columns = max(intAttr(t, "val", 1), 1)
	case "vMerge":
		c.continued = attr(t, "val") != "restart"
	}
}

func (r *docxReader) end(name xml.Name) {
	if name.Space == "m" {
		r.endFormula()
		return
	}
	if name.Space != "w" {
		return
	}
	switch name.Local {
	case "t", "delText":
		r.text = false
	case "instrText":
		r.instructed = false
	case "fldSimple":
		r.endField()
	case "p":
		if n := len(r.open); n > 0 {
			p := r.open[n-1]
			r.open = r.open[:n-1]
			if p.endless && n == 1 {
				r.joined = p
			} else {
				r.paragraph(p)
			}
		}
	case "del":
		if len(r.inside) == 0 {
			r.deleted = max(0, r.deleted-1)
		}
	case "pPr", "rPr", "trPr", "tcPr", "tblPr", "sectPr":
		r.inside = r.inside[:max(0, len(r.inside)-1)]
	case "tc":
		r.flushJoined()
		r.endCell()
	case "tr":
		r.endRow()
	case "tbl":
		r.endTable()
	}
}

// startFormula handles the beginning of an element of a formula.
func (r *docxReader) startFormula(t xml.StartElement) {
	if r.formula.reads() || t.Name.Local == "oMath" {
		r.formula.start(t)
		r.text = t.Name.Local == "t"
	}
}

func (r *docxReader) endFormula() {
	r.text = false
	if !r.formula.reads() {
		return
	}
	if line, done := r.formula.end(); done {
		if p := r.paragraphOpen(); p != nil {
			p.line.Add(script.Formula, line)
		}
	}
}

// write adds text to the open paragraph, or to the formula in it.
func (r *docxReader) write(s string) {
	if r.formula.reads() {
		r.size += len(s)
		r.formula.text(s)
		return
	}
	if p := r.paragraphOpen(); p != nil {
		r.add(script.Symbols(p.run.font, s))
	}
}

// add adds text to the open paragraph.
func (r *docxReader) add(s string) {
	p := r.paragraphOpen()
	if p == nil {
		return
	}
	r.size += len(s)
	if p.run.hidden {
		r.w.warn("Hidden text in this Word document was left out.")
		return
	}
	look := p.run.look()
	if r.deleted > 0 {
		look = script.Struck
	}
	p.line.Add(look, s)
}

// flushJoined writes a paragraph that nothing goes on with.
func (r *docxReader) flushJoined() {
	if p := r.joined; p != nil {
		r.joined = nil
		r.paragraph(p)
	}
}

// paragraph writes a finished paragraph.
func (r *docxReader) paragraph(p *docxParagraph) {
	text := p.line.String()
	if strings.TrimSpace(text) == "" || r.styles.isContents(p.style) {
		return
	}
	mark := r.mark(p)
	if table := r.table(); table != nil {
		table.add(strings.TrimPrefix(mark, "- ") + text)
		return
	}
	level := p.outline
	if level < 0 {
		level = r.styles.level(p.style)
	}
	switch {
	case level > 0:
		r.flushList()
		if level == 1 {
			r.w.name(text)
		}
		r.w.heading(level, strings.TrimPrefix(mark, "- ")+text)
	case mark != "":
		r.list = append(r.list, listItem(strings.Split(tidy(text), "\n"), mark, max(0, p.depth))...)
	default:
		r.flushList()
		r.w.paragraph(text)
	}
}

// mark counts a paragraph that is an item of a list, and returns its number or "- ".
// It is empty for any other.
func (r *docxReader) mark(p *docxParagraph) string {
	if p.numbers == "" {
		p.numbers = r.styles.list(p.style)
		if p.depth < 0 {
			p.depth = r.numbers.levelOfStyle(p.numbers, r.styles.styleOfList(p.style), r.styles)
		}
	}
	if p.numbers == "" || p.numbers == "0" {
		return ""
	}
	return r.numbers.next(p.numbers, max(0, p.depth), r.styles)
}

// A docxField is a field whose end is not read yet.
type docxField struct {
	in          *docxParagraph
	at          int // the size of the paragraph where it begins
	instruction strings.Builder
	deleted     bool
}

// startField handles a mark of a field, or a simple field, whose result it holds.
func (r *docxReader) startField(t xml.StartElement) {
	switch kind := attr(t, "fldCharType"); {
	case kind == "end":
		r.endField()
	case kind != "" && kind != "begin" || len(r.fields) == maxTables:
	default:
		f := docxField{in: r.paragraphOpen(), deleted: r.deleted > 0}
		if f.in != nil {
			f.at = f.in.line.Len()
		}
		r.fields = append(r.fields, f)
		r.instruct(attr(t, "instr"))
	}
}

// instruct adds to the instruction of the innermost field.
func (r *docxReader) instruct(s string) {
	if n := len(r.fields); n > 0 && r.fields[n-1].instruction.Len() < maxInstruction {
		r.fields[n-1].instruction.WriteString(s)
	}
}

// endField ends the innermost field. Without a result it shows what its instruction says.
func (r *docxReader) endField() {
	n := len(r.fields)
	if n == 0 {
		return
	}
	f := &r.fields[n-1]
	if p := r.paragraphOpen(); p != nil && p == f.in && p.line.Len() == f.at && !f.deleted {
		text, look := shownByField(f.instruction.String())
		if look == script.Plain {
			r.add(text)
		} else {
			p.line.Add(look, text)
		}
	}
	r.fields = r.fields[:n-1]
}

// docxNotes counts the marks of the notes of a document, and gives them to their
// texts. Footnotes have figures and endnotes small roman numbers, as in Word.
type docxNotes struct {
	marks map[string]string // by kind and id; "" for one whose mark was deleted
	count map[string]int    // by kind
	next  string            // the mark that the next paragraph begins with
}

func newDocxNotes() *docxNotes {
	return &docxNotes{marks: map[string]string{}, count: map[string]int{}}
}

// mark returns the mark of a reference to a note.
func (n *docxNotes) mark(t xml.StartElement) string {
	kind := strings.TrimSuffix(t.Name.Local, "Reference")
	key := kind + " " + attr(t, "id")
	if mark := n.marks[key]; mark != "" {
		return mark
	}
	n.count[kind]++
	mark := strconv.Itoa(n.count[kind])
	if kind == "endnote" {
		mark = lowerRoman.text(n.count[kind])
	}
	n.marks[key] = mark
	return mark
}

// dropped notes a reference in deleted text.
func (n *docxNotes) dropped(t xml.StartElement) {
	if kind, ok := strings.CutSuffix(t.Name.Local, "Reference"); ok && t.Name.Space == "w" {
		if key := kind + " " + attr(t, "id"); n.marks[key] == "" {
			n.marks[key] = ""
		}
	}
}

// note notes that a note begins. It reports false for one whose mark was deleted,
// and for the lines that part notes from the text.
func (n *docxNotes) note(t xml.StartElement) bool {
	switch attr(t, "type") {
	case "separator", "continuationSeparator", "continuationNotice":
		return false
	}
	mark, known := n.marks[t.Name.Local+" "+attr(t, "id")]
	n.next = ""
	if mark != "" {
		n.next = script.Mark(mark) + " "
	}
	return !known || mark != ""
}

// begin returns what a paragraph begins with.
func (n *docxNotes) begin() string {
	mark := n.next
	n.next = ""
	return mark
}

// isDocxNote reports whether an element is a note in the part that holds them.
func isDocxNote(name xml.Name) bool {
	return name.Space == "w" && (name.Local == "footnote" || name.Local == "endnote")
}
