package pdf

import (
	"cmp"
	"slices"
	"sort"
	"unicode/utf16"
)

// A cmap maps the codes of a font to characters or to glyph numbers (sections
// 9.7.5 and 9.10.3).
type cmap struct {
	spaces []codeSpace
	chars  map[code]string
	ranges []cmapRange // sorted by size and low before use
}

// The limits of a CMap. A code stands for at most 512 bytes (Adobe technical
// note 5411); blocks of mappings have up to 100 lines, and more in some files.
const (
	maxMappings  = 1 << 17
	maxSpaces    = 256
	maxMapped    = 512
	maxOperands  = 3 << 16
	mappingBytes = 48 // roughly, in memory
)

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

// readCMap reads a CMap and counts what it holds.
func (f *File) readCMap(s *stream) *cmap {
	m := parseCMap(f.decode(s))
	f.spend(mappingBytes * (len(m.chars) + len(m.ranges)))
	return m
}

// parseCMap parses the mapping operators of a CMap and ignores the rest.
func parseCMap(data []byte) *cmap {
	m := &cmap{chars: make(map[code]string)}
	l := lexer{data: data}
	var operands []object
	for len(m.chars)+len(m.ranges) < maxMappings {
		o, ok := l.next()
		if !ok {
			break
		}
		op, isOp := o.(operator)
		if !isOp {
			if len(operands) < maxOperands {
				operands = append(operands, o)
			}
			continue
		}
		m.apply(op, operands)
		operands = operands[:0]
	}
	slices.SortStableFunc(m.ranges, func(r, s cmapRange) int { return cmp.Or(r.size-s.size, cmp.Compare(r.low, s.low)) })
	return m
}

func (m *cmap) apply(op operator, operands []object) {
	switch op {
	case "endcodespacerange":
		for ; len(operands) >= 2 && len(m.spaces) < maxSpaces; operands = operands[2:] {
			low, high := codeOf(operands[0]), codeOf(operands[1])
			m.spaces = append(m.spaces, codeSpace{low.value, high.value, low.size})
		}
	case "endbfchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			if s, ok := operands[1].(text); ok && len(s) <= maxMapped {
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
		if len(to) > maxMapped {
			return
		}
		m.ranges = append(m.ranges, cmapRange{low.value, high.value, low.size, 0, decodeUTF16(to)})
	case float64:
		m.ranges = append(m.ranges, cmapRange{low.value, high.value, low.size, uint32(integer(to)), ""})
	case array:
		for i, o := range to {
			if s, ok := o.(text); ok && len(s) <= maxMapped && low.value+uint32(i) <= high.value {
				m.chars[code{low.value + uint32(i), low.size}] = decodeUTF16(s)
			}
		}
	}
}

func (m *cmap) find(c code) (cmapRange, bool) {
	i := sort.Search(len(m.ranges), func(i int) bool {
		r := m.ranges[i]
		return r.size > c.size || r.size == c.size && r.low > c.value
	})
	if i == 0 || m.ranges[i-1].size != c.size {
		return cmapRange{}, false
	}
	return m.ranges[i-1], c.value <= m.ranges[i-1].high
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
