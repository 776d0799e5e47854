package parse

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// A plainParagraph is lines of plain text without a blank one between them.
type plainParagraph struct {
	raw       []string // with their spaces and tabs
	compounds prose.Compounds
}

// plainParagraphs returns the paragraphs of plain text.
func plainParagraphs(s string) []plainParagraph {
	var all []plainParagraph
	compounds, open := prose.Compounds{}, false
	for line := range strings.SplitSeq(clean(s, "\t"), "\n") {
		line = strings.TrimRight(line, " \t")
		switch {
		case line == "":
			open = false
			continue
		case !open:
			all = append(all, plainParagraph{compounds: compounds})
			open = true
		}
		p := &all[len(all)-1]
		p.raw = append(p.raw, line)
		compounds.Add(line)
	}
	return all
}

// lines returns the lines as they are written: rows of a table, prose that was wrapped in one line, and all else as it stands.
func (p plainParagraph) lines() []string {
	set := make([]string, len(p.raw)) // as on a screen
	for i, line := range p.raw {
		set[i] = withoutTabs(line)
	}
	if rows := tabbedRows(p.raw); rows != nil {
		return rows
	}
	for caption := range min(len(set), maxCaption+1) {
		if rows := alignedRows(set[caption:]); rows != nil {
			return append(p.prose(set[:caption]), rows...)
		}
	}
	return p.prose(set)
}

// maxCaption is the maximum number of lines directly above a table.
const maxCaption = 2

// prose joins lines that were wrapped: all of them, or else those that stand below one another.
func (p plainParagraph) prose(set []string) []string {
	if all := p.unwrap(set); len(all) == 1 {
		return all
	}
	var lines []string
	for start, i := 0, 1; i <= len(set); i++ {
		if i == len(set) || !hangsBelow(set[i-1], set[i]) {
			lines = append(lines, p.unwrap(set[start:i])...)
			start = i
		}
	}
	return lines
}

// hangsBelow reports whether a line begins where the line above does, or where the text of an item above does.
func hangsBelow(above, line string) bool {
	from, before := indent(line), indent(above)
	if from <= before || from >= len(above) {
		return from == before
	}
	return from > before && above[from] != ' ' && (strings.HasSuffix(above[:from], "  ") || isListItem(above[before:from]))
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

const tabStop = 8

// withoutTabs replaces tabs by spaces up to the next stop.
func withoutTabs(line string) string {
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			b.WriteString("        "[column%tabStop:])
			column += tabStop - column%tabStop
		}
		b.WriteString(part)
		column += utf8.RuneCountInString(part)
	}
	return b.String()
}

// minWrap is the least width, in characters, of prose that was wrapped automatically.
const minWrap = 50

// unwrap joins lines that were wrapped to a width: after each line, the next word would not have fitted. Poems, lists
// and addresses keep their lines.
func (p plainParagraph) unwrap(set []string) []string {
	lines, width := make([]string, len(set)), 0
	for i, line := range set {
		lines[i] = tidyLine(line)
		width = max(width, utf8.RuneCountInString(line))
	}
	if len(lines) == 0 || width-indent(set[0]) < minWrap {
		return lines
	}
	for i := 1; i < len(lines); i++ {
		word, _, _ := strings.Cut(lines[i], " ")
		room := width - utf8.RuneCountInString(set[i-1])
		if isListItem(lines[i]) || domain.IsRow(lines[i]) || utf8.RuneCountInString(word) < room {
			return lines
		}
	}
	var b strings.Builder
	for i, line := range lines[:len(lines)-1] {
		if end, hyphen, ok := p.compounds.Mend(line, lines[i+1]); ok {
			b.WriteString(line[:end] + hyphen)
		} else {
			b.WriteString(line + " ")
		}
	}
	return []string{b.String() + lines[len(lines)-1]}
}

// tabbedRows returns lines that all have the same number of tabs between words as rows, or nil.
func tabbedRows(lines []string) []string {
	var rows [][]string
	for _, line := range lines {
		row := strings.Split(strings.TrimLeft(line, " \t"), "\t")
		if len(row) < 2 || len(rows) > 0 && len(row) != len(rows[0]) || slices.Contains(row, "") {
			return nil
		}
		rows = append(rows, row)
	}
	return rowsOf(rows, 2)
}

// alignedRows returns lines set in columns by spaces as rows, or nil. Spaces that are not below one another, as between justified
// words and after full stops, make no column.
func alignedRows(lines []string) []string {
	gutters := guttersOf(lines)
	if gutters == nil {
		return nil
	}
	var rows [][]string
	loose, ends := 0, 0
	for _, line := range lines {
		if strings.Trim(line, " -=_+") == "" { // a rule
			continue
		}
		row := make([]string, 0, len(gutters)+1)
		set, from := []rune(line), 0
		for _, at := range append(gutters, len(set)) {
			at = min(at, len(set))
			row = append(row, strings.TrimSpace(string(set[from:at])))
			from = at
		}
		if looseGap.MatchString(strings.Join(row, "\n")) {
			loose++
		}
		if endMark.MatchString(row[0]) {
			ends++
		}
		if n := len(rows); n > 0 && row[0] == "" { // the cells above go on
			for i, cell := range row {
				rows[n-1][i] = strings.TrimSpace(rows[n-1][i] + " " + cell)
			}
			continue
		}
		rows = append(rows, row)
	}
	if 5*loose > len(rows) || 2*ends > len(rows) {
		return nil
	}
	return rowsOf(rows, minRows)
}

var (
	looseGap = regexp.MustCompile(`[^\s.?!:]\pP? {2}`)
	endMark  = regexp.MustCompile(`\pL[.?!]$`)
)

// guttersOf returns where the columns after the first begin: after two spaces that all lines have below one another, or nil.
func guttersOf(lines []string) (gutters []int) {
	var covered []bool
	for _, line := range lines {
		if strings.Contains(line, "|") {
			return nil
		}
		from := indent(line)
		item := line[from+len(listMark.FindString(line[from:])):]
		mark := len(line) - len(strings.TrimLeft(item, " ")) // the text of an item begins here
		for i, r := range []rune(line) {
			if i == len(covered) {
				covered = append(covered, false)
			}
			covered[i] = covered[i] || r != ' ' || from <= i && i < mark
		}
	}
	begun := false
	for i := range covered {
		if begun && i > 1 && covered[i] && !covered[i-1] && !covered[i-2] {
			gutters = append(gutters, i)
		}
		begun = begun || covered[i]
	}
	return gutters
}

const (
	minRows      = 3 // of a table set by spaces
	maxNameWords = 5 // in the first cell of a row, on average
)

// rowsOf returns rows as lines, or nil if they are too few, mostly single cells, labels with a colon or columns of prose.
func rowsOf(rows [][]string, least int) []string {
	full, labels, words := 0, 0, 0
	for i, row := range rows {
		if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "" }) {
			full++
		} else if i == 0 { // a caption
			return nil
		}
		if strings.HasSuffix(row[0], ":") {
			labels++
		}
		words += len(strings.Fields(row[0]))
	}
	if len(rows) < least || 4*full < 3*len(rows) || 2*labels > len(rows) || words > maxNameWords*len(rows) {
		return nil
	}
	return lists.Map(rows, tableRow)
}
