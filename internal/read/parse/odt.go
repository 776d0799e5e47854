package parse

import (
	"context"
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readODT reads an OpenDocument text (ISO/IEC 26300): headings, paragraphs,
// lists, tables, and then the notes behind their marks. It leaves out comments,
// deleted text and tables of contents.
func readODT(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "OpenDocument text", maxExpanded)
	if err != nil {
		return err
	}
	if !files.has("content.xml") {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no OpenDocument text in it.")
	}
	meta := newProperties()
	if err := files.each(ctx, "meta.xml", meta.token); err != nil {
		return err
	}
	w.name(meta.title())
	w.know(meta.facts())
	r := odtReader{blocks: blocks{w: w}, ctx: ctx, files: files, styles: newODTStyles(), counts: map[string]int{}}
	for _, part := range []string{"styles.xml", "content.xml"} {
		if err := files.each(ctx, part, r.styles.token); err != nil {
			return err
		}
	}
	if err := files.each(ctx, "content.xml", r.token); err != nil {
		return err
	}
	r.flushList()
	for _, note := range r.notes {
		w.paragraph(note)
	}
	if err := r.writeObjects(ctx, files); err != nil {
		return err
	}
	running := runningText{}
	if err := running.ofODT(ctx, files); err != nil {
		return err
	}
	running.warn(w, "text")
	return nil
}

// writeObjects adds the charts of a text, as their title and table, and those of other texts in it.
func (r *odtReader) writeObjects(ctx context.Context, files *zipPackage) error {
	left := 0
	for _, folder := range r.objects {
		part := folder + "/content.xml"
		if !files.has(part) {
			left++
			continue
		}
		object := odtReader{blocks: blocks{w: r.w}, ctx: ctx, files: files, styles: newODTStyles(), counts: map[string]int{}}
		if err := files.each(ctx, part, object.token); err != nil {
			return err
		}
		object.flushList()
	}
	if left > 0 {
		r.w.warn(fmt.Sprintf("%s in this text could not be read and were left out.", domain.Counted(left, "object", "objects")))
	}
	return nil
}

// An odtReader writes paragraphs as it reads the tokens of a text.
type odtReader struct {
	blocks
	ctx     context.Context
	files   *zipPackage
	styles  *odtStyles
	open    []*odtParagraph // paragraphs being read: a note stands within another
	lists   []odtList       // open, the outermost first
	objects []string        // folders of charts and other objects
	counts  map[string]int  // the last number of the lists of a style
	titles  [odtLevels]int  // the numbers of headings
	fresh   bool            // an item has begun, and its mark is not written yet
	head    bool            // the rows name columns
	skip    int
	size    int

	note     int // depth of notes
	citation bool
	mark     string   // of the note being read
	notes    []string // read so far
	formulas int

	formula  formulaReader     // that stands in the text itself
	repeated int               // places of the open cell
	changes  bool              // the list of changes is read
	change   string            // whose deleted text is read
	deleted  map[string]string // texts of deletions by their ids
}

type odtParagraph struct {
	line  script.Line
	level int       // of a heading
	looks []odtLook // of the paragraph and of the spans that are open
}

// An odtList is a list whose end is not read yet.
type odtList struct {
	style  string
	number int
}

func (r *odtReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch {
		case r.skip > 0:
		case r.formula.reads(), t.Name.Local == "math":
			r.formula.start(t)
			return nil
		case t.Name.Local == "tracked-changes" && r.w.keepStruck:
			r.changes = true
			return nil
		case r.changes:
			r.startChange(t)
			return nil
		}
		if r.skip > 0 || odtLeftOut(t.Name) || t.Name.Local == "table" && len(r.tables) == maxTables {
			r.skip++
			return nil
		}
		if err := r.start(t); err != nil {
			return err
		}
	case xml.EndElement:
		if r.skip > 0 {
			r.skip--
			return nil
		}
		r.close(t.Name)
	case xml.CharData:
		switch s := string(t); {
		case r.skip > 0:
		case r.formula.reads():
			if s = strings.TrimSpace(s); s != "" {
				r.size += len(s)
				r.formula.text(s)
			}
		case r.changes:
			r.changed(flow(s))
		default:
			r.write(flow(s))
		}
	}
	if r.size > utf8.UTFMax*r.w.limits.MaxChars {
		return tooMuchText(r.w.limits.MaxChars)
	}
	return nil
}

// odtLeftOut reports whether an element is no part of the text.
func odtLeftOut(name xml.Name) bool {
	switch name.Local {
	case "tracked-changes", "table-of-content", "alphabetical-index", "covered-table-cell":
		return true
	case "annotation":
		return name.Space == "office"
	case "desc", "title":
		return name.Space != "chart"
	}
	return false
}

