package parse

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive without an OpenDocument text in it.")
	}
	meta, err := files.tree(ctx, "meta.xml")
	if err != nil {
		return err
	}
	title, facts := propertiesIn(meta)
	w.name(title)
	w.know(facts)
	statesElements(w, meta)
	r := odtReader{blocks: blocks{w: w}, ctx: ctx, files: files, styles: newODTStyles(), counts: map[string]int{}, deleted: map[string]string{}}
	for _, part := range []string{"styles.xml", "content.xml"} {
		if err := files.eachWhole(ctx, part, []string{"style", "list-style", "outline-style"}, r.styles.add); err != nil {
			return err
		}
	}
	if err := r.read("content.xml"); err != nil {
		return err
	}
	for _, note := range r.notes {
		w.paragraph(note)
	}
	if err := r.writeObjects(); err != nil {
		return err
	}
	running := runningText{}
	if err := running.ofODT(ctx, files); err != nil {
		return err
	}
	running.warn(w, "text")
	return nil
}

// read reads a part with a text.
func (r *odtReader) read(part string) error {
	err := r.files.visit(r.ctx, part, visitor{
		whole: func(e *element) bool {
			return e.name == "math" || e.is("text", "note-citation") || isFrameText(e) || r.w.keepStruck && e.name == "changed-region"
		},
		enter: r.enter,
		leave: r.leave,
	})
	r.flushList()
	r.flushFrames()
	return err
}

// isFrameText reports whether an element is the alternative text of a frame, which may contain a picture.
func isFrameText(e *element) bool {
	return (e.name == "desc" || e.name == "title") && e.space == "svg-compatible"
}

// writeObjects adds the charts of a text, as their title and table, and those of other texts in it.
func (r *odtReader) writeObjects() error {
	left := 0
	for _, folder := range r.objects {
		part := folder + "/content.xml"
		if !r.files.has(part) {
			left++
			continue
		}
		object := odtReader{blocks: blocks{w: r.w}, ctx: r.ctx, files: r.files, styles: newODTStyles(), counts: map[string]int{}}
		if err := object.read(part); err != nil {
			return err
		}
	}
	if left > 0 {
		r.w.warn(fmt.Sprintf("%s in this text could not be read and were left out.", domain.Counted(left, "object", "objects")))
	}
	return nil
}

// An odtReader writes the paragraphs of a text as it is visited.
type odtReader struct {
	blocks
	ctx     context.Context //nolint:containedctx // one text is read with it
	files   *zipPackage
	styles  *odtStyles
	open    []*odtParagraph // paragraphs being read: notes are nested in others
	lists   []odtList       // open ones, outermost first
	objects []string        // folders of charts and other objects
	counts  map[string]int  // the last number of the lists of a style
	titles  [odtLevels]int  // the numbers of headings
	fresh   bool            // an item has begun, and its mark is not written yet
	head    bool            // the rows name columns

	note     int      // depth of notes
	mark     string   // of the note being read
	notes    []string // read so far
	formulas int
	repeated int               // places covered by the open cell
	deleted  map[string]string // texts of deletions by their ids

	frames []odtFrame // with pictures that are not written yet
}

// An odtFrame is a part with a picture, and its alternative text.
type odtFrame struct{ part, alt string }

// frame notes a picture. An object has one of itself, and a drawing in SVG a second one behind it that is read.
func (r *odtReader) frame(part string) {
	if len(r.frames) < maxObjects && r.note == 0 && !strings.HasPrefix(part, "objectreplacements/") && path.Ext(part) != ".svg" {
		r.frames = append(r.frames, odtFrame{part: part})
	}
}

// flushFrames adds the pictures of frames.
func (r *odtReader) flushFrames() {
	frames := r.frames
	r.frames = nil
	for _, f := range frames {
		r.w.shows(r.files.picture(f.part), f.alt)
	}
}

type odtParagraph struct {
	line  script.Line
	level int       // of a heading
	looks []odtLook // of the paragraph and the open spans
}

// An odtList is an unfinished list.
type odtList struct {
	style  string
	number int
}

