package pdf

import (
	"context"
	"math"
)

// The bounds of what one page may draw.
const (
	maxForms  = 12      // forms within forms
	maxStates = 256     // saved graphics states
	maxDrawn  = 5000    // forms in all
	maxMarks  = 500_000 // glyphs in all
)

// mark is a glyph where it stands on the page, turned so that its line runs to
// the right.
type mark struct {
	text   string
	x0, x1 float64 // ends along the line
	y      float64 // of the baseline, upwards
	size   float64
	turn   int // quarter turns that the page made of it
	bold   bool
}

// state is what text operators depend on (section 9.3).
type state struct {
	ctm         matrix
	font        *font
	size        float64
	char, word  float64 // spacing
	scale       float64 // horizontal
	leading     float64
	rise        float64
	text, start matrix // text matrix, and that of the line's start
}

// initialState is the state that a page begins with.
func initialState() state {
	return state{ctm: identity(), scale: 1, text: identity(), start: identity()}
}

// interpreter runs content streams (section 7.8.2) for the text they show.
type interpreter struct {
	ctx     context.Context
	file    *File
	state   state
	saved   []state
	marks   []mark
	images  int
	unknown int // glyphs whose font does not tell what they show
	forms   int
	actual  []*string // open marked content; what stands for it instead of its glyphs
}

// run runs a content stream with its resources, within depth forms.
func (in *interpreter) run(content []byte, resources dict, depth int) {
	l := lexer{data: content}
	var operands []object
	for n := 0; ; n++ {
		o, ok := l.next()
		if !ok || n%1024 == 0 && in.ctx.Err() != nil || len(in.marks) > maxMarks {
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
			skipInlineImage(&l)
		case op == "Do":
			in.draw(last(operands), resources, depth)
		case op == "Tf" && len(operands) >= 2:
			fontName, _ := operands[0].(name)
			in.state.font = in.file.readFont(in.file.dict(resources["Font"])[fontName])
			in.state.size = number(operands[1])
		default:
			in.apply(op, operands, resources)
		}
		operands = operands[:0]
	}
}

// last is the last operand, nil when there is none.
func last(operands []object) object {
	if len(operands) == 0 {
		return nil
	}
	return operands[len(operands)-1]
}

// skipInlineImage moves on behind the end of an image in the content itself.
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

// draw draws a form or notes an image.
func (in *interpreter) draw(o object, resources dict, depth int) {
	key, _ := o.(name)
	s, ok := in.file.resolve(in.file.dict(resources["XObject"])[key]).(*stream)
	if !ok {
		return
	}
	if in.file.resolve(s.dict["Subtype"]) != name("Form") {
		in.images++
		return
	}
	in.forms++
	if depth >= maxForms || in.forms > maxDrawn {
		return
	}
	in.form(s, identity(), resources, depth)
}

// form draws a form where at puts it.
func (in *interpreter) form(s *stream, at matrix, resources dict, depth int) {
	before, saved := in.state, in.saved
	in.saved = nil
	in.state.ctm = matrixOf(in.file.array(s.dict["Matrix"])).then(at).then(in.state.ctm)
	if own := in.file.dict(s.dict["Resources"]); own != nil {
		resources = own
	}
	in.run(in.file.decode(s), resources, depth+1)
	in.state, in.saved = before, saved
}

// apply takes an operator that changes the state or shows text.
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
	case "BDC", "BMC":
		in.begin(operands, resources)
	case "EMC":
		in.actual = in.actual[:max(0, len(in.actual)-1)]
	default:
		in.show(op, operands)
	}
}

// show takes an operator that moves to another line or shows text.
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
				s.text = s.text.moved(-n/1000*s.size*s.scale, 0)
			} else {
				in.string(o)
			}
		}
	}
}

// nextLine moves to the start of the next line.
func (in *interpreter) nextLine() {
	in.state.start = in.state.start.moved(0, -in.state.leading)
	in.state.text = in.state.start
}

// string shows a string.
func (in *interpreter) string(o object) {
	s := &in.state
	codes, ok := o.(text)
	if !ok || s.font == nil {
		return
	}
	for _, g := range s.font.glyphs(codes) {
		advance := g.width*s.size + s.char
		if g.space {
			advance += s.word
		}
		in.mark(g, g.width*s.size*s.scale)
		s.text = s.text.moved(advance*s.scale, 0)
	}
}

// mark notes a glyph of that width where the state puts it.
func (in *interpreter) mark(g glyph, width float64) {
	if n := len(in.actual); n > 0 && in.actual[n-1] != nil {
		g.text, g.known = *in.actual[n-1], true
		*in.actual[n-1] = ""
	}
	if !g.known {
		in.unknown++
	}
	s := &in.state
	m := s.text.then(s.ctm)
	turn := m.quarter()
	start, end := m.moved(0, s.rise), m.moved(width, s.rise)
	x0, y := turned(start.e, start.f, turn)
	x1, _ := turned(end.e, end.f, turn)
	size := math.Abs(s.size) * math.Hypot(m.c, m.d)
	if finite(x0, x1, y, size) && size > 0 {
		in.marks = append(in.marks, mark{g.text, min(x0, x1), max(x0, x1), y, size, turn, s.font.bold})
	}
}

// begin opens marked content, for which its properties may hold the text that
// it stands for (section 14.9.4).
func (in *interpreter) begin(operands []object, resources dict) {
	var actual *string
	if n := len(in.actual); n > 0 {
		actual = in.actual[n-1]
	}
	properties, _ := last(operands).(dict)
	if key, ok := last(operands).(name); ok && len(operands) == 2 {
		properties = in.file.dict(in.file.dict(resources["Properties"])[key])
	}
	if s, ok := in.file.resolve(properties["ActualText"]).(text); ok {
		words := textString(s)
		actual = &words
	}
	if len(in.actual) < maxStates {
		in.actual = append(in.actual, actual)
	}
}