func (r *odtReader) start(t xml.StartElement) error {
	switch t.Name.Space + ":" + t.Name.Local {
	case "text:p":
		r.startParagraph(t, 0)
	case "text:h":
		r.startParagraph(t, min(odtCount(t, "outline-level"), 9))
	case "text:span":
		if p := r.paragraphOpen(); p != nil {
			look := r.styles.of("text", attr(t, "style-name"))
			outer := p.looks[len(p.looks)-1]
			if look.look = firstLook(outer.look, look.look); look.font == "" {
				look.font = outer.font
			}
			p.looks = append(p.looks, look)
		}
	case "text:s":
		r.write(strings.Repeat(" ", min(odtCount(t, "c"), 100)))
	case "text:tab":
		r.write(" ")
	case "text:line-break":
		r.write("\n")
	case "text:ruby-text":
		r.write("(")
	case "text:change":
		if p, gone := r.paragraphOpen(), r.deleted[attr(t, "change-id")]; p != nil {
			p.line.Add(script.Struck, gone)
		}
	case "drawing:object", "drawing:object-ole":
		if href := attr(t, "href"); href != "" {
			return r.object(href)
		}
	default:
		r.startMore(t)
	}
	return nil
}

// startMore handles an element of a note, a list or a table.
func (r *odtReader) startMore(t xml.StartElement) {
	name := t.Name.Space + ":" + t.Name.Local
	switch name {
	case "text:note":
		r.note++
		r.mark = ""
	case "text:note-citation":
		r.citation = true
	}
	if r.note > 0 {
		return // lists and tables of a note are paragraphs
	}
	switch name {
	case "text:list":
		r.startList(t)
	case "text:list-item":
		r.startItem(t)
	case "table:table":
		r.startTable()
	case "table:table-header-rows":
		r.head = true
	case "table:table-row":
		r.startRow()
		if r.head {
			r.headRow()
		}
	case "table:table-cell":
		r.startCell(odtCount(t, "number-columns-spanned"), odtCount(t, "number-rows-spanned"))
		r.repeated = min(odtCount(t, "number-columns-repeated"), maxCells)
	}
}

// odtCount returns a number of columns or the like, which is 1 if it is missing.
func odtCount(t xml.StartElement, name string) int { return max(intAttr(t, name, 1), 1) }

func (r *odtReader) startParagraph(t xml.StartElement, level int) {
	p := &odtParagraph{level: level, looks: []odtLook{r.styles.of("paragraph", attr(t, "style-name"))}}
	p.line.KeepStruck = r.w.keepStruck
	r.open = append(r.open, p)
}

// startList opens a list, which may go on counting where another one ended.
func (r *odtReader) startList(t xml.StartElement) {
	l := odtList{style: attr(t, "style-name")}
	if n := len(r.lists); l.style == "" && n > 0 {
		l.style = r.lists[n-1].style
	}
	l.number = r.styles.startOf(l.style, len(r.lists)) - 1
	if attr(t, "continue-numbering") == "true" || attr(t, "continue-list") != "" {
		if last, ok := r.counts[l.style+" "+strconv.Itoa(len(r.lists))]; ok {
			l.number = last
		}
	}
	r.lists = append(r.lists, l)
}

func (r *odtReader) startItem(t xml.StartElement) {
	r.fresh = true
	n := len(r.lists)
	if n == 0 {
		return
	}
	l := &r.lists[n-1]
	l.number = intAttr(t, "start-value", l.number+1)
	if n <= odtLevels {
		r.counts[l.style+" "+strconv.Itoa(n-1)] = l.number
	}
}

func (r *odtReader) end(name xml.Name) {
	switch name.Space + ":" + name.Local {
	case "text:p", "text:h":
		if n := len(r.open); n > 0 {
			p := r.open[n-1]
			r.open = r.open[:n-1]
			r.paragraph(p.line.String(), p.level)
		}
	case "text:span":
		if p := r.paragraphOpen(); p != nil && len(p.looks) > 1 {
			p.looks = p.looks[:len(p.looks)-1]
		}
	case "text:ruby-text":
		r.write(")")
	case "text:note-citation":
		r.citation = false
		if p := r.paragraphOpen(); p != nil {
			p.line.Add(script.Note, r.mark)
		}
	case "text:note":
		r.note = max(0, r.note-1)
	}
	if r.note > 0 {
		return
	}
	switch name.Space + ":" + name.Local {
	case "text:list":
		r.lists = r.lists[:max(0, len(r.lists)-1)]
	case "table:table-header-rows":
		r.head = false
	case "table:table-cell":
		r.endRepeated()
	case "table:table-row":
		r.endRow()
	case "table:table":
		r.endTable()
	}
}

