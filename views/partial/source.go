package partial

import (
	"context"
	"slices"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// sourceWindow is how many code points a source shows around the cited ones.
const sourceWindow = 6000

// Deleted reports whether the document was deleted.
func (p SourceProps) Deleted() bool { return p.Text.Content == "" }

// Earlier reports whether the citation quotes an earlier version of the document.
func (p SourceProps) Earlier() bool { return p.About.ID != "" && p.Citation.Version < p.About.Version }

// document returns the page that shows the cited characters.
func (p SourceProps) document() string {
	if p.Earlier() {
		return link.Version(p.About.ID, p.Citation.Version)
	}
	return link.Passage(p.Citation.DocumentID, p.Citation.Span)
}

// Cut returns the part of the text around the cited characters, with the names linked in their paragraph.
func (p SourceProps) Cut() doctext.Cut {
	window := doctext.Around(p.Text.Content, p.Citation.Span, sourceWindow)
	paragraph := doctext.Around(p.Text.Content, p.Citation.Span, 0)
	return doctext.New(p.Text, onceEach(p.Mentions, paragraph), p.Citation.Span, window)
}

// onceEach returns the first mention of each entity within a window.
func onceEach(mentions []doctext.Mention, window domain.Span) (first []doctext.Mention) {
	seen := map[string]bool{}
	for _, m := range mentions {
		if window.Contains(m.Span) && !seen[m.Href] {
			seen[m.Href] = true
			first = append(first, m)
		}
	}
	return first
}

// Where describes where in the document the cited characters are.
func (p SourceProps) Where(ctx context.Context) string {
	characters := lang.F(ctx, "characters %s to %s", lang.Int(ctx, p.Citation.Span.Start+1), lang.Int(ctx, p.Citation.Span.End))
	if p.Citation.Place != "" {
		return p.Citation.Place + ", " + characters
	}
	page := p.Citation.Page // where the passage begins
	if on := doctext.OnPages(p.Text, p.Citation.Span); len(on) > 0 {
		page = on[0].Page
	}
	if page == 0 {
		return "C" + characters[1:]
	}
	if p.Pages > 0 {
		return lang.F(ctx, "Page %d of %d, %s", page, p.Pages, characters)
	}
	return lang.F(ctx, "Page %d, %s", page, characters)
}

// Place returns the position of the citation among all of the message.
func (p SourceProps) Place(ctx context.Context) string {
	return lang.F(ctx, "%d of %d", slices.Index(p.Numbers, p.Citation.N)+1, len(p.Numbers))
}

// turn returns the address of the answer that the citation belongs to.
func (p SourceProps) turn() string { return link.TurnAt(p.Conversation, p.Message, p.Branch) }

// Neighbour returns the address of the citation that is by positions further, or "" if there is none.
func (p SourceProps) Neighbour(by int) string {
	i := slices.Index(p.Numbers, p.Citation.N) + by
	if i < 0 || i >= len(p.Numbers) {
		return ""
	}
	if p.Figure != "" {
		return link.OfBranch(link.FigureSource(p.Conversation, p.Message, p.Figure, p.Numbers[i]), p.Branch)
	}
	return link.OfBranch(link.Source(p.Conversation, p.Message, p.Numbers[i]), p.Branch)
}

// figure returns the chart that the citation belongs to.
func (p SourceProps) figure() FigureProps { return FigureProps{Figure: domain.Figure{ID: p.Figure}} }

func (p SourceProps) label(ctx context.Context) string {
	if p.Figure != "" {
		return p.figure().citeLabel(ctx, p.Citation.N)
	}
	return citeLabel(ctx, p.Citation.N)
}

// cite returns the key that links the source to its marks in the page.
func (p SourceProps) cite() string {
	if p.Figure != "" {
		return p.figure().cite(p.Citation.N)
	}
	return number(p.Citation.N)
}

// pageID returns the id of a page's mark.
func pageID(b doctext.Block) templ.Attributes {
	if b.Page > 0 {
		return templ.Attributes{"id": "page-" + number(b.Page)}
	}
	return nil
}

// rowsLabel names the kind of rows.
func rowsLabel(ctx context.Context, b doctext.Block) string {
	if b.Code {
		return lang.T(ctx, "Code")
	}
	return lang.T(ctx, "Table")
}

// hitID returns the id of the first marked run of a text.
func hitID(r doctext.Run) templ.Attributes {
	if r.First {
		return templ.Attributes{"id": "hit"}
	}
	return nil
}
