package page

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// part is how many code points of a long text a page begins with, and how many more it loads each time one scrolls to its end.
const part = 16_000

func (p DocumentProps) title() string {
	return cmp.Or(p.Row.Document.Title, p.Row.Document.Name)
}

// found says which match of how many is marked.
func (p DocumentProps) found(ctx context.Context) string {
	if p.Found == 0 {
		return lang.T(ctx, "Not in this document")
	}
	return lang.F(ctx, "%s of %s", lang.Int(ctx, p.FoundAt), lang.Int(ctx, p.Found))
}

// paged reports whether the pages of the file can be shown beside its text.
func (p DocumentProps) paged() bool { return p.Row.Document.Format == domain.FormatPDF }

func (p DocumentProps) pages() partial.PagesProps {
	pages := partial.PagesProps{Document: p.Row.Document.ID, Marks: doctext.OnPages(p.Text, p.Hit)}
	if on := doctext.OnPages(p.Text, domain.Span{Start: p.At, End: p.At + 1}); len(on) > 0 && p.At > 0 {
		pages.Page = on[0].Page
	}
	return pages
}

// encodingGuessed reports whether a warning says that the encoding was guessed.
func (p DocumentProps) encodingGuessed() bool {
	return slices.ContainsFunc(p.Row.Document.Warnings, func(w string) bool { return strings.Contains(w, domain.ChooseEncoding) })
}

// readersOf says in short who may read a document.
func readersOf(ctx context.Context, r documents.ReadableBy) string {
	if r.Limited {
		return lang.F(ctx, "limited to %s", r.Who())
	}
	return lang.T(ctx, "everybody in the workspace")
}

// cutting describes how the text was cut into passages, "" before it was.
func (p DocumentProps) cutting(ctx context.Context) string {
	d := p.Row.Document
	if d.Chunks == 0 {
		return ""
	}
	return lang.F(ctx, "Cut into %s, %s.", lang.Count(ctx, d.Chunks, "passage", "passages"), cmp.Or(parse.Of(d.Format).Cut(), lang.T(ctx, "by headings and length")))
}

// cut returns the part of the text to show: around the marked characters, or
// from At on.
func (p DocumentProps) cut() doctext.Cut {
	window := domain.Span{}
	switch length := domain.Runes(p.Text.Content); {
	case length <= part:
	case !p.Hit.Empty():
		window = doctext.Around(p.Text.Content, p.Hit, part)
	case p.Before > 0:
		end := min(p.Before, length)
		window = doctext.Around(p.Text.Content, domain.Span{Start: max(0, end-part), End: end}, 0)
		window.End = end
	default:
		at := min(max(0, p.At), length-1)
		window = doctext.Around(p.Text.Content, domain.Span{Start: at, End: min(at+part, length)}, 0)
	}
	return doctext.New(p.Text, p.Mentions, p.Hit, window)
}

func (p DocumentProps) earlier(c doctext.Cut) string {
	return link.PartBefore(p.Row.Document.ID, c.Window.Start)
}

func (p DocumentProps) later(c doctext.Cut) string {
	return link.Part(p.Row.Document.ID, c.Window.End)
}

// maxEntries and maxNames are how many lines the lists beside the text begin with; browsers take seconds for ten thousand.
// More are loaded as one scrolls.
const (
	maxEntries = 300
	maxNames   = 100
)

// contents returns a part of the table of contents, and the address of the next, "" for the last.
func (p DocumentProps) contents() ([]doctext.Entry, string) {
	part, next := some(doctext.Contents(p.Text), p.Contents, maxEntries)
	if next == 0 {
		return part, ""
	}
	return part, link.With(link.Document(p.Row.Document.ID), "contents", strconv.Itoa(next))
}

// names returns some of the entities, those named most often first, and the address of the next, "" for the last.
func (p DocumentProps) names() ([]partial.EntityItem, string) {
	part, next := some(p.Entities, p.Names, maxNames)
	if next == 0 {
		return part, ""
	}
	return part, link.With(link.Document(p.Row.Document.ID), "names", strconv.Itoa(next))
}

// some returns at most n elements of a list from an index on, and the index of the next, or 0 if there are no more.
func some[T any](list []T, from, n int) ([]T, int) {
	from = min(max(from, 0), len(list))
	if to := from + n; to < len(list) {
		return list[from:to], to
	}
	return list[from:], 0
}

// heading returns the address of a heading, on this page if it is in the part
// shown.
func (p DocumentProps) heading(c doctext.Cut, e doctext.Entry) string {
	if c.Window.Start <= e.Start && e.Start < c.Window.End {
		return "#" + e.Anchor
	}
	return link.Part(p.Row.Document.ID, e.Start) + "#" + e.Anchor
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

// afterwards returns the page to load once the document is read: the original document's for a next version, and "" for
// this one.
func (p DocumentProps) afterwards() string {
	if of := p.Row.Document.VersionOf; of != "" {
		return link.Document(of)
	}
	return ""
}

// runEvents returns the stream of the run, at whose end the page is reloaded, or "" once the document is settled: the run
// may have ended while the page was loading.
func (p DocumentProps) runEvents() string {
	if !p.Trace.Live() && p.Row.Document.Status.Settled() {
		return ""
	}
	return link.RunEvents(p.Trace.Run, p.Trace.After)
}
