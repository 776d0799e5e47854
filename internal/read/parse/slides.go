package parse

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readSlides reads a PowerPoint presentation (ECMA-376, part 1, section 19): of
// each slide its title, its text and tables, and its notes. It leaves out hidden
// slides, and what the layout repeats: dates, footers, numbers.
func readSlides(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "presentation", maxExpanded)
	if err != nil {
		return err
	}
	main := files.mainPart("ppt/presentation.xml")
	if err := nameByCore(ctx, w, files, "PowerPoint Presentation"); err != nil {
		return err
	}
	slides, err := slidesOf(ctx, files, main)
	if err != nil {
		return err
	}
	if len(slides) == 0 {
		return domain.Errorf(domain.Invalid, "There are no slides in this presentation, or it is no presentation.")
	}
	hidden, masters := 0, slideMasters{files: files, read: map[string]*slideStyles{}}
	for i, part := range slides {
		styles, err := masters.of(ctx, part)
		if err != nil {
			return err
		}
		s := slideReader{limit: w.limits.MaxChars, line: script.Line{KeepStruck: w.keepStruck}, styles: styles, level: -1}
		if err := files.each(ctx, part, s.token); err != nil {
			return err
		}
		if s.hidden {
			hidden++
			continue
		}
		w.unit(domain.UnitSlide, "", i+1)
		s.writeTo(w)
		o, err := openObjects(ctx, w, files, part)
		if err != nil {
			return err
		}
		if err := o.write(ctx, &s.objects); err != nil {
			return err
		}
		if err := writeNotes(ctx, w, files, part); err != nil {
			return err
		}
	}
	if hidden > 0 {
		w.warn(fmt.Sprintf("%s hidden and left out.", domain.Counted(hidden, "slide is", "slides are")))
	}
	return nil
}

// slidesOf returns the parts of the slides, in the order in which they are shown.
func slidesOf(ctx context.Context, files *zipPackage, main string) ([]string, error) {
	related, err := files.related(ctx, main)
	if err != nil {
		return nil, err
	}
	var slides []string
	seen := make(map[string]bool)
	err = files.elements(ctx, main, func(e xml.StartElement) {
		r := related[relationID(e)]
		if e.Name.Local == "sldId" && r.kind == "slide" && files.has(r.part) && !seen[r.part] {
			seen[r.part] = true
			slides = append(slides, r.part)
		}
	})
	return slides, err
}

// relationID returns the id of the part that an element refers to. The element
// may have an id of its own, without a namespace.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// writeNotes adds the notes of a slide.
func writeNotes(ctx context.Context, w *writer, files *zipPackage, slide string) error {
	related, err := files.related(ctx, slide)
	if err != nil {
		return err
	}
	for _, r := range related {
		if r.kind != "notesSlide" || !files.has(r.part) {
			continue
		}
		notes := slideReader{limit: w.limits.MaxChars, notes: true, line: script.Line{KeepStruck: w.keepStruck}, level: -1}
		if err := files.each(ctx, r.part, notes.token); err != nil {
			return err
		}
		if text := strings.TrimSpace(strings.Join(notes.said, "\n")); text != "" {
			w.paragraph("Notes: " + text)
		}
		return nil
	}
	return nil
}

// A slideReader collects the text of a slide or of its notes.
type slideReader struct {
	limit   int
	objects objects
	notes   bool // only what the speaker wrote is read
	hidden  bool
	title   string
	blocks  [][]string // lines of shapes and tables
	body    []string   // paragraphs of the shape that is read
	said    []string   // the notes

	kind   string // of its placeholder; "none" outside a placeholder
	depth  int    // of the paragraph in a list
	line   script.Line
	run    slideLevel     // the look of the run that is read
	font   string         // of the run
	mark   slideLevel     // the mark of the paragraph, if it states one
	styles []*slideStyles // of the layout and the master
	levels slideLevels    // of the shape
	level  int            // of the list style that is read; -1 for none
	inT    bool
	skip   int
	size   int
	table  *grid    // nil outside a table
	cell   []string // paragraphs of the open cell
	spans  [2]int   // columns and rows that it covers; none if another covers it

	numbers slideNumbers
	formula formulaReader
}

