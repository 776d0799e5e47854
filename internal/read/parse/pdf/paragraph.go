package pdf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// Paragraph is a paragraph of a page. Lines that are wrapped are joined;
// deliberate line breaks become \n.
type Paragraph struct {
	Text  string
	Size  float64 // font size of the longest line, in points
	Bold  bool    // all of it
	Table bool    // its lines have wide gaps

	Upright bool // on the page as shown

	Left, Right, Top, Bottom float64 // in points from the lower left corner of an upright page, if its lines run to the right
}

// Content is the content of a page.
type Content struct {
	Paragraphs []Paragraph
	Images     int
	Glyphs     int  // characters shown
	Unknown    int  // characters that the font does not identify
	Cut        bool // some of the page exceeded the limits and was left out
	Hidden     Hidden

	placed []placed // the first of the images
	drawn  []box    // around connected lines and areas
	words  []box    // around adjacent text
}

// A Draft is the content of a page before it is put in order.
type Draft struct {
	Chars   int // at least as many as in its text
	content Content
	areas   []aligned // upright text first
}

// aligned is text whose lines run in one direction.
type aligned struct {
	area
	upright bool // on the page as shown
}

// maxKept is the maximum number of segments that drafts keep in all. Pages beyond it are put in order at once, with their
// running lines.
const maxKept = 300_000

// Draw reads a page. It stops early when ctx ends.
func (f *File) Draw(ctx context.Context, p Page) Draft {
	f.cut = false
	in := interpreter{ctx: ctx, file: f, state: initialState(), page: p.box(), ink: ink{page: p.box(), square: inkSquare}}
	in.run(f.content(p), f.dict(p.resources), 0)
	in.state = initialState()
	in.annotations(p)
	d := Draft{Chars: in.shown, content: Content{Images: in.images, Glyphs: len(in.chars), Unknown: in.unknown, Cut: f.cut || in.full(), placed: in.placed}}
	in.mark(&d.content)
	hidden := in.sift()
	hidden.Struck = in.strike()
	stacked(in.chars)
	turned := byTurn(in.chars)
	for aside := range 4 {
		turn := (p.turn() + aside) % 4
		found := area(slices.DeleteFunc(segments(turned[turn]), func(s *segment) bool {
			hidden.Beyond = hidden.Beyond || s.beyond == s.glyphs
			return s.beyond == s.glyphs || s.text == ""
		}))
		if len(found) > 0 && ctx.Err() == nil {
			for _, s := range found {
				s.text = optionHyphens(s.text)
				f.compounds.Add(s.text)
			}
			d.areas = append(d.areas, aligned{found, aside == 0})
			f.kept += len(found)
		}
	}
	d.content.Hidden = hidden
	if f.kept > maxKept {
		d.content, d.areas = f.Compose(d), nil
	}
	return d
}

// option is the beginning of a command's option as manuals set it, with signs for minus in place of hyphens.
var option = regexp.MustCompile(`(?:^|[\s\[({|,/=])−−?\pL`)

// optionHyphens writes the options of commands with hyphens, as they are typed.
func optionHyphens(text string) string {
	if !strings.Contains(text, "−") {
		return text
	}
	return option.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "−", "-") })
}

// Compose puts the content of a page in reading order.
func (f *File) Compose(d Draft) Content {
	c := d.content
	for _, a := range d.areas {
		for _, lines := range a.blocks(0) {
			for _, p := range f.paragraphs(lines) {
				p.Upright = a.upright
				c.Paragraphs = append(c.Paragraphs, p)
			}
		}
	}
	return c
}

// minColumnWidth is the width of the narrowest column of prose, relative to the
// font size. Shorter lines are broken deliberately.
const minColumnWidth = 12

// paragraphs splits the lines of a block.
func (f *File) paragraphs(lines []line) []Paragraph {
	gap := medianGap(lines)
	var out []Paragraph
	start := 0
	for i := 1; i <= len(lines); i++ {
		if i == len(lines) || endsBetween(lines[start], lines[i-1], lines[i], gap) {
			if p := f.paragraph(lines[start:i]); p.Text != "" {
				out = append(out, p)
			}
			start = i
		}
	}
	return out
}

