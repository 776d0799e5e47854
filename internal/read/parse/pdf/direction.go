package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A direction is how the lines of a page run.
type direction struct {
	any         bool // there are right-to-left letters
	rightToLeft bool // most letters are right-to-left
}

// isRightToLeft reports whether a character belongs to a script that runs from
// right to left.
func isRightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08FF && !unicode.IsDigit(r) || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF
}

// directionOf counts the letters of a page by direction.
func directionOf(chars []char) direction {
	right, left := 0, 0
	for _, c := range chars {
		for _, r := range c.text {
			switch {
			case isRightToLeft(r):
				right++
			case unicode.IsLetter(r):
				left++
			}
		}
	}
	return direction{right > 0, right > left}
}

// leftToRight orders the characters of each line with letters of scripts that run
// from right to left by their place. The other lines keep their order.
func leftToRight(chars []char) {
	slices.SortStableFunc(chars, func(c, d char) int { return cmp.Compare(d.y, c.y) })
	for start, i := 0, 1; i <= len(chars); i++ {
		if i < len(chars) && chars[start].y-chars[i].y < 0.45*max(chars[start].size, chars[i].size) {
			continue
		}
		if row := chars[start:i]; slices.ContainsFunc(row, func(c char) bool { return strings.ContainsFunc(c.text, isRightToLeft) }) {
			slices.SortStableFunc(row, func(c, d char) int { return cmp.Compare(c.x0, d.x0) })
		}
		start = i
	}
}

// settle looks at how words end, since some programs write the letters of such
// scripts from left to right as they are read: then the order is left alone.
func (d *direction) settle(segments []*segment) {
	if !d.any {
		return
	}
	asSeen, asRead := 0, 0
	for _, s := range segments {
		var line strings.Builder
		for _, c := range s.chars {
			if utf8.RuneCountInString(c.text) < 8 {
				line.WriteString(folded(c.text))
			}
		}
		for word := range strings.FieldsFuncSeq(line.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			first, last := firstRune(word), lastRune(word)
			if utf8.RuneCountInString(word) < 2 {
				continue
			}
			if strings.ContainsRune(endsWords, first) || strings.HasSuffix(word, "\u0644\u0627") {
				asSeen++
			}
			if strings.ContainsRune(endsWords, last) || strings.HasPrefix(word, "\u0627\u0644") {
				asRead++
			}
		}
	}
	if asRead > asSeen {
		*d = direction{}
	}
}

// endsWords holds the letters of Hebrew and Arabic that occur at the end of a word.
const endsWords = "\u05DA\u05DD\u05DF\u05E3\u05E5\u0629\u0649"

// A kind of text, by how it runs (Unicode Standard Annex 9).
type kind int

const (
	neutral kind = iota
	leftward
	rightward
	figure
	ofFigure // written next to digits, such as %
)

func kindOf(s string) kind {
	for _, r := range s {
		switch {
		case isRightToLeft(r) && !unicode.IsPunct(r):
			return leftward
		case unicode.IsDigit(r), unicode.IsNumber(r):
			return figure
		case unicode.IsLetter(r):
			return rightward
		case strings.ContainsRune("%$€£¥#°‰₪", r):
			return ofFigure
		}
	}
	return neutral
}

// ordered puts the contents of a line, given from left to right, into reading order.
func (d direction) ordered(marks []mark) []mark {
	right, left := 0, 0
	for _, m := range marks {
		switch kindOf(m.text) {
		case leftward:
			right++
		case rightward:
			left++
		}
	}
	marks = withAccents(marks)
	switch {
	case d.rightToLeft || right > 0 && right >= left:
		return fromRight(marks)
	case right == 0:
		return marks
	}
	var out []mark
	for i := 0; i < len(marks); i++ {
		end := i
		for j := i; j < len(marks) && kindOf(marks[i].text) == leftward && kindOf(marks[j].text) != rightward; j++ {
			if kindOf(marks[j].text) == leftward {
				end = j
			}
		}
		out = append(out, fromRight(marks[i:end+1])...)
		i = end
	}
	return out
}

