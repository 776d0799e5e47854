package parse

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

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
		return domain.Errorf(domain.Invalid, "This file is not a presentation, or has no slides.")
	}
	hidden, masters := 0, slideMasters{files: files, read: map[string]slideStyles{}}
	for i, part := range slides {
		styles, err := masters.of(ctx, part)
		if err != nil {
			return err
		}
		s := newSlideReader(w)
		s.styles = styles
		if err := s.read(ctx, files, part); err != nil {
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

// slidesOf returns the parts of the slides, in the order shown.
func slidesOf(ctx context.Context, files *zipPackage, main string) ([]string, error) {
	related, err := files.related(ctx, main)
	if err != nil {
		return nil, err
	}
	var slides []string
	seen := make(map[string]bool)
	err = files.elements(ctx, main, func(e *element) {
		r := related[e.relation()]
		if e.name == "sldId" && r.kind == "slide" && files.has(r.part) && !seen[r.part] {
			seen[r.part] = true
			slides = append(slides, r.part)
		}
	})
	return slides, err
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
		notes := newSlideReader(w)
		notes.notes = true
		if err := notes.read(ctx, files, r.part); err != nil {
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
	w       *writer
	size    int // bytes read so far
	objects objects
	notes   bool // only the speaker's notes are read
	hidden  bool
	title   string
	blocks  [][]string // lines of shapes and tables
	said    []string   // the notes

	kind    string   // of the current placeholder; "none" outside one
	body    []string // paragraphs of the current shape
	numbers slideNumbers
	styles  []slideStyles // of the layout and the master
	levels  slideLevels   // of the shape
	table   *grid         // nil outside a table
}

func newSlideReader(w *writer) *slideReader { return &slideReader{w: w} }

// read reads a part: shapes one after the other, and tables row by row.
func (r *slideReader) read(ctx context.Context, files *zipPackage, part string) error {
	return files.visit(ctx, part, visitor{
		whole: func(e *element) bool {
			return isFallback(e) || e.is("a", "tr", "p") || e.name == "nvSpPr" || e.name == "lstStyle"
		},
		enter: r.enter,
		leave: func(e *element) error {
			switch e.name {
			case "tbl":
				r.endTable()
			case "sp":
				r.endShape()
			}
			return nil
		},
	})
}

func (r *slideReader) enter(e *element) error {
	if isFallback(e) {
		return nil
	}
	r.objects.note(e)
	switch {
	case e.name == "sld":
		r.hidden = !e.on("show")
	case e.name == "sp":
		r.kind, r.body = "none", nil
		r.numbers, r.levels = slideNumbers{}, slideLevels{}
	case e.name == "nvSpPr":
		if ph := e.kid("nvPr").kid("ph"); ph.name != "" {
			r.levels, r.kind = inherited(r.styles, placeholderKeys(ph)), cmp.Or(ph.attr("type"), "body")
		}
	case e.name == "lstStyle":
		for level, own := range levelsIn(e) {
			r.levels[level] = own.or(r.levels[level])
		}
	case e.name == "tbl":
		r.table = newGrid(r.w.limits.MaxChars)
	case e.is("a", "tr") && r.table != nil:
		r.row(e)
	case e.is("a", "p"):
		r.body = append(r.body, r.paragraph(e)...)
	}
	return r.w.over(r.size)
}

// row adds a row of a table.
func (r *slideReader) row(e *element) {
	r.table.row(false)
	for _, cell := range e.kids {
		if cell.name != "tc" {
			continue
		}
		var lines []string
		cell.walk(func(e *element) bool {
			if e.is("a", "p") {
				lines = append(lines, r.paragraph(e)...)
			}
			return !e.is("a", "p")
		})
		if isOff(cell, "hMerge") && isOff(cell, "vMerge") {
			r.table.cell(strings.Join(lines, " "), countIn(cell, "gridSpan"), countIn(cell, "rowSpan"))
		}
	}
}

// paragraph returns the lines of a paragraph, with the mark of an item before them.
func (r *slideReader) paragraph(e *element) []string {
	properties := e.kid("pPr")
	depth := min(max(properties.int("lvl", 0), 0), docxLevels-1)
	var own slideLevel
	own.bullets(properties)
	line := script.Line{KeepStruck: r.w.keepStruck}
	r.runs(e, &line, r.levels[depth])
	text := tidy(line.String())
	if strings.TrimSpace(text) == "" {
		return nil
	}
	own = own.or(r.levels[depth])
	mark := r.numbers.next(own, depth)
	switch {
	case r.table != nil, r.notes:
		return []string{mark + text}
	case r.isTitle():
		return []string{text}
	case mark != "", r.kind == "body" && own.bullet != "none", own.bullet == "char":
		return listItem(strings.Split(text, "\n"), cmp.Or(mark, "- "), depth)
	}
	return []string{text}
}

func (r *slideReader) isTitle() bool { return r.kind == "title" || r.kind == "ctrTitle" }

// runs adds the runs of a paragraph to its line.
func (r *slideReader) runs(e *element, line *script.Line, level slideLevel) {
	for _, kid := range e.kids {
		r.objects.note(kid)
		switch {
		case isFallback(kid), kid.name == "pPr":
		case kid.is("m", "oMath"):
			formula := kid.formula()
			r.size += len(formula)
			line.Add(script.Formula, formula)
		case kid.name == "r", kid.name == "fld":
			look := level
			look.run(kid.kid("rPr"))
			words := kid.kid("t").words()
			r.size += len(words)
			line.Add(look.look(), script.Symbols(kid.kid("rPr").kid("latin").attr("typeface"), words))
		case kid.name == "br":
			line.Add(script.Plain, "\n")
		default:
			r.runs(kid, line, level)
		}
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
	kinds [docxLevels]string
	count [docxLevels]int
}

// next returns the number of a paragraph, with a space, and "" for one without.
func (n *slideNumbers) next(of slideLevel, depth int) string {
	clear(n.count[depth+1:])
	if of.bullet == "" || of.bullet != n.kinds[depth] {
		n.count[depth] = 0
	}
	n.kinds[depth] = of.bullet
	if of.bullet == "" || of.bullet == "none" || of.bullet == "char" {
		return ""
	}
	if n.count[depth] == 0 {
		n.count[depth] = max(of.start, 1) - 1
	}
	n.count[depth]++
	number := script.NumberingOf(of.bullet).Text(n.count[depth])
	switch {
	case strings.HasSuffix(of.bullet, "ParenBoth"):
		return "(" + number + ") "
	case strings.HasSuffix(of.bullet, "ParenR"):
		return number + ") "
	case strings.HasSuffix(of.bullet, "Period"):
		return number + ". "
	}
	return number + " "
}

// endShape stores the text of a shape, unless the layout repeats it.
func (r *slideReader) endShape() {
	body := r.body
	switch {
	case r.notes:
		if r.kind == "body" {
			r.said = append(r.said, body...)
		}
	case len(body) == 0:
	case r.isTitle():
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
	bullet           string // "none", "char", or the numbering of the paragraphs
	start            int
	strike, baseline string
}

// or fills in missing values of the level from another.
func (l slideLevel) or(outer slideLevel) slideLevel {
	if l.bullet == "" {
		l.bullet, l.start = outer.bullet, outer.start
	}
	l.strike = cmp.Or(l.strike, outer.strike)
	l.baseline = cmp.Or(l.baseline, outer.baseline)
	return l
}

// run applies the properties of a run.
func (l *slideLevel) run(e *element) {
	*l = slideLevel{strike: e.attr("strike"), baseline: e.attr("baseline")}.or(*l)
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

// bullets applies a paragraph's properties about its mark.
func (l *slideLevel) bullets(e *element) {
	for _, kid := range e.kids {
		switch kid.name {
		case "buNone":
			l.bullet = "none"
		case "buChar", "buBlip":
			l.bullet = "char"
		case "buAutoNum":
			l.bullet, l.start = kid.attr("type"), kid.int("startAt", 0)
		}
	}
}

// slideLevels are the levels of a list style.
type slideLevels [docxLevels]slideLevel

// levelsIn reads the levels of a list style.
func levelsIn(e *element) (levels slideLevels) {
	for _, kid := range e.kids {
		if l := levelOfList(kid.name); l >= 0 {
			levels[l].run(kid.kid("defRPr"))
			levels[l].bullets(kid)
		}
	}
	return levels
}

// A slideStyles holds the list styles of a layout or a master: those of its placeholders, and of its
// texts in general, by "idx 1", "type body", or "titleStyle".
type slideStyles map[string]*slideLevels

// stylesIn reads the list styles of a layout or a master.
func stylesIn(root *element) slideStyles {
	styles := slideStyles{}
	add := func(key string, e *element) {
		if levels := levelsIn(e); styles[key] == nil && levels != (slideLevels{}) && len(styles) < maxStyles {
			styles[key] = &levels
		}
	}
	root.walk(func(e *element) bool {
		switch e.name {
		case "sp":
			if ph := e.kid("nvSpPr").kid("nvPr").kid("ph"); ph.name != "" {
				for _, key := range placeholderKeys(ph) {
					add(key, e.kid("txBody").kid("lstStyle"))
				}
			}
		case "titleStyle", "bodyStyle", "otherStyle":
			add(e.name, e)
		}
		return true
	})
	return styles
}

// levelOfList returns the level of a list style that an element is, or -1.
func levelOfList(name string) int {
	digit, isLevel := strings.CutSuffix(strings.TrimPrefix(name, "lvl"), "pPr")
	if n, err := strconv.Atoi(digit); isLevel && err == nil && n >= 1 && n <= docxLevels {
		return n - 1
	}
	return -1
}

// placeholderKeys returns the keys under which a placeholder's style is looked up.
func placeholderKeys(ph *element) []string {
	kind := cmp.Or(ph.attr("type"), "body")
	switch kind {
	case "ctrTitle":
		kind = "title"
	case "subTitle":
		kind = "body"
	}
	keys := []string{"type " + kind}
	if index := ph.attr("idx"); index != "" {
		keys = append([]string{"idx " + index}, keys...)
	}
	return keys
}

// A slideMasters reads the styles of layouts and masters, each once.
type slideMasters struct {
	files *zipPackage
	read  map[string]slideStyles // by part
}

// of returns the styles of a slide, its layout first.
func (m *slideMasters) of(ctx context.Context, slide string) (styles []slideStyles, err error) {
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
			root, err := m.files.tree(ctx, part)
			if err != nil {
				return nil, err
			}
			m.read[part] = stylesIn(root)
		}
		styles = append(styles, m.read[part])
	}
	return styles, nil
}

// inherited returns the levels that a placeholder inherits from layout and master.
func inherited(styles []slideStyles, keys []string) slideLevels {
	var levels slideLevels
	take := func(of *slideLevels) {
		for i := range of {
			levels[i] = levels[i].or(of[i])
		}
	}
	for i, s := range styles {
		key := keys[len(keys)-1]
		if i == 0 { // in the layout, which may have several of a kind
			key = keys[0]
		}
		if of := s[key]; of != nil {
			take(of)
		}
	}
	if n := len(styles); n > 0 {
		general := map[string]string{"type title": "titleStyle", "type body": "bodyStyle"}[keys[len(keys)-1]]
		if of := styles[n-1][general]; of != nil {
			take(of)
		}
	}
	return levels
}
