package page

import (
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// part is how many code points of a very long text are shown at once.
const part = 150_000

func (p DocumentProps) title() string {
	if p.Row.Document.Title != "" {
		return p.Row.Document.Title
	}
	return p.Row.Document.Name
}

// cutting says how the text was cut into passages, "" before it was.
func (p DocumentProps) cutting() string {
	rule := map[domain.Format]string{
		domain.FormatSlides: "one slide each", domain.FormatRecords: "one record each", domain.FormatMailbox: "one message each",
		domain.FormatSheets: "rows of one sheet each", domain.FormatTable: "some rows each", domain.FormatCode: "some lines each",
	}[p.Row.Document.Format]
	if rule == "" {
		rule = "by headings and length"
	}
	if p.Row.Document.Chunks == 0 {
		return ""
	}
	return "Cut into " + format.Count(p.Row.Document.Chunks, "passage", "passages") + ", " + rule + "."
}

// cut returns the part of the text to show: around the marked characters, or
// from At on.
func (p DocumentProps) cut() doctext.Cut {
	window := domain.Span{}
	switch length := domain.Runes(p.Text.Content); {
	case length <= part:
	case !p.Hit.Empty():
		window = doctext.Around(p.Text.Content, p.Hit, part)
	default:
		at := min(max(0, p.At), length-1)
		window = doctext.Around(p.Text.Content, domain.Span{Start: at, End: min(at+part, length)}, 0)
	}
	return doctext.New(p.Text, p.Mentions, p.Hit, window)
}

func (p DocumentProps) earlier(c doctext.Cut) string {
	return link.Part(p.Row.Document.ID, max(0, c.Window.Start-part))
}

func (p DocumentProps) later(c doctext.Cut) string {
	return link.Part(p.Row.Document.ID, c.Window.End)
}

// maxEntries and maxNames bound the lists beside the text: browsers take
// seconds for ten thousand lines.
const (
	maxEntries = 400
	maxNames   = 200
)

// contentsOf returns the table of contents: all of it if it is short, else as
// many levels as fit, else the headings of the part shown.
func (p DocumentProps) contentsOf(c doctext.Cut) (entries []doctext.Entry, total int) {
	all := doctext.Contents(p.Text)
	if len(all) <= maxEntries {
		return all, len(all)
	}
	for level := 6; level > 0; level-- {
		upper := slices.DeleteFunc(slices.Clone(all), func(e doctext.Entry) bool { return e.Level > level })
		if 1 < len(upper) && len(upper) <= maxEntries {
			return upper, len(all)
		}
	}
	here := slices.DeleteFunc(all, func(e doctext.Entry) bool { return e.Start < c.Window.Start || e.Start >= c.Window.End })
	return here[:min(len(here), maxEntries)], len(p.Text.Headings)
}

// heading returns the address of a heading, on this page if it is in the part
// shown.
func (p DocumentProps) heading(c doctext.Cut, e doctext.Entry) string {
	if c.Window.Start <= e.Start && e.Start < c.Window.End {
		return "#" + e.Anchor
	}
	return link.Part(p.Row.Document.ID, e.Start) + "#" + e.Anchor
}

// names returns the entities most often named in the document.
func (p DocumentProps) names() []partial.EntityItem {
	return p.Entities[:min(len(p.Entities), maxNames)]
}

func level(e doctext.Entry) string { return "level-" + strconv.Itoa(min(max(e.Level, 1), 4)) }

// live returns the stream that updates the row, "" once the document is
// settled.
func (p DocumentProps) live() string {
	if p.Row.Document.Status.Settled() {
		return ""
	}
	return link.DocumentsEvents
}

// runEvents returns the stream of the run, at whose end the page is loaded again, ""
// once the document is settled: the run may have ended while the page was read.
func (p DocumentProps) runEvents() string {
	if !p.Trace.Live() && p.Row.Document.Status.Settled() {
		return ""
	}
	return link.RunEvents(p.Trace.Run, p.Trace.After)
}