// paragraphOpen returns the innermost open paragraph, or nil.
func (r *odtReader) paragraphOpen() *odtParagraph {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1]
}

func (r *odtReader) write(s string) {
	if r.citation {
		r.mark = shorten(r.mark+s, maxLevelText)
		return
	}
	if p := r.paragraphOpen(); p != nil {
		r.size += len(s)
		look := p.looks[len(p.looks)-1]
		p.line.Add(look.look, script.Symbols(look.font, s))
	}
}

// object adds a formula, which is a part of its own, and notes any other object for writeObjects.
func (r *odtReader) object(href string) error {
	p, folder := r.paragraphOpen(), partName(strings.TrimPrefix(href, "./"))
	if r.formulas++; r.formulas > maxFormulas {
		return nil
	}
	var f formulaReader
	found := false
	err := r.files.each(r.ctx, folder+"/content.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			if f.reads() || t.Name.Local == "math" {
				f.start(t)
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(t)); s != "" {
				f.text(s)
			}
		case xml.EndElement:
			if f.reads() {
				if line, done := f.end(); done {
					found = true
					r.size += len(line)
					if p != nil {
						p.line.Add(script.Formula, line)
					}
				}
			}
		}
		return nil
	})
	if !found && len(r.objects) < maxObjects {
		r.objects = append(r.objects, folder)
	}
	return err
}

// paragraph writes a finished paragraph.
func (r *odtReader) paragraph(text string, level int) {
	switch table := r.table(); {
	case strings.TrimSpace(text) == "":
	case r.note > 0:
		if r.mark != "" {
			text = script.NoteText(r.mark, text)
			r.mark = ""
		}
		r.notes = append(r.notes, text)
	case table != nil:
		if r.fresh {
			text = strings.TrimPrefix(r.number(), "- ") + text
			r.fresh = false
		}
		table.add(text)
	case level > 0:
		r.flushList()
		if level == 1 {
			r.w.name(text)
		}
		r.w.heading(level, r.title(level)+text)
	case len(r.lists) > 0:
		mark := "  "
		if r.fresh {
			mark = r.number()
		}
		r.fresh = false
		r.list = append(r.list, listItem(strings.Split(tidy(text), "\n"), mark, min(len(r.lists)-1, 8))...)
	default:
		r.flushList()
		r.w.paragraph(text)
	}
}

// number returns the number of the open item, or "- ".
func (r *odtReader) number() string {
	if len(r.lists) == 0 {
		return "- "
	}
	counts := make([]int, 0, odtLevels)
	for _, l := range r.lists[:min(len(r.lists), odtLevels)] {
		counts = append(counts, l.number)
	}
	return r.styles.mark(r.lists[len(r.lists)-1].style, counts)
}

// title counts a heading and returns its number, or "".
func (r *odtReader) title(level int) string {
	if r.titles[level-1] == 0 {
		r.titles[level-1] = r.styles.startOf("", level-1) - 1
	}
	r.titles[level-1]++
	clear(r.titles[level:])
	return strings.TrimPrefix(r.styles.mark("", r.titles[:level]), "- ")
}

// close handles the end of an element.
func (r *odtReader) close(name xml.Name) {
	switch {
	case r.formula.reads():
		if line, done := r.formula.end(); done {
			if p := r.paragraphOpen(); p != nil {
				p.line.Add(script.Formula, line)
			}
		}
	case r.changes:
		switch name.Local {
		case "tracked-changes":
			r.changes = false
		case "p", "h":
			r.changed(" ")
		case "deletion":
			r.change = ""
		}
	default:
		r.end(name)
	}
}

// startChange handles an element of the list of changes, of which deleted text is kept.
func (r *odtReader) startChange(t xml.StartElement) {
	switch t.Name.Local {
	case "changed-region":
		r.change = ""
		if len(r.deleted) < maxParts {
			r.change = attr(t, "id")
		}
	case "change-info":
		r.skip++
	case "insertion", "format-change":
		r.change = ""
	}
}

func (r *odtReader) changed(s string) {
	if r.change == "" || strings.TrimSpace(s) == "" && r.deleted[r.change] == "" {
		return
	}
	if r.deleted == nil {
		r.deleted = make(map[string]string)
	}
	r.size += len(s)
	r.deleted[r.change] += s
}

// endRepeated ends a cell, which may stand in several places beside one another.
func (r *odtReader) endRepeated() {
	c := r.cell()
	if c == nil {
		return
	}
	text, columns, rows := c.text.String(), c.columns, c.rows
	r.endCell()
	for range r.repeated - 1 {
		r.startCell(columns, rows)
		r.table().add(text)
		r.endCell()
	}
	r.repeated = 1
}