func (r *odtReader) enter(e *element) error {
	switch e.space + ":" + e.name {
	case ":": // text
		r.write(flow(e.text))
	case "text:p":
		r.startParagraph(e, 0)
	case "text:h":
		r.startParagraph(e, min(countIn(e, "outline-level"), 9))
	case "text:span":
		if p := r.paragraphOpen(); p != nil {
			p.looks = append(p.looks, p.looks[len(p.looks)-1].with(r.styles.of("text", e.attr("style-name"))))
		}
	case "text:s":
		r.write(strings.Repeat(" ", min(countIn(e, "c"), 100)))
	case "text:tab":
		r.write(" ")
	case "text:line-break":
		r.write("\n")
	case "text:ruby-text":
		r.write("(")
	case "text:change":
		r.add(script.Struck, r.deleted[e.attr("change-id")])
	case "text:changed-region":
		r.change(e)
	case "drawing:object", "drawing:object-ole":
		if href := e.attr("href"); href != "" {
			return r.object(href)
		}
	case "drawing:image":
		r.frame(partName(strings.TrimPrefix(e.attr("href"), "./")))
	case "office:annotation", "text:table-of-content", "text:alphabetical-index", "table:covered-table-cell":
		return errSkip
	case "text:tracked-changes":
		if !r.w.keepStruck {
			return errSkip
		}
	default:
		if isFrameText(e) {
			if n := len(r.frames); n > 0 && r.frames[n-1].alt == "" {
				r.frames[n-1].alt = e.words()
			}
			return errSkip
		}
		if e.name == "math" {
			r.add(script.Formula, e.formula())
			break
		}
		return r.enterBlock(e)
	}
	return r.over()
}

// enterBlock begins an element of a note, a list or a table.
func (r *odtReader) enterBlock(e *element) error {
	name := e.space + ":" + e.name
	switch name {
	case "text:note":
		r.note++
		r.mark = ""
	case "text:note-citation":
		r.mark = shorten(flow(e.words()), maxLevelText)
		r.add(script.Note, r.mark)
	}
	switch {
	case (e.name == "desc" || e.name == "title") && e.space != "chart", name == "table:table" && len(r.tables) == maxTables:
		return errSkip
	case r.note > 0: // lists and tables in a note are paragraphs
		return nil
	}
	switch name {
	case "text:list":
		r.startList(e)
	case "text:list-item":
		r.startItem(e)
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
		r.startCell(countIn(e, "number-columns-spanned"), countIn(e, "number-rows-spanned"))
		r.repeated = min(countIn(e, "number-columns-repeated"), maxCells)
	}
	return nil
}

// countIn returns a number of columns or the like, which is 1 if it is missing.
func countIn(e *element, name string) int { return max(e.int(name, 1), 1) }

func (r *odtReader) startParagraph(e *element, level int) {
	p := &odtParagraph{level: level, looks: []odtLook{r.styles.of("paragraph", e.attr("style-name"))}}
	p.line.KeepStruck = r.w.keepStruck
	r.open = append(r.open, p)
}

// startList opens a list, which may continue another's numbering.
func (r *odtReader) startList(e *element) {
	l := odtList{style: e.attr("style-name")}
	if n := len(r.lists); l.style == "" && n > 0 {
		l.style = r.lists[n-1].style
	}
	l.number = r.styles.startOf(l.style, len(r.lists)) - 1
	if e.attr("continue-numbering") == "true" || e.attr("continue-list") != "" {
		if last, ok := r.counts[l.style+" "+strconv.Itoa(len(r.lists))]; ok {
			l.number = last
		}
	}
	r.lists = append(r.lists, l)
}

func (r *odtReader) startItem(e *element) {
	r.fresh = true
	n := len(r.lists)
	if n == 0 {
		return
	}
	l := &r.lists[n-1]
	l.number = e.int("start-value", l.number+1)
	if n <= odtLevels {
		r.counts[l.style+" "+strconv.Itoa(n-1)] = l.number
	}
}

func (r *odtReader) leave(e *element) error {
	name := e.space + ":" + e.name
	switch name {
	case "text:p", "text:h":
		p := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		r.paragraph(p.line.String(), p.level)
	case "text:span":
		if p := r.paragraphOpen(); p != nil && len(p.looks) > 1 {
			p.looks = p.looks[:len(p.looks)-1]
		}
	case "text:ruby-text":
		r.write(")")
	case "text:note":
		r.note--
	}
	if r.note > 0 {
		return nil
	}
	switch name {
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
	if len(r.frames) > 0 && name != "drawing:frame" && len(r.lists) == 0 && r.table() == nil && !strings.HasPrefix(name, "drawing:") {
		r.flushList()
		r.flushFrames()
	}
	return nil
}

// paragraphOpen returns the innermost open paragraph, or nil.
func (r *odtReader) paragraphOpen() *odtParagraph {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1]
}

func (r *odtReader) write(s string) {
	if p := r.paragraphOpen(); p != nil {
		look := p.looks[len(p.looks)-1]
		r.add(look.look, script.Symbols(look.font, s))
	}
}

