package parse

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"
)

// A guess is the encoding in which a text is most likely written.
type guess struct {
	of    *Encoding
	rival *Encoding // one that is nearly as likely and reads another text; nil if there is none
	cost  float64   // of the text in it, for each byte of what was compared
	told  bool      // the bytes leave no doubt: there is a mark at their beginning, or UTF-8 throughout
}

// byteOrderMarks begin texts in encodings of Unicode. That of UTF-32 begins like that of UTF-16.
var byteOrderMarks = []struct{ mark, name string }{
	{"\xFF\xFE\x00\x00", "utf-32le"}, {"\x00\x00\xFE\xFF", "utf-32be"}, {"\xEF\xBB\xBF", "utf-8"}, {"\xFF\xFE", "utf-16le"}, {"\xFE\xFF", "utf-16be"},
}

// guessEncoding returns the encoding in which data is most likely written, a guess without
// one for data that is no text in any.
func guessEncoding(data []byte) guess {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(data, []byte(m.mark)) && (len(m.mark) < 4 || len(data)%4 == 0) {
			return guess{of: encodingOf(m.name), told: true}
		}
	}
	switch {
	case hasZeros(data):
		return guessWide(data)
	case bytes.Contains(data, []byte("\x1b$")) && isSevenBit(data):
		return guess{of: encodingOf("iso-2022-jp"), told: true}
	case utf8.Valid(data):
		if g := guessShort(data); g.of != nil {
			return g
		}
		return guess{of: encodingOf("utf-8"), told: true}
	case mostlyUTF8(data, 4):
		return guess{of: encodingOf("utf-8")}
	}
	sample := sampleOf(data)
	g := compare(sample, encodings())
	if mostlyUTF8(sample, 2) && costInAny(strings.ToValidUTF8(string(sample), "\uFFFD"), g.cost*float64(len(sample))) < g.cost*float64(len(sample)) {
		return guess{of: encodingOf("utf-8")}
	}
	if len(data)%2 == 0 && len(data) > 2 { // a text in UTF-16 without ASCII may hold no zero
		if wide := guessWide(data); wide.of != nil && wide.cost+4 < g.cost*float64(len(sample)) {
			return wide
		}
	}
	return g
}

// guessShort doubts a text that is valid UTF-8 by chance: two letters of Chinese or Korean
// in an older encoding may be. It returns a guess without an encoding if there is no doubt.
func guessShort(data []byte) guess {
	const few = 8
	strange, n := 0, 0
	for _, r := range string(data) {
		if r < utf8.RuneSelf {
			continue
		}
		if n++; n > few {
			return guess{}
		}
		if r < 0x800 && !inAny(r) {
			strange++
		}
	}
	if strange < 2 || 2*strange < n {
		return guess{}
	}
	return compare(data, encodings())
}

// maxSample is the most bytes that are compared with the encodings.
const maxSample = 8 << 10

// sampleOf returns lines of data with bytes beyond ASCII.
func sampleOf(data []byte) []byte {
	if len(data) <= maxSample {
		return data
	}
	var sample []byte
	for line := range bytes.SplitAfterSeq(data[:min(len(data), 4<<20)], []byte("\n")) {
		if isSevenBit(line) {
			continue
		}
		if at := bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }); len(line) > maxSample && at > maxSample/2 {
			line = line[at-100:] // what stands before is ASCII
		}
		sample = append(sample, line[:min(len(line), maxSample-len(sample))]...)
		if len(sample) == maxSample {
			break
		}
	}
	return sample
}

// compare returns the encoding of the list in which data costs least.
func compare(data []byte, list []*Encoding) guess {
	best := guess{cost: math.Inf(1)}
	second, text, secondText := math.Inf(1), "", ""
	var rival *Encoding
	for _, e := range list {
		if e.tells < 0 {
			continue
		}
		s := e.decode(data)
		cost := costOf(s, e, best.cost+2*doubtful)
		switch {
		case cost < best.cost:
			if s != text && best.of != nil {
				second, rival, secondText = best.cost, best.of, text
			}
			best.of, best.cost, text = e, cost, s
		case cost < second && s != text:
			second, rival, secondText = cost, e, s
		}
	}
	if best.of == nil {
		return best
	}
	if secondText != text && second-best.cost < doubtful {
		best.rival = rival
	}
	best.cost /= float64(max(1, len(data)))
	return best
}

// doubtful is the difference of costs below which another encoding is named beside the guess.
const doubtful = 6

// guessWide tells UTF-16 and UTF-32 without a mark from one another and from binary data.
func guessWide(data []byte) guess {
	if len(data) < leastWide || len(data)%2 != 0 {
		return guess{}
	}
	sample := data
	if len(data) > maxSample {
		sample = data[:maxSample]
	}
	best := guess{cost: math.Inf(1)}
	for _, name := range []string{"utf-16le", "utf-16be", "utf-32le", "utf-32be"} {
		e := encodingOf(name)
		s := e.decode(sample)
		if strings.ContainsFunc(strings.TrimSuffix(s, "\uFFFD"), notText) {
			continue
		}
		if mean := wideCost(s); mean > mostWide && strings.HasPrefix(name, "utf-16") || mean > 11 {
			continue
		} else if cost := mean * float64(utf8.RuneCountInString(s)); cost < best.cost {
			best.of, best.cost = e, cost
		}
	}
	return best
}

// The least bytes of a text in UTF-16 or UTF-32 without a mark, and what its characters cost
// at most on average: binary data is seldom so plain.
const (
	leastWide = 8
	mostWide  = 8.5
)

// notText reports whether no text in Unicode holds r.
func notText(r rune) bool {
	return r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a\x1b\b", r) || r >= 0x7F && r < 0xA0 && r != 0x85 || r >= 0xE000 && r < 0xF900 || r >= 0xE0000 || isInvisible(r) && r >= 0xFDD0 && r != 0xFEFF
}

// hasZeros reports whether data holds bytes as only encodings of more than one byte to
// each character have them: zeros, or many that control something.
func hasZeros(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 || looksBinary(data) }

func isSevenBit(data []byte) bool {
	for _, b := range data {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