// odtStyles are the styles of an OpenDocument text: how words look, by family and
// name, and how lists are numbered, by name. The list of headings has no name.
type odtStyles struct {
	looks map[string]odtLook
	lists map[string]*[odtLevels]odtLevel

	look string // the key of the style that is read
	list *[odtLevels]odtLevel
}

// odtLevels is how deep lists can be.
const odtLevels = 10

type odtLook struct {
	look   script.Look
	font   string
	parent string // key of the style it builds on
}

// An odtLevel is how a level of a list is numbered; its items are not if it has no
// format.
type odtLevel struct {
	format         string
	prefix, suffix string
	shown          int // levels that a number shows
	start          int
}

func newODTStyles() *odtStyles {
	return &odtStyles{looks: map[string]odtLook{}, lists: map[string]*[odtLevels]odtLevel{}}
}

func (s *odtStyles) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		s.start(t)
	case xml.EndElement:
		switch t.Name.Local {
		case "style":
			s.look = ""
		case "list-style", "outline-style":
			s.list = nil
		}
	}
	return nil
}

func (s *odtStyles) start(t xml.StartElement) {
	switch t.Name.Local {
	case "style":
		if len(s.looks) < maxStyles {
			family := attr(t, "family") + " "
			s.look = family + attr(t, "name")
			look := odtLook{}
			if parent := attr(t, "parent-style-name"); parent != "" {
				look.parent = family + parent
			}
			s.looks[s.look] = look
		}
	case "text-properties":
		if s.look != "" {
			look := s.looks[s.look]
			look.read(t)
			s.looks[s.look] = look
		}
	case "list-style", "outline-style":
		if len(s.lists) < maxStyles {
			name := ""
			if t.Name.Local == "list-style" {
				name = attr(t, "name")
			}
			s.list = &[odtLevels]odtLevel{}
			s.lists[name] = s.list
		}
	case "list-level-style-number", "outline-level-style":
		s.level(t)
	}
}

// level reads a level of a list.
func (s *odtStyles) level(t xml.StartElement) {
	number := intAttr(t, "level", 0)
	if s.list == nil || number < 1 || number > odtLevels {
		return
	}
	s.list[number-1] = odtLevel{
		format: attr(t, "num-format"), prefix: shorten(attr(t, "num-prefix"), maxLevelText), suffix: shorten(attr(t, "num-suffix"), maxLevelText),
		shown: intAttr(t, "display-levels", 1), start: intAttr(t, "start-value", 1),
	}
}

var textPosition = regexp.MustCompile(`^\s*(super|sub|-?\d+(?:\.\d+)?)`)

// read takes over what an element says about words.
func (l *odtLook) read(t xml.StartElement) {
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "text-line-through-style", "text-line-through-type":
			if a.Value != "none" {
				l.look = script.Struck
			}
		case "text-position":
			l.position(a.Value)
		case "font-name", "font-family":
			if script.IsSymbolFont(a.Value) {
				l.font = a.Value
			}
		}
	}
}

func (l *odtLook) position(val string) {
	m := textPosition.FindStringSubmatch(val)
	if m == nil || l.look == script.Struck {
		return
	}
	height, err := strconv.ParseFloat(m[1], 64)
	switch {
	case m[1] == "super", err == nil && height > 0:
		l.look = script.Raised
	case m[1] == "sub", err == nil && height < 0:
		l.look = script.Lowered
	}
}

// of returns the look of a style of a family.
func (s *odtStyles) of(family, name string) odtLook {
	key, found := family+" "+name, odtLook{}
	for range maxStyleChain {
		look, known := s.looks[key]
		if !known {
			break
		}
		found.look = firstLook(found.look, look.look)
		if found.font == "" {
			found.font = look.font
		}
		key = look.parent
	}
	return found
}

// mark returns the number of an item that is the last of the counts of its levels,
// or "- ".
func (s *odtStyles) mark(list string, counts []int) string {
	levels := s.lists[list]
	depth := min(len(counts), odtLevels)
	if levels == nil || depth == 0 || levels[depth-1].format == "" {
		return "- "
	}
	own := levels[depth-1]
	var numbers []string
	for i := max(0, depth-max(own.shown, 1)); i < depth; i++ {
		if levels[i].format != "" {
			numbers = append(numbers, numberingOf(levels[i].format).text(counts[i]))
		}
	}
	return tidyLine(own.prefix+strings.Join(numbers, ".")+own.suffix) + " "
}

// startOf returns the first number of a level of a list.
func (s *odtStyles) startOf(list string, level int) int {
	if levels := s.lists[list]; levels != nil && level < odtLevels && levels[level].format != "" {
		return levels[level].start
	}
	return 1
}