func (r *slideReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if r.skip > 0 || leftOut(t.Name) {
			r.skip++
			return nil
		}
		r.start(t)
	case xml.EndElement:
		if r.skip > 0 {
			r.skip--
			return nil
		}
		if t.Name.Space == "m" {
			r.endFormula()
		} else {
			r.end(t.Name.Local)
		}
	case xml.CharData:
		if r.inT && r.skip == 0 {
			r.write(string(t))
		}
	}
	if r.size > utf8.UTFMax*r.limit {
		return tooMuchText(r.limit)
	}
	return nil
}

func (r *slideReader) write(s string) {
	r.size += len(s)
	if r.formula.reads() {
		r.formula.text(s)
		return
	}
	r.line.Add(r.run.look(), script.Symbols(r.font, s))
}

func (r *slideReader) start(t xml.StartElement) {
	r.objects.note(t)
	if t.Name.Space == "m" {
		if r.formula.reads() || t.Name.Local == "oMath" {
			r.formula.start(t)
			r.inT = t.Name.Local == "t"
		}
		return
	}
	switch t.Name.Local {
	case "sld":
		r.hidden = attr(t, "show") == "0" || attr(t, "show") == "false"
	case "sp":
		r.kind, r.body = "none", nil
		r.numbers, r.levels = slideNumbers{}, slideLevels{}
	case "ph":
		r.levels = inherited(r.styles, placeholderKeys(t))
		if r.kind = attr(t, "type"); r.kind == "" {
			r.kind = "body"
		}
	case "p":
		if t.Name.Space == "a" {
			r.line.Reset()
			r.depth, r.mark = 0, slideLevel{}
		}
	case "r", "fld":
		r.run, r.font = r.levels[r.depth], ""
	case "pPr":
		r.depth = min(max(intAttr(t, "lvl", r.depth), 0), 8)
	case "t":
		r.inT = t.Name.Space == "a"
	case "br":
		r.line.Add(r.run.look(), "\n")
	case "tbl":
		r.table = newGrid(r.limit)
	case "tr":
		if r.table != nil {
			r.table.row(false)
		}
	case "tc":
		r.startCell(t)
	case "rPr":
		r.run.run(t)
	case "latin":
		r.font = attr(t, "typeface")
	default:
		r.style(t)
	}
}

func (r *slideReader) startCell(t xml.StartElement) {
	r.cell, r.spans = nil, [2]int{odtCount(t, "gridSpan"), odtCount(t, "rowSpan")}
	for _, name := range []string{"hMerge", "vMerge"} {
		if !isOff(t, name) {
			r.spans = [2]int{}
		}
	}
}

// style handles an element of the shape's own list style, or about the mark of a paragraph.
func (r *slideReader) style(t xml.StartElement) {
	if l := levelOfList(t.Name.Local); l >= 0 {
		r.level = l
		return
	}
	if r.level < 0 {
		r.mark.bullets(t)
		return
	}
	own := slideLevel{}
	own.bullets(t)
	if t.Name.Local == "defRPr" {
		own.run(t)
	}
	r.levels[r.level] = own.or(r.levels[r.level])
}

func (r *slideReader) endFormula() {
	r.inT = false
	if !r.formula.reads() {
		return
	}
	if line, done := r.formula.end(); done {
		r.line.Add(script.Formula, line)
	}
}

func (r *slideReader) end(name string) {
	switch name {
	case "t":
		r.inT = false
	case "lvl1pPr", "lvl2pPr", "lvl3pPr", "lvl4pPr", "lvl5pPr", "lvl6pPr", "lvl7pPr", "lvl8pPr", "lvl9pPr":
		r.level = -1
	case "p":
		r.paragraph()
	case "tc":
		if r.table != nil && r.spans[0] > 0 {
			r.table.cell(strings.Join(r.cell, " "), r.spans[0], r.spans[1])
		}
	case "tbl":
		r.endTable()
	case "sp":
		r.endShape()
	}
}

