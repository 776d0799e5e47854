package page

import (
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/sheet"
)

// part is how many code points of a very long text are shown at once.
const part = 150_000

func (p DocumentProps) title() string {
	if p.Row.Document.Title != "" {
		return p.Row.Document.Title
	}
	return p.Row.Document.Name
}

// cut is the part of the text that the page shows: about what is marked, or
// from a place on.
func (p DocumentProps) cut() sheet.Cut {
	window := domain.Span{}
	switch length := domain.Runes(p.Text.Content); {
	case length <= part:
	case !p.Hit.Empty():
		window = sheet.Around(p.Text.Content, p.Hit, part)
	default:
		at := min(max(0, p.At), length-1)
		window = sheet.Around(p.Text.Content, domain.Span{Start: at, End: min(at+part, length)}, 0)
	}
	return sheet.New(p.Text, p.Mentions, p.Hit, window)
}

func (p DocumentProps) earlier(c sheet.Cut) string {
	return link.Part(p.Row.Document.ID, max(0, c.Window.Start-part))
}

func (p DocumentProps) later(c sheet.Cut) string {
	return link.Part(p.Row.Document.ID, c.Window.End)
}

// maxEntries and maxNames bound the lists beside the text: browsers take
// seconds over lists of ten thousand lines, and nobody reads them.
const (
	maxEntries = 400
	maxNames   = 200
)

// contentsOf is the table of contents: the whole of it where that is short,
// else as many levels as are, else the headings of the part that is shown.
func (p DocumentProps) contentsOf(c sheet.Cut) (entries []sheet.Entry, total int) {
	all := sheet.Contents(p.Text)
	if len(all) <= maxEntries {
		return all, len(all)
	}
	for level := 6; level > 0; level-- {
		upper := slices.DeleteFunc(slices.Clone(all), func(e sheet.Entry) bool { return e.Level > level })
		if 1 < len(upper) && len(upper) <= maxEntries {
			return upper, len(all)
		}
	}
	here := slices.DeleteFunc(all, func(e sheet.Entry) bool { return e.Start < c.Window.Start || e.Start >= c.Window.End })
	return here[:min(len(here), maxEntries)], len(p.Text.Headings)
}

// heading is the address of a heading: on this page when it is in the part
// that is shown.
func (p DocumentProps) heading(c sheet.Cut, e sheet.Entry) string {
	if c.Window.Start <= e.Start && e.Start < c.Window.End {
		return "#" + e.Anchor
	}
	return link.Part(p.Row.Document.ID, e.Start) + "#" + e.Anchor
}

// names are the entities most named in the document.
func (p DocumentProps) names() []partial.EntityItem {
	return p.Entities[:min(len(p.Entities), maxNames)]
}

func level(e sheet.Entry) string { return "level-" + strconv.Itoa(min(max(e.Level, 1), 4)) }

// live is the stream that keeps the row up to date, "" once the document is
// settled.
func (p DocumentProps) live() string {
	if p.Row.Document.Status.Settled() {
		return ""
	}
	return link.DocumentsEvents
}

func (p DocumentProps) runEvents() string {
	if !p.Trace.Live() {
		return ""
	}
	return link.RunEvents(p.Trace.Run, p.Trace.After)
}
