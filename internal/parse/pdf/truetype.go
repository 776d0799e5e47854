package pdf

// The limits of an embedded font: of its tables and of the ranges of one, and of
// the characters in all ranges.
const (
	maxTables = 1 << 12
	maxRanged = 1 << 18
)

// embeddedChars returns the characters of the glyphs of a TrueType font that a
// composite font embeds, by the table that the font maps characters by, or nil.
func (f *File) embeddedChars(descriptor dict) map[int]rune {
	s, ok := f.resolve(descriptor["FontFile2"]).(*stream)
	if !ok {
		return nil
	}
	data := tableOf(f.decode(s), "cmap")
	best, rank := []byte(nil), 0
	for i := range min(at16(data, 2), maxTables) {
		entry := slice(data, 4+8*i)
		platform, kind, offset := at16(entry, 0), at16(entry, 2), at32(entry, 4)
		r := 0
		switch {
		case platform == 3 && kind == 10:
			r = 3
		case platform == 3 && kind == 1, platform == 0:
			r = 2
		}
		if r > rank {
			best, rank = slice(data, offset), r
		}
	}
	chars := make(map[int]rune)
	switch at16(best, 0) {
	case 4:
		segmentChars(best, chars)
	case 12:
		groupChars(best, chars)
	}
	f.spend(mappingBytes * len(chars))
	return chars
}

// groupChars reads a table of groups (format 12).
func groupChars(data []byte, chars map[int]rune) {
	left := maxRanged
	for i := range min(at32(data, 12), maxTables) {
		group := slice(data, 16+12*i)
		first, last, number := at32(group, 0), at32(group, 4), at32(group, 8)
		for c := first; c <= last && c <= 0x10FFFF && left > 0; c++ {
			setChar(chars, number+c-first, rune(c))
			left--
		}
	}
}

// segmentChars reads a table of segments (format 4).
func segmentChars(data []byte, chars map[int]rune) {
	n, left := at16(data, 6)/2, maxRanged
	if len(data) < 16+8*n {
		return
	}
	ends, starts, deltas, offsets := slice(data, 14), slice(data, 16+2*n), slice(data, 16+4*n), slice(data, 16+6*n)
	for i := range min(n, maxTables) {
		first, last, delta, offset := at16(starts, 2*i), at16(ends, 2*i), at16(deltas, 2*i), at16(offsets, 2*i)
		for c := first; c <= last && c < 0xFFFF && left > 0; c++ {
			left--
			number := c
			if offset > 0 {
				if number = at16(offsets, 2*i+offset+2*(c-first)); number == 0 {
					continue
				}
			}
			setChar(chars, (number+delta)&0xFFFF, rune(c))
		}
	}
}

// setChar notes the first character of a glyph that is not a private one.
func setChar(chars map[int]rune, glyph int, r rune) {
	if _, known := chars[glyph]; !known && glyph > 0 && r >= ' ' && len(chars) < maxGlyphs && (r < 0xE000 || r > 0xF8FF) {
		chars[glyph] = r
	}
}

// tableOf returns a table of a TrueType font.
func tableOf(data []byte, tag string) []byte {
	for i := range min(at16(data, 4), maxTables) {
		if entry := slice(data, 12+16*i); len(entry) >= 16 && string(entry[:4]) == tag {
			return slice(data, at32(entry, 8))
		}
	}
	return nil
}

// slice returns data from an offset on, which may lie behind its end.
func slice(data []byte, from int) []byte { return data[min(max(from, 0), len(data)):] }

func at16(data []byte, at int) int { return bigEndian(pick(data, at, 2)) }

func at32(data []byte, at int) int { return bigEndian(pick(data, at, 4)) }

// pick returns n bytes, or none if data does not reach so far.
func pick(data []byte, at, n int) []byte {
	if at < 0 || at > len(data)-n {
		return nil
	}
	return data[at : at+n]
}
