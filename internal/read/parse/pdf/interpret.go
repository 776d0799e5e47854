package pdf

import (
	"context"
	"math"
	"slices"
	"unicode/utf8"
)

// The limits of one page.
const (
	maxFormDepth  = 12
	maxStates     = 256 // saved graphics states
	maxFormsDrawn = 5000
	maxChars      = 500_000 // characters and glyphs without any
)

// A char is a glyph placed on the page, rotated so that its line runs to the
// right.
type char struct {
	text   string
	x0, x1 float64 // start and end along the line
	y      float64 // of the baseline
	size   float64
	turn   int8 // quarter turns on the page
	bold   bool
	struck bool // a line is drawn through it
	shown  shown
	beyond bool // the edges of the page
}

// graphicsState holds what text operators depend on (section 9.3).
type graphicsState struct {
	ctm         matrix
	font        *font
	size        float64
	char, word  float64 // spacing
	scale       float64 // horizontal
	leading     float64
	rise        float64
	mode        int    // of rendering
	text, start matrix // text matrix and text line matrix
	fill        colour // in which colours are given
	white       bool   // what is filled is
	sheer       bool   // what is filled lets the ground through
	thickness   float64
}

func initialState() graphicsState {
	return graphicsState{ctm: identity(), scale: 1, text: identity(), start: identity(), fill: colour{parts: 1}, thickness: 1}
}

// An interpreter runs content streams (section 7.8.2) and collects the
// characters they show.
type interpreter struct {
	ctx     context.Context
	file    *File
	state   graphicsState
	saved   []graphicsState
	chars   []char
	shown   int // characters, and glyphs without any
	images  int
	placed  []placed // the first of them
	page    box
	canvas  canvas
	spaces  map[name]colour
	unknown int // glyphs whose font does not map them to characters
	forms   int
	actual  []*replacement // of open marked content, or nil
}

// A replacement is the text that marked content shows in place of its glyphs
// (section 14.9.4).
type replacement struct {
	text text
	used bool
}

// full reports whether the page shows more than a page may hold.
func (in *interpreter) full() bool { return in.shown > maxChars }

// run interprets a content stream that is nested in depth forms.
func (in *interpreter) run(content []byte, resources dict, depth int) {
	l := lexer{data: content}
	var operands []object
	fonts := make(map[name]*font) // by their names in the resources
	for n := 0; ; n++ {
		o, ok := l.next()
		if !ok || n%1024 == 0 && in.ctx.Err() != nil || in.full() {
			return
		}
		op, isOp := o.(operator)
		switch {
		case !isOp:
			if len(operands) < 64 {
				operands = append(operands, o)
			}
			continue
		case op == "BI":
			in.images++
			in.canvas.picture(in.state.ctm)
			skipInlineImage(&l)
		case op == "Do":
			in.draw(last(operands), resources, depth)
		case op == "Tf" && len(operands) >= 2:
			fontName, _ := operands[0].(name)
			if fonts[fontName] == nil {
				fonts[fontName] = in.file.readFont(in.file.dict(resources["Font"])[fontName])
			}
			in.state.font = fonts[fontName]
			in.state.size = number(operands[1])
		default:
			in.apply(op, operands, resources)
		}
		operands = operands[:0]
	}
}

// last returns the last operand, or nil.
func last(operands []object) object {
	if len(operands) == 0 {
		return nil
	}
	return operands[len(operands)-1]
}

// skipInlineImage skips the data of an inline image.
func skipInlineImage(l *lexer) {
	for l.pos+2 < len(l.data) {
		l.pos++
		if isSpace(l.data[l.pos-1]) && l.data[l.pos] == 'E' && l.data[l.pos+1] == 'I' &&
			(l.pos+2 == len(l.data) || isSpace(l.data[l.pos+2])) {
			l.pos += 2
			return
		}
	}
	l.pos = len(l.data)
}

// draw runs a form or counts an image.
func (in *interpreter) draw(o object, resources dict, depth int) {
	key, _ := o.(name)
	s, ok := in.file.resolve(in.file.dict(resources["XObject"])[key]).(*stream)
	if !ok {
		return
	}
	if in.file.resolve(s.dict["Subtype"]) != name("Form") {
		in.images++
		in.canvas.picture(in.state.ctm)
		if len(in.placed) < maxPlaced {
			in.placed = append(in.placed, placed{s, in.state.ctm})
		}
		return
	}
	in.forms++
	if depth >= maxFormDepth || in.forms > maxFormsDrawn {
		return
	}
	in.form(s, identity(), resources, depth)
}

// form runs a form, placed by at.
func (in *interpreter) form(s *stream, at matrix, resources dict, depth int) {
	before, saved := in.state, in.saved
	in.saved = nil
	in.state.ctm = matrixOf(in.file.array(s.dict["Matrix"])).then(at).then(in.state.ctm)
	if d := in.file.dict(s.dict["Resources"]); d != nil {
		resources = d
	}
	in.run(in.file.decode(s), resources, depth+1)
	in.state, in.saved = before, saved
}

