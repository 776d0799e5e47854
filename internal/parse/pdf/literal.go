package pdf

// literal reads a string after its opening parenthesis.
func (l *lexer) literal() object {
	var out []byte
	for depth := 1; l.pos < len(l.data); {
		b := l.data[l.pos]
		l.pos++
		switch b {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return text(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		case '\r':
			if l.peek() == '\n' {
				l.pos++
			}
			b = '\n'
		}
		if len(out) < maxString {
			out = append(out, b)
		}
	}
	return text(out)
}

// escape reads an escape sequence after its backslash and appends its value.
func (l *lexer) escape(out []byte) []byte {
	if l.pos == len(l.data) {
		return out
	}
	b := l.data[l.pos]
	l.pos++
	switch b {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.peek() == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if b < '0' || b > '7' {
		return append(out, b)
	}
	code := int(b - '0')
	for range 2 {
		if d := l.peek(); d >= '0' && d <= '7' {
			code = code<<3 | int(d-'0')
			l.pos++
		}
	}
	return append(out, byte(code))
}
