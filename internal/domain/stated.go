package domain

import "strings"

// StatedLines are the lines of a text that state something under a name, by the name in small letters.
type StatedLines map[string][]statedLine

// A statedLine states a value.
type statedLine struct {
	value string
	span  Span
}

const (
	cellMark = "|"       // between the cells of a row
	dressed  = " \t*_`#" // around names and values
)

// ReadLines returns the lines of a text that state something: "Status: final", rows of tables such as "Status | final", and names
// whose value stands in the next line.
func ReadLines(text string) StatedLines {
	l := StatedLines{}
	at, open, from := 0, "", 0 // a name whose value stands in the next line, and where it begins
	for row := range strings.SplitSeq(text, "\n") {
		end := at + Runes(row)
		name, value, is := splitStated(row)
		switch {
		case is && value != "":
			l[name] = append(l[name], statedLine{value, Span{Start: at, End: end}})
		case open != "" && strings.Trim(row, dressed) != "":
			l[open] = append(l[open], statedLine{strings.Trim(row, dressed), Span{Start: from, End: end}})
		}
		if open = ""; is && value == "" {
			open, from = name, at
		}
		at = end + 1
	}
	return l
}

// splitStated returns the name in small letters and the value that a line states, which may follow in the next one.
func splitStated(row string) (name, value string, is bool) {
	row = strings.TrimLeft(strings.Trim(row, " \t|*_`\r"), " \t#-–•>*_`")
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