func (r *slideReader) paragraph() {
	text := tidy(r.line.String())
	r.line.Reset()
	if strings.TrimSpace(text) == "" {
		return
	}
	of := r.mark.or(r.levels[r.depth])
	r.numbers.open, r.numbers.start = of.bullet, of.start
	mark := r.numbers.next(r.depth)
	switch {
	case r.table != nil:
		r.cell = append(r.cell, mark+text)
	case r.notes:
		r.body = append(r.body, mark+text)
	case r.kind == "title" || r.kind == "ctrTitle":
		r.body = append(r.body, text)
	case mark != "", r.kind == "body" && of.bullet != "none", of.bullet == "char":
		r.body = append(r.body, listItem(strings.Split(text, "\n"), cmp.Or(mark, "- "), r.depth)...)
	default:
		r.body = append(r.body, text)
	}
}

func (r *slideReader) endTable() {
	if r.table != nil {
		r.blocks = append(r.blocks, r.table.lines())
	}
	r.table = nil
}

// slideNumbers counts the items of the lists of a shape.
type slideNumbers struct {
	open  string // how the paragraph that is read is numbered; "" for one that is not
	start int
	kinds [docxLevels]string
	count [docxLevels]int
}

// next returns the number of a paragraph, with a space, and "" for one without.
func (n *slideNumbers) next(depth int) string {
	clear(n.count[depth+1:])
	if n.open == "" || n.open != n.kinds[depth] {
		n.count[depth] = 0
	}
	n.kinds[depth] = n.open
	if n.open == "" || n.open == "none" || n.open == "char" {
		return ""
	}
	if n.count[depth] == 0 {
		n.count[depth] = max(n.start, 1) - 1
	}
	n.count[depth]++
	number := numberingOf(n.open).text(n.count[depth])
	switch {
	case strings.HasSuffix(n.open, "ParenBoth"):
		return "(" + number + ") "
	case strings.HasSuffix(n.open, "ParenR"):
		return number + ") "
	case strings.HasSuffix(n.open, "Period"):
		return number + ". "
	}
	return number + " "
}

// endShape keeps the text of a shape, unless the layout repeats it.
func (r *slideReader) endShape() {
	body := r.body
	switch {
	case r.notes:
		if r.kind == "body" {
			r.said = append(r.said, body...)
		}
	case len(body) == 0:
	case r.kind == "title" || r.kind == "ctrTitle":
		if r.title == "" {
			r.title = strings.Join(body, " ")
		}
	case r.kind == "dt", r.kind == "ftr", r.kind == "sldNum", r.kind == "hdr":
	case r.kind == "body" && len(body) == 1:
		r.blocks = append(r.blocks, []string{strings.TrimPrefix(body[0], "- ")})
	default:
		r.blocks = append(r.blocks, body)
	}
	r.body = nil
}

// writeTo adds the slide to the text, its title first.
func (r *slideReader) writeTo(w *writer) {
	if w.title == "" {
		w.name(r.title)
	}
	if r.title != "" {
		w.heading(1, r.title)
	}
	for _, b := range r.blocks {
		w.lines(b)
	}
}

// A slideLevel is how the paragraphs of a level look. What it does not say is empty.
type slideLevel struct {
	bullet           string // "none", "char", or how the paragraphs are numbered
	start            int
	strike, baseline string
}

// or returns the level with what it does not say taken from another.
func (l slideLevel) or(outer slideLevel) slideLevel {
	if l.bullet == "" {
		l.bullet, l.start = outer.bullet, outer.start
	}
	if l.strike == "" {
		l.strike = outer.strike
	}
	if l.baseline == "" {
		l.baseline = outer.baseline
	}
	return l
}

// run takes over what the properties of a run say.
func (l *slideLevel) run(t xml.StartElement) {
	*l = slideLevel{strike: attr(t, "strike"), baseline: attr(t, "baseline")}.or(*l)
}

func (l slideLevel) look() script.Look {
	height, _ := strconv.Atoi(strings.TrimSuffix(l.baseline, "%"))
	switch {
	case l.strike != "" && l.strike != "noStrike":
		return script.Struck
	case height > 0:
		return script.Raised
	case height < 0:
		return script.Lowered
	}
	return script.Plain
}

// bullets takes over an element about the mark of a paragraph.
func (l *slideLevel) bullets(t xml.StartElement) {
	switch t.Name.Local {
	case "buNone":
		l.bullet = "none"
	case "buChar", "buBlip":
		l.bullet = "char"
	case "buAutoNum":
		l.bullet = attr(t, "type")
		l.start, _ = strconv.Atoi(attr(t, "startAt"))
	}
}