// add adds a run to the open paragraph.
func (r *odtReader) add(look script.Look, s string) {
	if p := r.paragraphOpen(); p != nil {
		r.size += len(s)
		p.line.Add(look, s)
	}
}

// object adds a formula, which is a separate part, and notes any other object for writeObjects.
func (r *odtReader) object(href string) error {
	if r.formulas++; r.formulas > maxFormulas {
		return nil
	}
	folder, found := partName(strings.TrimPrefix(href, "./")), false
	err := r.files.eachWhole(r.ctx, folder+"/content.xml", []string{"math"}, func(e *element) {
		found = true
		r.add(script.Formula, e.formula())
	})
	if !found && len(r.objects) < maxObjects {
		r.objects = append(r.objects, folder)
	}
	return err
}

// paragraph writes a finished paragraph.
func (r *odtReader) paragraph(text string, level int) {
	mark, table, depth := "", r.table() != nil, min(len(r.lists)-1, 8)
	switch {
	case strings.TrimSpace(text) == "":
		return
	case r.note > 0:
		if r.mark != "" {
			text = script.NoteText(r.mark, text)
			r.mark = ""
		}
		r.notes = append(r.notes, text)
		return
	case level > 0 && !table:
		mark = r.title(level)
	case r.fresh && (table || depth >= 0):
		mark, r.fresh = r.number(), false
	case depth >= 0 && !table:
		mark = "  "
	}
	r.put(level, mark, text, depth)
}

// number returns the number of the open item, or "- ".
func (r *odtReader) number() string {
	if len(r.lists) == 0 {
		return "- "
	}
	counts := lists.Map(r.lists[:min(len(r.lists), odtLevels)], func(l odtList) int { return l.number })
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

// change stores the text of a deletion.
func (r *odtReader) change(e *element) {
	deletion := e.kid("deletion")
	if deletion.name == "" || len(r.deleted) == maxParts {
		return
	}
	var b strings.Builder
	for _, kid := range deletion.kids {
		if words := flow(kid.words()); kid.name != "change-info" && strings.TrimSpace(words) != "" {
			b.WriteString(words + " ")
		}
	}
	r.size += b.Len()
	r.deleted[e.attr("id")] = b.String()
}

// endRepeated ends a cell, which may be repeated in several adjacent places.
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
}

// odtLevels is how deep lists can be.
const odtLevels = 10

type odtLook struct {
	look   script.Look
	font   string
	parent string // key of the style it builds on
}

// with returns the look of content with another look inside this one.
func (l odtLook) with(inner odtLook) odtLook {
	return odtLook{look: firstLook(l.look, inner.look), font: cmp.Or(inner.font, l.font)}
}

// An odtLevel is how a level of a list is numbered; its items are not if it has no
// format.
type odtLevel struct {
	format         string
	prefix, suffix string
	shown          int // levels shown in a number
	start          int
}

func newODTStyles() *odtStyles {
	return &odtStyles{looks: map[string]odtLook{}, lists: map[string]*[odtLevels]odtLevel{}}
}

// add adds a style.
func (s *odtStyles) add(e *element) {
	if len(s.looks)+len(s.lists) > 2*maxStyles {
		return
	}
	if e.name != "style" {
		name := ""
		if e.name == "list-style" {
			name = e.attr("name")
		}
		s.lists[name] = levelsOfODT(e)
		return
	}
	look, family := odtLook{}, e.attr("family")+" "
	if parent := e.attr("parent-style-name"); parent != "" {
		look.parent = family + parent
	}
	look.read(e.kid("text-properties"))
	s.looks[family+e.attr("name")] = look
}

// levelsOfODT reads the levels of a list.
func levelsOfODT(e *element) *[odtLevels]odtLevel {
	var levels [odtLevels]odtLevel
	for _, kid := range e.kids {
		number := kid.int("level", 0)
		if number < 1 || number > odtLevels || kid.name != "list-level-style-number" && kid.name != "outline-level-style" {
			continue
		}
		levels[number-1] = odtLevel{
			format: kid.attr("num-format"), prefix: shorten(kid.attr("num-prefix"), maxLevelText), suffix: shorten(kid.attr("num-suffix"), maxLevelText),
			shown: kid.int("display-levels", 1), start: kid.int("start-value", 1),
		}
	}
	return &levels
}

var textPosition = regexp.MustCompile(`^\s*(super|sub|-?\d+(?:\.\d+)?)`)

// read applies an element's text properties.
func (l *odtLook) read(e *element) {
	for _, a := range e.attrs {
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
		key, found = look.parent, look.with(found)
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
			numbers = append(numbers, script.NumberingOf(levels[i].format).Text(counts[i]))
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
