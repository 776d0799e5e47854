package domain

import (
	"cmp"
	"fmt"
	"strings"
)

// A Unit is the kind of part that a Page stands for in its file.
type Unit string

// The units. Rows and lines count up within a page: its Number is that of its
// first line, and each further line of the text is the next.
const (
	UnitPage    Unit = ""
	UnitSlide   Unit = "slide"
	UnitRow     Unit = "row"
	UnitLine    Unit = "line"
	UnitRecord  Unit = "record"
	UnitMessage Unit = "message"
	UnitCell    Unit = "cell" // of a notebook
	UnitTime    Unit = "time" // the number counts seconds from the beginning
)

// A Page is a part of a text that has a number in its file: a page, a slide,
// rows of a sheet, a moment of a recording.
type Page struct {
	Number int    `json:"number"` // from 1; a time from 0, and 0 for text above the rows of a sheet
	Span   Span   `json:"span"`
	Unit   Unit   `json:"unit,omitempty"`
	Name   string `json:"name,omitempty"` // of the sheet, if it has one; the label of a page if that is not its number
}

// Placed reports whether a page's number alone does not locate it, which is so for all but plain pages.
func (p Page) Placed() bool { return p.Unit != UnitPage || p.Name != "" }

// counts reports whether each line of the page has a number.
func (p Page) counts() bool { return p.Number > 0 && (p.Unit == UnitRow || p.Unit == UnitLine) }

// Apart reports whether no chunk may span both before and p, as between slides, records, messages and sheets.
func (p Page) Apart(before Page) bool {
	switch p.Unit {
	case UnitSlide, UnitRecord, UnitMessage:
		return true
	}
	return p.Unit != UnitPage && p.Name != before.Name
}

// From returns the rest of a page from a code point within it on. text is the text of the page.
func (p Page) From(at int, text string) Page {
	if at > p.Span.Start {
		if p.counts() {
			p.Number += strings.Count(Span{End: at - p.Span.Start}.Slice(text), "\n")
		}
		p.Span.Start = at
	}
	return p
}

// numbered reports whether PageOf returns the page's number.
func (p Page) numbered() bool { return p.Unit == UnitPage || p.Unit == UnitSlide }

// PageOf returns the number of the page or slide on which a span begins, or 0 if it begins on none.
func PageOf(pages []Page, span Span) (number int) {
	for _, p := range pages {
		if p.Span.Start > span.Start {
			break
		}
		if p.numbered() {
			number = p.Number
		}
	}
	return number
}

// PlaceOf describes where a span lies in its file, for instance "Slide 3", "Sheet Costs, rows 4–9" or "Pages 3–4". It
// returns "" on a single page without a label, whose number PageOf returns, and if the file has no such parts. The pages
// belong to a text that begins at the code point start.
func PlaceOf(pages []Page, text string, start int, span Span) string {
	var held, plain []Page
	for _, p := range pages {
		switch {
		case !p.Span.Overlaps(span):
		case p.Placed():
			held = append(held, p)
		default:
			plain = append(plain, p)
		}
	}
	if len(held) == 0 {
		if n := len(plain); n > 1 {
			return fmt.Sprintf("Pages %d–%d", plain[0].Number, plain[n-1].Number)
		}
		return ""
	}
	first, last := held[0], held[len(held)-1]
	if first.Unit == UnitPage {
		return labelled(first, last)
	}
	if last.Unit != first.Unit || last.Name != first.Name {
		last = first
	}
	end := min(span.End, last.Span.End) - 1
	last = last.From(end, last.Span.Shift(-start).Slice(text))
	first = first.From(span.Start, first.Span.Shift(-start).Slice(text))
	if first.Number == 0 && len(held) > 1 && first.Unit == UnitRow && last.Number > 0 {
		first = held[1]
	}
	return first.place(last.Number)
}

// labelled names pages by their labels.
func labelled(first, last Page) string {
	if first.Name == last.Name {
		return first.Title()
	}
	return "Pages " + first.Name + "–" + last.Name
}

// place names the numbers from that of p to the last.
func (p Page) place(last int) string {
	one, some := string(p.Unit)+" "+p.number(p.Number), string(p.Unit)+"s "+p.number(p.Number)+"–"+p.number(last)
	switch {
	case p.Unit == UnitTime && last == p.Number:
		one = p.number(p.Number)
	case p.Unit == UnitTime:
		some = p.number(p.Number) + "–" + p.number(last)
	case p.Name != "" && p.Number == 0:
		return "Sheet " + p.Name
	}
	said := some
	if last <= p.Number {
		said = one
	}
	if p.Name != "" {
		return "Sheet " + p.Name + ", " + said
	}
	return strings.ToUpper(said[:1]) + said[1:]
}

// number writes a number of the page's unit.
func (p Page) number(n int) string {
	if p.Unit == UnitTime {
		return fmt.Sprintf("%02d:%02d:%02d", n/3600, n/60%60, n%60)
	}
	return fmt.Sprint(n)
}

// Title names the beginning of a page: "Page 3", "Page iv", "Slide 3", "Sheet Costs".
func (p Page) Title() string {
	if p.Unit == UnitPage {
		return "Page " + cmp.Or(p.Name, fmt.Sprint(p.Number))
	}
	return p.place(p.Number)
}

// Where names a document with a place in it, or else with a page, if it has one.
func Where(name string, page int, place string) string {
	switch {
	case place != "":
		return name + ", " + place
	case page > 0:
		return fmt.Sprintf("%s, p. %d", name, page)
	}
	return name
}