// slideLevels are the levels of a list style.
type slideLevels [docxLevels]slideLevel

// A slideStyles reads the list styles of a layout or a master: those of its placeholders, and
// of its texts in general.
type slideStyles struct {
	levels map[string]*slideLevels // by "idx 1", "type body", or "titleStyle"
	keys   []string                // of what is read
	level  int                     // that is read; -1 for none
}

func (s *slideStyles) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch name := t.Name.Local; name {
		case "sp":
			s.keys = nil
		case "ph":
			s.keys = placeholderKeys(t)
		case "titleStyle", "bodyStyle", "otherStyle":
			s.keys = []string{name}
		default:
			s.within(t)
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "sp", "titleStyle", "bodyStyle", "otherStyle":
			s.keys = nil
		default:
			if levelOfList(t.Name.Local) >= 0 {
				s.level = -1
			}
		}
	}
	return nil
}

// within handles an element of a list style.
func (s *slideStyles) within(t xml.StartElement) {
	if l := levelOfList(t.Name.Local); l >= 0 {
		s.level = l
	}
	if s.level < 0 {
		return
	}
	for _, key := range s.keys {
		if s.levels[key] == nil && len(s.levels) < maxStyles {
			s.levels[key] = new(slideLevels)
		}
		if of := s.levels[key]; of != nil {
			if t.Name.Local == "defRPr" {
				of[s.level].run(t)
			}
			of[s.level].bullets(t)
		}
	}
}

// levelOfList returns the level of a list style that an element is, or -1.
func levelOfList(name string) int {
	if len(name) == len("lvl1pPr") && strings.HasPrefix(name, "lvl") && strings.HasSuffix(name, "pPr") && name[3] >= '1' && name[3] <= '9' {
		return int(name[3] - '1')
	}
	return -1
}

// placeholderKeys returns the names under which the style of a placeholder is looked up.
func placeholderKeys(ph xml.StartElement) []string {
	kind := attr(ph, "type")
	switch kind {
	case "":
		kind = "body"
	case "ctrTitle":
		kind = "title"
	case "subTitle":
		kind = "body"
	}
	keys := []string{"type " + kind}
	if index := attr(ph, "idx"); index != "" {
		keys = append([]string{"idx " + index}, keys...)
	}
	return keys
}

// A slideMasters reads the styles of layouts and masters, each once.
type slideMasters struct {
	files *zipPackage
	read  map[string]*slideStyles // by part
}

// of returns the styles of a slide, its layout first.
func (m *slideMasters) of(ctx context.Context, slide string) (styles []*slideStyles, err error) {
	part := slide
	for _, kind := range []string{"slideLayout", "slideMaster"} {
		related, err := m.files.related(ctx, part)
		if err != nil {
			return nil, err
		}
		part = ""
		for _, r := range related {
			if r.kind == kind && m.files.has(r.part) {
				part = r.part
			}
		}
		if part == "" {
			break
		}
		if m.read[part] == nil {
			s := &slideStyles{levels: map[string]*slideLevels{}, level: -1}
			if err := m.files.each(ctx, part, s.token); err != nil {
				return nil, err
			}
			m.read[part] = s
		}
		styles = append(styles, m.read[part])
	}
	return styles, nil
}

// inherited returns the levels that a placeholder takes over from layout and master.
func inherited(styles []*slideStyles, keys []string) slideLevels {
	var levels slideLevels
	take := func(of *slideLevels) {
		for i := range of {
			levels[i] = levels[i].or(of[i])
		}
	}
	for i, s := range styles {
		key := keys[len(keys)-1]
		if i == 0 { // that of the layout, in which several may be of a kind
			key = keys[0]
		}
		if of := s.levels[key]; of != nil {
			take(of)
		}
	}
	if n := len(styles); n > 0 {
		general := map[string]string{"type title": "titleStyle", "type body": "bodyStyle"}[keys[len(keys)-1]]
		if of := styles[n-1].levels[general]; of != nil {
			take(of)
		}
	}
	return levels
}
