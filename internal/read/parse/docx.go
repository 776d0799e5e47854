package parse

import (
	"context"
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
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive without a Word document in it.")
	}
	if err := nameByCore(ctx, w, files, "Word Document"); err != nil {
		return err
	}
	folder := main[:strings.LastIndex(main, "/")+1]
	styles, err := readStyles(ctx, files, folder+"styles.xml")
	if err != nil {
		return err
	}
	numbers, err := readNumbers(ctx, files, folder+"numbering.xml")
	if err != nil {
		return err
	}
	notes := &docxNotes{marks: map[string]string{}, count: map[string]int{}}
	for _, part := range []string{main, folder + "footnotes.xml", folder + "endnotes.xml"} {
		r := docxReader{blocks: blocks{w: w}, styles: styles, numbers: numbers, notes: notes, ctx: ctx}
		if r.objects, err = openObjects(ctx, w, files, part); err != nil {
			return err
		}
		if err := files.visit(ctx, part, visitor{whole: r.isWhole, enter: r.enter, leave: r.leave}); err != nil {
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

// nameByCore reads the title, unless a program made it up, and facts from the document's properties.
func nameByCore(ctx context.Context, w *writer, files *zipPackage, madeUp string) error {
	core, err := files.tree(ctx, "docprops/core.xml")
	title, facts := propertiesIn(core)
	if !strings.HasPrefix(title, "Microsoft Word - ") && title != madeUp {
		w.name(title)
	}
	w.know(facts)
	if err != nil {
		return err
	}
	return statesOffice(ctx, w, files)
}

// A docxReader writes the paragraphs of a part as it is visited.
type docxReader struct {
	blocks
	styles  docxStyles
	ctx     context.Context //nolint:containedctx // one part is read with it
	objects *objectWriter
	noted   objects // in the text read last
	numbers *docxNumbers
	notes   *docxNotes
	open    []*docxParagraph // paragraphs being read: text boxes are nested in others
	joined  *docxParagraph   // a paragraph whose end is deleted, so the next one continues it
	deleted int              // depth within deleted text that is kept
	fields  []docxField      // open ones, outermost first
}

type docxParagraph struct {
	line    script.Line
	style   string
	outline int // -1 until the paragraph has one
	numbers string
	depth   int // of the list that contains it; -1 until the paragraph has one
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

// take applies the look of a style.
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

// isWhole reports whether an element is properties, words or a formula, or left out.
func (r *docxReader) isWhole(e *element) bool {
	return r.leftOut(e) || e.is("w", "pPr", "rPr", "trPr", "tcPr", "t", "delText", "instrText") || e.is("m", "oMath")
}

// leftOut reports whether an element is not part of the text: deleted or moved text, and alternative forms of other
// elements.
func (r *docxReader) leftOut(e *element) bool {
	return e.is("w", "moveFrom", "rt") || e.is("w", "del") && !r.w.keepStruck || isFallback(e)
}

// isFallback reports whether an element is an alternative form of another.
func isFallback(e *element) bool { return e.is("mc", "Fallback") }

func (r *docxReader) enter(e *element) error {
	if r.leftOut(e) {
		e.walk(r.notes.drop)
		return nil
	}
	r.noted.note(e)
	p := r.paragraphOpen()
	switch {
	case e.is("m", "oMath"):
		if line := e.formula(); p != nil {
			r.size += len(line)
			p.line.Add(script.Formula, line)
		}
	case e.space == "w":
		if err := r.enterWord(e, p); err != nil {
			return err
		}
	}
	return r.over()
}

// enterWord begins an element of Word, within a paragraph or nil.
func (r *docxReader) enterWord(e *element, p *docxParagraph) error {
	switch e.name {
	case "p":
		r.startParagraph()
	case "tbl":
		if len(r.tables) == maxTables {
			return errSkip
		}
		r.flushJoined()
		r.startTable()
	case "tr":
		r.startRow()
	case "trPr":
		r.rowProperties(e)
	case "tc":
		r.startCell(1, 1)
	case "tcPr":
		if c := r.cell(); c != nil {
			c.columns = max(e.kid("gridSpan").int("val", 1), 1)
			c.continued = e.kid("vMerge").name != "" && e.kid("vMerge").attr("val") != "restart"
		}
	case "footnote", "endnote":
		if !r.notes.note(e) {
			return errSkip
		}
	case "tblPr", "sectPr", "sectPrChange", "tblPrChange", "tblGrid":
		return errSkip
	case "fldChar", "fldSimple":
		r.startField(e)
	case "instrText":
		r.instruct(e.words())
	case "del":
		r.deleted++
	default:
		if p != nil {
			r.inline(e, p)
		}
	}
	return nil
}

// inline reads an element of a paragraph.
func (r *docxReader) inline(e *element, p *docxParagraph) {
	switch e.name {
	case "pPr":
		p.properties(e)
	case "r":
		p.run = docxRun{}
		p.run.take(r.styles.look(p.style))
	case "rPr":
		for _, kid := range e.kids {
			p.run.property(kid, r.styles)
		}
	case "t":
		r.write(e.words())
	case "delText":
		if r.deleted > 0 {
			r.write(e.words())
		}
	case "tab", "ptab":
		r.write(" ")
	case "br", "cr":
		r.write("\n")
	case "noBreakHyphen":
		r.write("-")
	case "sym":
		r.symbol(e.attr("font"), e.attr("char"))
	case "footnoteReference", "endnoteReference":
		if isOff(e, "customMarkFollows") {
			p.line.Add(script.Note, r.notes.mark(e))
		}
	}
}

// isOff reports whether an attribute that is on or off is off or missing.
func isOff(e *element, name string) bool { return e.attr(name) == "" || !e.on(name) }

func (r *docxReader) leave(e *element) error {
	if e.space == "w" {
		r.leaveWord(e)
	}
	if len(r.noted.ids) > 0 && len(r.open) == 0 && len(r.tables) == 0 {
		r.flushList()
		return r.objects.write(r.ctx, &r.noted)
	}
	return nil
}

func (r *docxReader) leaveWord(e *element) {
	switch e.name {
	case "fldSimple":
		r.endField()
	case "p":
		n := len(r.open) - 1
		p := r.open[n]
		r.open = r.open[:n]
		if p.endless && n == 0 {
			r.joined = p
		} else {
			r.paragraph(p)
		}
	case "del":
		r.deleted--
	case "tc":
		r.flushJoined()
		r.endCell()
	case "tr":
		r.endRow()
	case "tbl":
		r.endTable()
	}
}

// startParagraph opens a paragraph, or continues one whose end is deleted.
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

// properties reads a paragraph's properties.
func (p *docxParagraph) properties(e *element) {
	e.walk(func(e *element) bool {
		switch e.name {
		case "rPr": // of the paragraph's end
			p.endless = p.endless || e.kid("del").name != "" || e.kid("moveFrom").name != ""
			return false
		case "pPrChange", "numberingChange", "sectPr":
			return false
		case "pStyle":
			p.style = e.attr("val")
		case "outlineLvl":
			p.outline = outlineLevel(e)
		case "numId":
			p.numbers = e.attr("val")
		case "ilvl":
			p.depth = levelOf(e, "val")
		}
		return true
	})
}

func (run *docxRun) property(e *element, styles docxStyles) {
	switch e.name {
	case "rStyle":
		run.take(styles.look(e.attr("val")))
	case "rFonts":
		run.font = e.attr("ascii")
		if font := e.attr("hAnsi"); script.IsSymbolFont(font) {
			run.font = font
		}
	case "strike", "dstrike":
		run.struck = e.on("val") || run.struck && e.name == "dstrike"
	case "vertAlign":
		run.height, _ = docxLook(e)
	case "position":
		if n := e.int("val", 0); n > 0 {
			run.height = script.Raised
		} else if n < 0 {
			run.height = script.Lowered
		}
	case "vanish", "webHidden":
		run.hidden = e.on("val") && e.name == "vanish"
	}
}

// docxLook returns the look that an element of properties gives to a run.
func docxLook(e *element) (look script.Look, ok bool) {
	switch e.name {
	case "strike", "dstrike":
		if e.on("val") {
			return script.Struck, true
		}
		return script.Plain, e.name == "strike"
	case "vertAlign":
		switch e.attr("val") {
		case "superscript":
			return script.Raised, true
		case "subscript":
			return script.Lowered, true
		}
	}
	return script.Plain, false
}

func (r *docxReader) rowProperties(e *element) {
	for _, kid := range e.kids {
		switch kid.name {
		case "tblHeader":
			if kid.on("val") {
				r.headRow()
			}
		case "del":
			if !r.w.keepStruck {
				r.dropRow()
			}
		case "gridBefore":
			for range min(kid.int("val", 0), maxCells) {
				r.startCell(1, 1)
				r.endCell()
			}
		}
	}
}

// write adds words in the font of their run to the open paragraph.
func (r *docxReader) write(s string) {
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

// flushJoined writes a paragraph that nothing continues.
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
	mark, level := r.mark(p), p.outline
	if level < 0 && r.table() == nil {
		level = r.styles.level(p.style)
	}
	r.put(level, mark, text, max(0, p.depth))
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

// A docxField is an unfinished field.
type docxField struct {
	in          *docxParagraph
	at          int // length of the paragraph where it begins
	instruction strings.Builder
	deleted     bool
}

// startField handles a mark of a field, or a simple field, whose result it holds.
func (r *docxReader) startField(e *element) {
	switch kind := e.attr("fldCharType"); {
	case kind == "end":
		r.endField()
	case kind != "" && kind != "begin" || len(r.fields) == maxTables:
	default:
		f := docxField{in: r.paragraphOpen(), deleted: r.deleted > 0}
		if f.in != nil {
			f.at = f.in.line.Len()
		}
		r.fields = append(r.fields, f)
		r.instruct(e.attr("instr"))
	}
}

// instruct adds to the instruction of the innermost field.
func (r *docxReader) instruct(s string) {
	if n := len(r.fields); n > 0 && r.fields[n-1].instruction.Len() < maxInstruction {
		r.fields[n-1].instruction.WriteString(s)
	}
}

// endField ends the innermost field. Without a result it shows its instruction's text.
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
	marks map[string]string // by kind and id; "" if the mark was deleted
	count map[string]int    // by kind
	next  string            // the mark that the next paragraph begins with
}

// mark returns the mark of a reference to a note.
func (n *docxNotes) mark(e *element) string {
	kind := strings.TrimSuffix(e.name, "Reference")
	key := kind + " " + e.attr("id")
	if mark := n.marks[key]; mark != "" {
		return mark
	}
	n.count[kind]++
	mark := strconv.Itoa(n.count[kind])
	if kind == "endnote" {
		mark = script.LowerRoman.Text(n.count[kind])
	}
	n.marks[key] = mark
	return mark
}

// drop records an element of deleted text, which may refer to a note.
func (n *docxNotes) drop(e *element) bool {
	if kind, ok := strings.CutSuffix(e.name, "Reference"); ok && e.space == "w" {
		if key := kind + " " + e.attr("id"); n.marks[key] == "" {
			n.marks[key] = ""
		}
	}
	return true
}

// note records the start of a note. It returns false for one whose mark was deleted, and for the separators between notes
// and text.
func (n *docxNotes) note(e *element) bool {
	switch e.attr("type") {
	case "separator", "continuationSeparator", "continuationNotice":
		return false
	}
	mark, known := n.marks[e.name+" "+e.attr("id")]
	n.next = ""
	if mark != "" {
		n.next = script.Mark(mark) + " "
	}
	return !known || mark != ""
}

// begin returns the beginning of a paragraph.
func (n *docxNotes) begin() string {
	mark := n.next
	n.next = ""
	return mark
}
