package page

import (
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
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

func (p DocumentProps) entries() []sheet.Entry { return sheet.Contents(p.Text) }

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
