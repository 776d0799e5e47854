package domain

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// StatedLines are the lines of a text that state something under a name, by the name in small letters.
type StatedLines map[string][]statedLine

// A statedLine states a value.
type statedLine struct {
	value string
	span  Span
}

const (
	cellMark  = "|"           // between the cells of a row
	dressed   = " \t*_`#"     // around names and values
	beforeAll = " \t#-–•>*_`" // before a line
)

// ReadLines returns the lines of a text that state something: "Status: final", rows of tables such as "Status | final",
// and names whose value is in the next line. Lines that were joined into a paragraph may state several things: "Status:
// final Date: 3 May 2021".
func ReadLines(text string) StatedLines {
	l := StatedLines{}
	at, open, from := 0, "", 0 // a name whose value is in the next line, and where it begins
	for row := range strings.SplitSeq(text, "\n") {
		end := at + Runes(row)
		for part := range stated(row) {
			name, value, is := splitStated(part)
			whole := Span{Start: at, End: at + Runes(part)}
			switch {
			case is && value != "":
				l[name] = append(l[name], statedLine{value, whole})
			case open != "" && strings.Trim(part, dressed) != "":
				l[open] = append(l[open], statedLine{strings.Trim(part, dressed), Span{Start: from, End: whole.End}})
			}
			if open = ""; is && value == "" {
				open, from = name, at
			}
			at = whole.End
		}
		at = end + 1
	}
	return l
}

// named matches a name before a value within a line.
var named = regexp.MustCompile(`(?:^|[ \t.;,])(\p{Lu}\p{L}*(?: \p{Ll}+){0,3}): +`)

// stated yields the parts of a line that each state something, if it is made of such, or else the line.
func stated(row string) iter.Seq[string] {
	return func(yield func(string) bool) {
		found := named.FindAllStringSubmatchIndex(row, -1)
		if len(found) < 2 || strings.Trim(row[:found[0][2]], beforeAll) != "" {
			yield(row)
			return
		}
		begin, parts := 0, []string(nil)
		for _, m := range append(found[1:], []int{0, 0, len(row), 0}) {
			part := row[begin:m[2]]
			if _, value, _ := splitStated(part); value == "" { // "Title: Clew: a ball of thread"
				yield(row)
				return
			}
			begin, parts = m[2], append(parts, part)
		}
		slices.Values(parts)(yield)
	}
}

// splitStated returns the name in small letters and the value that a line states, which may follow in the next one.
func splitStated(row string) (name, value string, is bool) {
	row = strings.TrimLeft(strings.Trim(row, " \t|*_`\r"), beforeAll)
	name, value, is = strings.Cut(row, cellMark)
	if !is {
		name, value, is = strings.Cut(row, ":")
		is = is && !strings.HasPrefix(value, "//") // an address
	}
	name = strings.ToLower(OneLine(strings.Trim(name, dressed+":")))
	value = strings.Trim(value, dressed+"|:")
	return name, value, is && name != "" && Runes(name) <= MaxFieldName && !strings.Contains(value, cellMark)
}

// Find returns what values reads in the first line under one of some names in which it reads any, and the span of the line.
func (l StatedLines) Find(values func(said string) []string, names ...string) (found []string, at Span) {
	for _, name := range names {
		for _, one := range l[strings.ToLower(OneLine(name))] {
			if !at.Empty() && one.span.Start > at.Start {
				break
			}
			if said := values(one.value); len(said) > 0 {
				found, at = said, one.span
			}
		}
	}
	return found, at
}
