package parse

import (
	"strconv"
	"strings"
)

// rtfLists are the lists of a file. They number the paragraphs whose numbers are not
// written out.
type rtfLists struct {
	numbers *docxNumbers
	list    *docxList // being read
	level   int
	said    strings.Builder // the text of the level
	num     *docxNum        // being read
	written bool            // the number of the paragraph that is read is written out
}

func newRTFLists() rtfLists {
	return rtfLists{numbers: &docxNumbers{lists: map[string]*docxList{}, nums: map[string]*docxNum{}, counts: map[string]*[docxLevels]int{}}}
}

// rtfNumberings are the kinds of numbers, as RTF calls them.
var rtfNumberings = map[int]numbering{0: decimal, 1: upperRoman, 2: lowerRoman, 3: upperLetter, 4: lowerLetter, 22: padded, 23: bullet, 255: unnumbered}

// word obeys a control word of the tables of lists.
func (l *rtfLists) word(s *rtfState, word string, n int) {
	switch word {
	case "list":
		l.list, l.level = &docxList{}, -1
	case "listlevel":
		if l.level++; l.list != nil && l.level < docxLevels {
			l.list.levels[l.level].start = 1
		}
	case "levelnfc", "levelnfcn":
		l.change(func(of *docxLevel) { of.format = rtfNumberings[n] })
	case "levelstartat":
		l.change(func(of *docxLevel) { of.start = n })
	case "leveltext":
		s.levelText = l.list != nil
		l.said.Reset()
	case "levelnumbers":
		s.levelText = false
		text := l.levelText()
		l.change(func(of *docxLevel) { of.text = text })
	case "listid":
		if l.list != nil && len(l.numbers.lists) < maxLists {
			l.numbers.lists[strconv.Itoa(n)] = l.list
		}
		if l.num != nil {
			l.num.list = strconv.Itoa(n)
		}
		l.list = nil
	case "ls":
		s.list = n
		l.override(n)
	case "ilvl":
		s.depth = n
	case "listtext", "pntext":
		l.written = true
	case "listoverride":
		l.num = &docxNum{}
	}
}

// override ends the entry of the list with a number.
func (l *rtfLists) override(n int) {
	if l.num != nil && len(l.numbers.nums) < maxLists {
		l.numbers.nums[strconv.Itoa(n)] = l.num
	}
	l.num = nil
}

func (l *rtfLists) change(f func(*docxLevel)) {
	if l.list != nil && l.level >= 0 && l.level < docxLevels {
		f(&l.list.levels[l.level])
	}
}

func (l *rtfLists) text(s string) {
	if l.said.Len() < maxLevelText {
		l.said.WriteString(s)
	}
}

// levelText returns the text of a level with its numbers as %1 and so on. In the file its
// first character is its length, and characters below 9 stand for numbers.
func (l *rtfLists) levelText() string {
	said := []rune(l.said.String())
	if len(said) == 0 {
		return ""
	}
	var b strings.Builder
	for _, r := range said[1:min(len(said), 1+int(said[0]))] {
		if r < docxLevels {
			b.WriteString("%" + strconv.Itoa(int(r)+1))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mark counts a paragraph of a list and returns its number, "" if that is written out or the
// paragraph is in no list.
func (l *rtfLists) mark(s rtfState, text string) string {
	written := l.written
	l.written = false
	if s.list <= 0 || l.numbers.nums[strconv.Itoa(s.list)] == nil || strings.TrimSpace(text) == "" {
		return ""
	}
	mark := l.numbers.next(strconv.Itoa(s.list), min(max(s.depth, 0), docxLevels-1), nil)
	if written {
		return ""
	}
	return mark
}
