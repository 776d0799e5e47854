package pdf

import (
	"bytes"
	"strconv"
)

// lexer reads objects from the bytes of a file or of a content stream. It
// never fails: what makes no sense is read as an operator or skipped, and at
// the end it yields no more.
type lexer struct {
	data []byte
	pos  int
}

// maxNesting is how deep arrays and dictionaries may be nested.
const maxNesting = 64

// isSpace reports whether b is white space in a PDF.
func isSpace(b byte) bool {
	return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == '\f' || b == 0
}

// isDelimiter reports whether b ends a name, a number or an operator.
func isDelimiter(b byte) bool {
	return isSpace(b) || bytes.IndexByte([]byte("()<>[]{}/%"), b) >= 0
}

// skipSpace moves on to the next byte that is neither white space nor comment.
func (l *lexer) skipSpace() {
	for l.pos < len(l.data) {
		switch b := l.data[l.pos]; {
		case isSpace(b):
			l.pos++
		case b == '%':
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// next is the next object, and false at the end of the data.
func (l *lexer) next() (object, bool) { return l.object(0) }

// object reads an object within depth others.
func (l *lexer) object(depth int) (object, bool) {
	l.skipSpace()
	if l.pos >= len(l.data) {
		return nil, false
	}
	b := l.data[l.pos]
	l.pos++
	switch {
	case b == '/':
		return l.name(), true
	case b == '(':
		return l.literal(), true
	case b == '<' && l.peek() == '<':
		l.pos++
		return l.dict(depth), true
	case b == '<':
		return l.hex(), true
	case b == '[':
		return l.array(depth), true
	case b == '>' && l.peek() == '>':
		l.pos++
		return operator(">>"), true
	case bytes.IndexByte([]byte(")>]{}"), b) >= 0:
		return operator(b), true
	}
	l.pos--
	return l.word(), true
}

// peek is the byte at hand, 0 at the end.
func (l *lexer) peek() byte {
	if l.pos < len(l.data) {
		return l.data[l.pos]
	}
	return 0
}

// run is the bytes up to the next delimiter.
func (l *lexer) run() []byte {
	start := l.pos
	for l.pos < len(l.data) && !isDelimiter(l.data[l.pos]) {
		l.pos++
	}
	return l.data[start:l.pos]
}

// word reads a number, a keyword or an operator.
func (l *lexer) word() object {
	run := l.run()
	if n, ok := parseNumber(run); ok {
		return n
	}
	switch string(run) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return operator(run)
}

// parseNumber reads a number as programs write them, which is at times with
// two signs.
func parseNumber(run []byte) (float64, bool) {
	if len(run) == 0 || len(run) > 64 || bytes.IndexByte([]byte("+-.0123456789"), run[0]) < 0 {
		return 0, false
	}
	for len(run) > 1 && run[0] == '-' && run[1] == '-' {
		run = run[1:]
	}
	if bytes.ContainsAny(run, "eExXpPnNiI_") {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(run), 64)
	return n, err == nil
}

// name reads a name after its slash.
func (l *lexer) name() object {
	run := l.run()
	if bytes.IndexByte(run, '#') < 0 {
		return name(run)
	}
	var out []byte
	for i := 0; i < len(run); i++ {
		if run[i] == '#' && i+2 < len(run) && unhex(run[i+1]) >= 0 && unhex(run[i+2]) >= 0 {
			out = append(out, byte(unhex(run[i+1])<<4|unhex(run[i+2])))
			i += 2
			continue
		}
		out = append(out, run[i])
	}
	return name(out)
}

// unhex is the value of a hexadecimal digit, negative when b is none.
func unhex(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// hex reads a string of hexadecimal digits after its <.
func (l *lexer) hex() object {
	var out []byte
	high := -1
	for l.pos < len(l.data) {
		b := l.data[l.pos]
		l.pos++
		if b == '>' {
			break
		}
		switch digit := unhex(b); {
		case digit < 0:
		case high < 0:
			high = digit
		default:
			out = append(out, byte(high<<4|digit))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return text(out)
}

// array reads an array after its [.
func (l *lexer) array(depth int) object {
	var out array
	for depth < maxNesting {
		o, ok := l.object(depth + 1)
		if !ok || o == operator("]") {
			break
		}
		if o == operator("R") && len(out) >= 2 {
			n := len(out) - 2
			o = ref{integer(out[n]), integer(out[n+1])}
			out = out[:n]
		}
		out = append(out, o)
	}
	return out
}

// dict reads a dictionary after its <<.
func (l *lexer) dict(depth int) object {
	out := make(dict)
	var pending []object // a key and what follows it
	store := func() {
		if len(pending) < 2 {
			return
		}
		key, _ := pending[0].(name)
		if len(pending) == 4 && pending[3] == operator("R") {
			out[key] = ref{integer(pending[1]), integer(pending[2])}
		} else {
			out[key] = pending[1]
		}
	}
	for depth < maxNesting {
		o, ok := l.object(depth + 1)
		if !ok || o == operator(">>") || o == operator("endobj") || o == operator("stream") {
			break
		}
		if _, isName := o.(name); isName && len(pending) != 1 {
			store()
			pending = pending[:0]
		}
		if _, isName := o.(name); len(pending) > 0 || isName {
			pending = append(pending, o)
		}
	}
	store()
	return out
}