// apply applies an operator that changes the state or shows text.
func (in *interpreter) apply(op operator, operands []object, resources dict) {
	s := &in.state
	first := number(last(operands))
	switch op {
	case "q":
		if len(in.saved) < maxStates {
			in.saved = append(in.saved, *s)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			*s = in.saved[n-1]
			in.saved = in.saved[:n-1]
		}
	case "cm":
		s.ctm = matrixOf(operands).then(s.ctm)
	case "BT":
		s.text, s.start = identity(), identity()
	case "Tm":
		s.text = matrixOf(operands)
		s.start = s.text
	case "Tc":
		s.char = first
	case "Tw":
		s.word = first
	case "Tz":
		s.scale = first / 100
	case "TL":
		s.leading = first
	case "Ts":
		s.rise = first
	case "Tr":
		s.mode = integer(last(operands))
	case "BDC", "BMC":
		in.begin(operands, resources)
	case "EMC":
		in.actual = in.actual[:max(0, len(in.actual)-1)]
	default:
		if !in.paint(op, operands, resources) {
			in.show(op, operands)
		}
	}
}

// show applies an operator that positions or shows text.
func (in *interpreter) show(op operator, operands []object) {
	s := &in.state
	switch op {
	case "Td", "TD":
		if len(operands) >= 2 {
			if op == "TD" {
				s.leading = -number(operands[1])
			}
			s.start = s.start.moved(number(operands[0]), number(operands[1]))
			s.text = s.start
		}
	case "T*":
		in.nextLine()
	case "'":
		in.nextLine()
		in.string(last(operands))
	case "\"":
		if len(operands) >= 3 {
			s.word, s.char = number(operands[0]), number(operands[1])
		}
		in.nextLine()
		in.string(last(operands))
	case "Tj":
		in.string(last(operands))
	case "TJ":
		items, _ := last(operands).(array)
		for _, o := range items {
			if n, ok := o.(float64); ok {
				in.advance(-n / 1000 * s.size)
			} else {
				in.string(o)
			}
		}
	}
}

func (in *interpreter) nextLine() {
	in.state.start = in.state.start.moved(0, -in.state.leading)
	in.state.text = in.state.start
}

func (in *interpreter) string(o object) {
	s := &in.state
	codes, ok := o.(text)
	if !ok || s.font == nil {
		return
	}
	for g := range s.font.glyphs(codes) {
		if in.full() {
			return
		}
		advance := g.width*s.size + s.char
		if g.space {
			advance += s.word
		}
		in.add(g)
		in.advance(advance)
	}
}

// advance moves on along the line: down the page where the font is vertical.
func (in *interpreter) advance(by float64) {
	s := &in.state
	if s.font != nil && s.font.vertical {
		s.text = s.text.moved(0, by)
	} else {
		s.text = s.text.moved(by*s.scale, 0)
	}
}

// add places a glyph by the current state.
func (in *interpreter) add(g glyph) {
	if n := len(in.actual); n > 0 && in.actual[n-1] != nil {
		g.text, g.known = in.replaced(in.actual[n-1]), true
	}
	in.shown += max(1, utf8.RuneCountInString(g.text))
	if !g.known {
		in.unknown++
	}
	s := &in.state
	m := s.text.then(s.ctm)
	turn := m.quarter()
	if s.size < 0 { // as if turned around
		turn = (turn + 2) % 4
	}
	width := g.width * s.size
	start, end, middle := m.moved(0, s.rise), m.moved(width*s.scale, s.rise), m.moved(width*s.scale/2, s.rise+0.3*s.size)
	if s.font.vertical {
		turn = (turn + 3) % 4
		start, end, middle = m.moved(-stem*s.size, 0), m.moved(-stem*s.size, width), m.moved(0, width/2)
	}
	x0, y := turned(start.e, start.f, turn)
	x1, _ := turned(end.e, end.f, turn)
	size := math.Abs(s.size) * math.Hypot(m.c, m.d)
	if finite(x0, x1, y, size) && size > 0 {
		c := char{text: g.text, x0: min(x0, x1), x1: max(x0, x1), y: y, size: size, turn: int8(turn), bold: s.font.bold}
		c.shown, c.beyond = in.shownAt(middle.e, middle.f), in.page.misses(start, end, size)
		if n := len(in.chars); n == cap(in.chars) && n > maxChars/4 { // growing step by step would hold more than twice as much
			in.chars = slices.Grow(in.chars, maxChars+1-n)
		}
		in.chars = append(in.chars, c)
	}
}

// replaced returns the replacement text at the first glyph, and nothing at the
// others. Marked content that shows nothing never decodes it.
func (in *interpreter) replaced(r *replacement) string {
	if r.used || !in.file.spend(len(r.text)) {
		return ""
	}
	r.used = true
	return textString(r.text)
}

// begin opens marked content, whose properties may hold replacement text.
func (in *interpreter) begin(operands []object, resources dict) {
	var actual *replacement
	if n := len(in.actual); n > 0 {
		actual = in.actual[n-1]
	}
	properties, _ := last(operands).(dict)
	if key, ok := last(operands).(name); ok && len(operands) == 2 {
		properties = in.file.dict(in.file.dict(resources["Properties"])[key])
	}
	if s, ok := in.file.resolve(properties["ActualText"]).(text); ok {
		actual = &replacement{text: s}
	}
	if len(in.actual) < maxStates {
		in.actual = append(in.actual, actual)
	}
}