// medianGap returns the median distance between two lines.
func medianGap(lines []line) float64 {
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

// endsBetween reports whether a paragraph ends between two lines: because of
// their distance, size or weight, or because the second is indented and the
// paragraph's first line was not further left.
func endsBetween(first, before, after line, gap float64) bool {
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

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func (f *File) paragraph(lines []line) Paragraph {
	p := Paragraph{Size: slices.MaxFunc(lines, func(a, b line) int { return len(a.text) - len(b.text) }).size}
	right := lines[0].x0 + minColumnWidth*p.Size
	p.Bold = true
	for _, l := range lines {
		right = max(right, l.x1)
		p.Bold = p.Bold && l.bold
		p.Table = p.Table || l.cells
	}
	short := make([]bool, len(lines)) // the next word would have fitted
	count := 0
	for i, l := range lines[1:] {
		short[i] = lines[i].x1+firstWordWidth(l) < right
		if short[i] {
			count++
		}
	}
	joined := []byte(lines[0].text)
	for i, l := range lines[1:] {
		deliberate := lines[i].cells || l.cells || short[i] && 2*count >= len(lines)-1
		joined = f.join(joined, l.text, deliberate)
	}
	p.Text = strings.TrimSpace(string(joined))
	p.Left, p.Right, p.Top, p.Bottom = lines[0].x0, lines[0].x1, lines[0].y+0.8*lines[0].size, lines[len(lines)-1].y
	for _, l := range lines {
		p.Left, p.Right = min(p.Left, l.x0), max(p.Right, l.x1)
	}
	return p
}

// firstWordWidth estimates the width of the first word of a line and a space.
func firstWordWidth(l line) float64 {
	word, _, _ := strings.Cut(l.text, " ")
	if first := firstRune(l.text); isWide(first) {
		word = string(first)
	}
	n := utf8.RuneCountInString(l.text)
	if n == 0 {
		return 0
	}
	return (l.x1 - l.x0) / float64(n) * float64(utf8.RuneCountInString(word)+1)
}

// maxWord is the maximum number of bytes of a word that is looked at when lines are joined.
const maxWord = 256

// join appends the next line to a text.
func (f *File) join(text []byte, next string, deliberate bool) []byte {
	before := string(text[max(0, len(text)-maxWord):])
	if end, hyphen, ok := f.compounds.Mend(before, next); ok {
		return append(append(text[:len(text)-len(before)+end], hyphen...), next...)
	}
	if !deliberate && joinsWide(before, next) {
		return append(text, next...)
	}
	separator := byte(' ')
	if deliberate || isBullet(next) {
		separator = '\n'
	}
	return append(append(text, separator), next...)
}

// isBullet reports whether a line begins with a bullet.
func isBullet(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("•‣◦▪●○–-", r) && strings.HasPrefix(s[size:], " ")
}

// The limits of a tree of page labels.
const (
	maxLabelNodes = 10_000
	maxLabelDepth = 32
	maxPrefix     = 64 // bytes
)

// labels is how the pages from one on are numbered (section 12.4.2).
type labels struct {
	from   int // index of the first page
	style  name
	prefix string
	start  int
}

// Labels returns the file's labels of its first pages, such as "iv" or "A-3", or nil if there are none.
func (f *File) Labels(pages int) []string {
	var ranges []labels
	nodes := 0
	f.readLabels(f.dict(f.trailer["Root"])["PageLabels"], 0, &nodes, &ranges)
	if len(ranges) == 0 {
		return nil
	}
	slices.SortStableFunc(ranges, func(a, b labels) int { return cmp.Compare(a.from, b.from) })
	names := make([]string, pages)
	at := labels{style: "D", start: 1}
	for i := range names {
		for len(ranges) > 0 && ranges[0].from <= i {
			at, ranges = ranges[0], ranges[1:]
		}
		names[i] = at.name(i)
	}
	return names
}

// readLabels reads a node of the number tree (section 7.9.7).
func (f *File) readLabels(o object, depth int, nodes *int, ranges *[]labels) {
	d := f.dict(o)
	if *nodes++; d == nil || depth > maxLabelDepth || *nodes > maxLabelNodes {
		return
	}
	for _, kid := range f.array(d["Kids"]) {
		f.readLabels(kid, depth+1, nodes, ranges)
	}
	for nums := f.array(d["Nums"]); len(nums) >= 2 && len(*ranges) < maxLabelNodes; nums = nums[2:] {
		entry := f.dict(nums[1])
		if entry == nil {
			continue
		}
		l := labels{from: integer(f.resolve(nums[0])), start: 1}
		l.style, _ = f.resolve(entry["S"]).(name)
		if prefix, ok := f.resolve(entry["P"]).(text); ok {
			l.prefix = textString(prefix[:min(len(prefix), maxPrefix)])
		}
		if start := f.resolve(entry["St"]); start != nil {
			l.start = integer(start)
		}
		*ranges = append(*ranges, l)
	}
}

// name returns the label of the page of an index.
func (l labels) name(page int) string {
	number, known := map[name]script.Numbering{"D": script.Decimal, "R": script.UpperRoman, "r": script.LowerRoman, "A": script.UpperLetter, "a": script.LowerLetter}[l.style]
	if !known {
		return l.prefix
	}
	return l.prefix + number.Text(l.start+page-l.from)
}

// annotations draws the appearances of form fields and of text typed onto the
// page (section 12.5.5).
func (in *interpreter) annotations(p Page) {
	const hidden = 1 << 1
	in.page = box{} // forms fitted to their rectangle are not followed yet
	annotations := in.file.array(p.dict["Annots"])
	for _, o := range annotations[:min(len(annotations), maxFormsDrawn)] {
		d := in.file.dict(o)
		kind := in.file.resolve(d["Subtype"])
		if integer(in.file.resolve(d["F"]))&hidden != 0 {
			continue
		}
		if kind == name("StrikeOut") {
			in.strikeOut(in.file.array(d["QuadPoints"]))
		}
		if kind != name("FreeText") && kind != name("Widget") {
			continue
		}
		appearance := in.file.resolve(in.file.dict(d["AP"])["N"])
		if states, ok := appearance.(dict); ok {
			state, _ := in.file.resolve(d["AS"]).(name)
			appearance = in.file.resolve(states[state])
		}
		rect := in.file.array(d["Rect"])
		if s, ok := appearance.(*stream); ok && len(rect) == 4 {
			box := in.file.array(s.dict["BBox"])
			at := identity().moved(min(number(rect[0]), number(rect[2])), min(number(rect[1]), number(rect[3])))
			if len(box) == 4 {
				at = at.moved(-min(number(box[0]), number(box[2])), -min(number(box[1]), number(box[3])))
			}
			in.form(s, at, nil, 0)
		} else if len(rect) == 4 {
			in.value(d, box{number(rect[0]), number(rect[1]), number(rect[2]), number(rect[3])})
		}
	}
}

// value shows the text that a field was filled in with where viewers are left to draw it (NeedAppearances, section 12.7.3). Passwords are left out.
func (in *interpreter) value(field dict, at box) {
	const password = 1 << 13
	if field["V"] == nil {
		field = in.file.dict(field["Parent"])
	}
	v, ok := in.file.resolve(field["V"]).(text)
	if !ok || integer(in.file.resolve(field["Ff"]))&password != 0 {
		return
	}
	filled := strings.Join(strings.Fields(textString(v)), " ")
	in.run(fmt.Appendf(nil, "/Span << /ActualText <EFBBBF%x> >> BDC BT /F 10 Tf %f %f Td (x) Tj ET EMC", filled, min(at.x0, at.x1)+2, max(at.y0, at.y1)-9-max(0, math.Abs(at.y1-at.y0)-10)/2),
		dict{"Font": dict{"F": dict{"Subtype": name("Type1"), "BaseFont": name("Helvetica")}}}, 0)
}

// strikeOut records the lines of an annotation that crosses text out, in the middle of each quadrilateral.
func (in *interpreter) strikeOut(points array) {
	for ; len(points) >= 8; points = points[8:] {
		var p [8]float64
		for i := range p {
			p[i] = number(in.file.resolve(points[i]))
		}
		in.canvas.rule(rule{(p[0] + p[4]) / 2, (p[1] + p[5]) / 2, (p[2] + p[6]) / 2, (p[3] + p[7]) / 2, 0})
	}
}

// A segment is a stretch of a line without a wide gap.
type segment struct {
	text   string
	chars  []char // some of the page's characters, until they are written
	x0, x1 float64
	y      float64
	size   float64
	glyphs int32 // at most maxChars, like the following
	bold   int32 // glyphs in bold
	beyond int32 // glyphs beyond the edges of the page
	votes  int32 // glyphs of this size minus those of other sizes
}

// Gaps between characters, relative to their size. One wider than wordGap, or
// spaceGap after a space character, separates words; columnGap separates
// segments; cellGap, which justified text does not reach, table cells. Signs of
// Chinese and Japanese are set apart to fill a line: only wideGap separates them.
const (
	wordGap   = 0.14
	spaceGap  = 0.04
	columnGap = 1.2
	cellGap   = 2
	wideGap   = 0.6
)

// byTurn parts characters by their turns, in their order. It reuses chars for the
// most frequent turn, as a page may hold very many.
func byTurn(chars []char) (of [4][]char) {
	var counts [4]int
	for i := range chars {
		counts[chars[i].turn]++
	}
	most := slices.Index(counts[:], slices.Max(counts[:]))
	for turn, n := range counts {
		if turn != most {
			of[turn] = make([]char, 0, n)
		}
	}
	of[most] = chars[:0]
	for _, c := range chars {
		of[c.turn] = append(of[c.turn], c)
	}
	return of
}

// segments joins characters of one turn. They come in the order in which the page
// shows them; lines that run from right to left are put in order from left to
// right first, whatever order they were written in. The segments share chars,
// which segments reorders.
func segments(chars []char) []*segment {
	way := directionOf(chars)
	if way.any {
		leftToRight(chars)
	}
	var out []*segment
	var s *segment
	start, end := 0, 0 // of the characters of s
	for _, c := range chars {
		if s == nil || !s.continuesWith(c) {
			if blank(c.text) {
				continue
			}
			s = &segment{x0: c.x0, x1: c.x0, y: c.y, size: c.size}
			out = append(out, s)
			start = end
		}
		chars[end] = c // overwrites those that are left out
		end++
		s.chars = chars[start:end:end]
		s.add(c)
	}
	out = attached(out)
	way.settle(out)
	var marks []mark
	for _, s := range out {
		marks = s.write(way, marks[:0])
	}
	return out
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// continuesWith reports whether c follows s closely on the same line.
func (s *segment) continuesWith(c char) bool {
	size := max(s.size, c.size)
	gap, lowest := c.x0-s.x1, -0.4
	if c.size > 1.14*s.size { // s is a raised figure so far
		lowest = -0.6
	}
	return c.y > s.y+lowest*size && c.y < s.y+0.6*size && gap > -0.5*size && gap < columnGap*size
}

// add counts a character in.
func (s *segment) add(c char) {
	if isSpaceChar(c) {
		if c.x1-c.x0 < 0.01*c.size { // the font gives no width
			s.x1 -= wordGap * c.size
		}
		return
	}
	s.glyphs++
	if c.bold {
		s.bold++
	}
	if c.beyond {
		s.beyond++
	}
	s.x1 = max(s.x1, c.x1)
	s.vote(c)
}

func isSpaceChar(c char) bool { return c.text != "" && blank(c.text) }

// vote keeps the size and baseline of the majority: bullets may be larger than
// their line, and superscripts are smaller and higher.
func (s *segment) vote(c char) {
	if c.size == s.size {
		s.votes++
		return
	}
	s.votes--
	if s.votes < 0 {
		s.size, s.y, s.votes = c.size, c.y, 1
	}
}

// write writes the text of a segment, and releases its characters. Spaces are inferred from gaps, because some programs
// write spaces that the next glyph covers. It uses and returns marks, an empty buffer.
func (s *segment) write(way direction, marks []mark) []mark {
	space, x1, base, before := false, s.x0, s.y, ""
	for _, c := range s.chars {
		if isSpaceChar(c) {
			space = true
			if c.x1-c.x0 < 0.01*c.size {
				x1 -= wordGap * c.size
			}
			continue
		}
		if gap := (c.x0 - x1) / c.size; endsInk(marks) && (gap > wordGap && (gap > wideGap || !joinsWide(before, c.text)) || space && gap > spaceGap) {
			marks = append(marks, mark{text: " "})
		}
		look := s.lookOf(c, base)
		if look == script.Plain && c.size == s.size {
			base = c.y
		}
		if c.struck {
			look = script.Struck
		}
		if c.text != "" {
			marks = append(marks, mark{c.text, look})
			before = c.text
		}
		space, x1 = false, max(x1, c.x1)
	}
	s.chars = nil
	levelled(marks)
	ordered := marks
	if way.any {
		ordered = way.ordered(marks)
	}
	var line script.Line
	for _, m := range ordered {
		line.Add(m.look, folded(m.text))
	}
	s.text = line.String()
	if way.rightToLeft {
		s.x0, s.x1 = -s.x1, -s.x0
	}
	return marks
}

// endsInk reports whether a line so far ends with a lasting character other than a space.
func endsInk(marks []mark) bool {
	for _, m := range slices.Backward(marks) {
		if m.look != script.Struck {
			return m.text != " "
		}
	}
	return false
}

// A mark is text within a line that stays together.
type mark struct {
	text string
	look script.Look
}

// levelled makes raised and lowered runs without a letter, a figure or the sign of
// a note plain, such as quotation marks in a smaller font.
func levelled(marks []mark) {
	for i := 0; i < len(marks); {
		j, says := i, false
		for ; j < len(marks) && marks[j].look == marks[i].look; j++ {
			says = says || strings.ContainsFunc(marks[j].text, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("*†‡§¶#+−", r)
			})
		}
		for k := i; k < j && !says && marks[i].look != script.Struck; k++ {
			marks[k].look = script.Plain
		}
		i = j
	}
}

// lookOf reports whether a character is clearly above or below the baseline, as superscripts and subscripts are.
func (s *segment) lookOf(c char, base float64) script.Look {
	size, off := c.size/s.size, (c.y-base)/s.size
	switch {
	case isWide(firstRune(c.text)):
		return script.Plain
	case size < 0.88 && off > 0.14 && off < 0.9, size < 1.05 && off > 0.27 && off < 0.9 && strings.Trim(c.text, "0123456789+-−*") == "":
		return script.Raised
	case size < 0.88 && off < -0.08 && off > -0.5:
		return script.Lowered
	}
	return script.Plain
}

// maxNear is how many segments of about the same height are looked at for the
// one that a small one belongs to.
const maxNear = 40

// attached moves small segments that were written after their line, as raised
// figures are in some files, into it.
func attached(segments []*segment) []*segment {
	byHeight := slices.Clone(segments)
	slices.SortStableFunc(byHeight, func(s, t *segment) int { return cmp.Compare(s.y, t.y) })
	for i, t := range byHeight {
		if t.glyphs > 4 {
			continue
		}
		for j := max(0, i-maxNear); j < min(len(byHeight), i+maxNear); j++ {
			if s := byHeight[j]; s != t && s.chars != nil && s.takes(t) {
				break
			}
		}
	}
	return slices.DeleteFunc(segments, func(s *segment) bool { return s.chars == nil })
}

// takes moves the characters of t into s if t is raised or lowered in a gap of s, behind it or before it. Then t has
// none.
func (s *segment) takes(t *segment) bool {
	if s.lookOf(t.chars[0], s.y) == script.Plain || t.size >= s.size || t.x1 < s.x0-wideGap*s.size || t.x0 > s.x1+wordGap*s.size {
		return false
	}
	at := slices.IndexFunc(s.chars, func(c char) bool { return !isSpaceChar(c) && (c.x0+c.x1)/2 > t.x0 })
	if at < 0 {
		at = len(s.chars)
	}
	if at < len(s.chars) && s.chars[at].x0 < t.x1-0.2*t.size { // it would cover existing text
		return false
	}
	for at > 0 && isSpaceChar(s.chars[at-1]) && s.chars[at-1].x0 > t.x0 {
		at--
	}
	s.chars = slices.Insert(s.chars, at, t.chars...)
	s.x0, s.x1 = min(s.x0, t.x0), max(s.x1, t.x1)
	s.glyphs, s.bold = s.glyphs+t.glyphs, s.bold+t.bold
	s.beyond += t.beyond
	t.chars = nil
	return true
}

// joinsWide reports whether two texts meet in signs that Chinese and Japanese
// write without spaces.
func joinsWide(before, after string) bool {
	return isWide(lastRune(before)) && isWide(firstRune(after))
}

func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60 || r == 'ー'
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
