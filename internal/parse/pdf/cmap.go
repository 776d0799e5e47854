package pdf

import (
	"sort"
	"unicode/utf16"
)

// A cmap maps the codes of a font to characters or to glyph numbers (sections
// 9.7.5 and 9.10.3).
type cmap struct {
	spaces []codeSpace
	chars  map[code]string
	ranges []cmapRange // sorted by low before use
}

type code struct {
	value uint32
	size  int // in bytes
}

// A codeSpace is a range of valid codes.
type codeSpace struct {
	low, high uint32
	size      int
}

// A cmapRange maps codes from low to high to successive values.
type cmapRange struct {
	low, high uint32
	size      int
	first     uint32 // glyph number of low
	text      string // or its characters
}

func codeOf(o object) code {
	s, _ := o.(text)
	return code{uint32(bigEndian([]byte(s[:min(len(s), 4)]))), len(s)}
}

// parseCMap parses the mapping operators of a CMap and ignores the rest.
func parseCMap(data []byte) *cmap {
	m := &cmap{chars: make(map[code]string)}
	l := lexer{data: data}
	var operands []object
	for {
		o, ok := l.next()
		if !ok {
			break
		}
		op, isOp := o.(operator)
		if !isOp {
			operands = append(operands, o)
			continue
		}
		m.apply(op, operands)
		operands = operands[:0]
	}
	sort.SliceStable(m.ranges, func(i, j int) bool { return m.ranges[i].low < m.ranges[j].low })
	return m
}

func (m *cmap) apply(op operator, operands []object) {
	switch op {
	case "endcodespacerange":
		for ; len(operands) >= 2; operands = operands[2:] {
			low, high := codeOf(operands[0]), codeOf(operands[1])
			m.spaces = append(m.spaces, codeSpace{low.value, high.value, low.size})
		}
	case "endbfchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			if s, ok := operands[1].(text); ok {
				m.chars[codeOf(operands[0])] = decodeUTF16(s)
			}
		}
	case "endbfrange", "endcidrange":
		for ; len(operands) >= 3; operands = operands[3:] {
			m.addRange(codeOf(operands[0]), codeOf(operands[1]), operands[2])
		}
	case "endcidchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			m.addRange(codeOf(operands[0]), codeOf(operands[0]), operands[1])
		}
	}
}

// addRange maps the codes from low to high to successive values from to on, or
// to the items of to.
func (m *cmap) addRange(low, high code, to object) {
	switch to := to.(type) {
	case text:
		m.ranges = append(m.ranges, cmapRange{low.value, high.value, low.size, 0, decodeUTF16(to)})
	case float64:
		m.ranges = append(m.ranges, cmapRange{low.value, high.value, low.size, uint32(integer(to)), ""})
	case array:
		for i, o := range to {
			if s, ok := o.(text); ok && low.value+uint32(i) <= high.value {
				m.chars[code{low.value + uint32(i), low.size}] = decodeUTF16(s)
			}
		}
	}
}

func (m *cmap) find(c code) (cmapRange, bool) {
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].low > c.value })
	for i--; i >= 0; i-- {
		if r := m.ranges[i]; r.size == c.size {
			return r, c.value <= r.high
		}
	}
	return cmapRange{}, false
}

// text returns the characters of a code, if mapped.
func (m *cmap) text(c code) (string, bool) {
	if s, ok := m.chars[c]; ok {
		return s, true
	}
	r, ok := m.find(c)
	if !ok || r.text == "" {
		return "", false
	}
	runes := []rune(r.text)
	runes[len(runes)-1] += rune(c.value - r.low)
	return string(runes), true
}

// glyph returns the glyph number of a code.
func (m *cmap) glyph(c code) int {
	r, ok := m.find(c)
	if !ok {
		return 0
	}
	return int(r.first + c.value - r.low)
}

// next returns the code at the front of s by the code spaces, or one of two
// bytes if none fits.
func (m *cmap) next(s text) code {
	for size := 1; size <= min(4, len(s)); size++ {
		c := codeOf(s[:size])
		for _, space := range m.spaces {
			if space.size == size && c.value >= space.low && c.value <= space.high {
				return c
			}
		}
	}
	return codeOf(s[:min(2, len(s))])
}

// decodeUTF16 decodes big-endian UTF-16; a single byte stands for itself.
func decodeUTF16(s text) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, len(s)/2)
	for i := range units {
		units[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
	}
	return string(utf16.Decode(units))
}