// withAccents joins accents and points to their letters.
func withAccents(marks []mark) []mark {
	var out []mark
	for _, m := range marks {
		if r := firstRune(m.text); len(out) > 0 && unicode.Is(unicode.Mn, r) && out[len(out)-1].text != " " {
			out[len(out)-1].text += m.text
			continue
		}
		out = append(out, m)
	}
	return out
}

// fromRight reads marks from right to left, but words of other scripts and
// figures in between from left to right.
func fromRight(marks []mark) []mark {
	out := make([]mark, 0, len(marks))
	for end := len(marks); end > 0; {
		start := end - 1
		if k := kindOf(marks[start].text); k == rightward || k == figure || k == ofFigure {
			start = insetStart(marks[:end])
			out = append(out, inset(marks[start:end])...)
		} else {
			out = append(out, marks[start])
		}
		end = start
	}
	return unmirrored(out)
}

// insetStart returns where the text that runs from left to right up to the end
// of marks begins.
func insetStart(marks []mark) int {
	start := len(marks)
	for i := start - 1; i >= 0; i-- {
		k := kindOf(marks[i].text)
		if k == leftward {
			break
		}
		if k == rightward || k == figure || k == ofFigure && i+1 == start {
			start = i
		}
	}
	return start
}

// inset returns text that runs from left to right. Figures without words follow
// one another from right to left, each with the marks around it.
func inset(marks []mark) []mark {
	if slices.ContainsFunc(marks, func(m mark) bool { return kindOf(m.text) == rightward }) {
		return marks
	}
	var out []mark
	for end := len(marks); end > 0; {
		start := end
		for start > 0 && marks[start-1].text != " " {
			start--
		}
		out = append(out, ofNumber(marks[start:end])...)
		if start > 0 {
			start--
			out = append(out, marks[start])
		}
		end = start
	}
	return out
}

// ofNumber returns a word of figures with the signs on its right before it, and those on its left, except for a sign of
// the number, behind it.
func ofNumber(word []mark) []mark {
	inNumber := func(m mark) bool { k := kindOf(m.text); return k == figure || k == ofFigure }
	from := slices.IndexFunc(word, inNumber)
	if from < 0 {
		slices.Reverse(word)
		return word
	}
	to := len(word)
	for !inNumber(word[to-1]) {
		to--
	}
	if from > 0 && strings.ContainsAny(word[from-1].text, "+-\u2212") {
		from--
	}
	var out []mark
	for _, m := range slices.Backward(word[to:]) {
		out = append(out, m)
	}
	out = append(out, word[from:to]...)
	for _, m := range slices.Backward(word[:from]) {
		out = append(out, m)
	}
	return out
}

const brackets = "()[]{}«»<>"

// unmirrored turns brackets around where a line has the closing one first: some
// files name brackets by how they look, others by what they are.
func unmirrored(marks []mark) []mark {
	first := slices.IndexFunc(marks, func(m mark) bool { return len(m.text) <= 2 && strings.ContainsAny(m.text, brackets) })
	if first < 0 || strings.ContainsAny(marks[first].text, "([{«<") {
		return marks
	}
	pairs := strings.NewReplacer("(", ")", ")", "(", "[", "]", "]", "[", "{", "}", "}", "{", "«", "»", "»", "«", "<", ">", ">", "<")
	for i, m := range marks {
		if len(m.text) <= 2 && strings.ContainsAny(m.text, brackets) {
			marks[i].text = pairs.Replace(m.text)
		}
	}
	return marks
}

// folded replaces presentation forms of Arabic and Hebrew letters, and of marks in vertical lines, by the letters they
// stand for.
func folded(s string) string {
	if !strings.ContainsFunc(s, isForm) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isForm(r) {
			b.WriteString(strings.TrimSpace(norm.NFKC.String(string(r))))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isForm(r rune) bool {
	return r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC || r >= 0xFE10 && r <= 0xFE19 || r >= 0xFE30 && r <= 0xFE48
}
