package document

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/worddiff"
)

// Show serves the page of one document, with the code points from start to end
// marked, or to htmx a further part of it. It fails with kind NotFound for an unknown document.
func (h *Handler) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	read := h.Library.Page
	if respond.Fragment(c) { // a part of the text
		read = h.part
	}
	doc, err := read(ctx, w, domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	p := page.DocumentProps{
		Text: doc.Text, Tags: doc.Tags,
		Hit: request.Span(c), At: request.Int(c, "at"), Before: request.Int(c, "before"), Contents: request.Int(c, "contents"), Names: request.Int(c, "names"),
	}
	if p.Mentions, p.Entities, err = h.Reader.Mentions(ctx, w, doc.ID); err != nil {
		return err
	}
	find(c, &p)
	if p.Row.Document = doc.Document; respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, page.DocumentPart(p))
	}
	app, err := h.Frame.App(c, layout.Documents, doc.Title)
	if err != nil {
		return err
	}
	if app.Toast, err = present.Changed(c, h.Curator, link.Document(doc.ID)); err != nil {
		return err
	}
	rows, err := h.Lines(ctx, w, []domain.Document{doc.Document})
	if err != nil {
		return err
	}
	p.App, p.Row, p.Versions = app, rows[0], partial.Versions(partial.VersionsProps{Document: doc.Document, Earlier: doc.Earlier})
	if p.Fields, err = h.fieldRows(ctx, doc.Document); err != nil {
		return err
	}
	if p.Picture, err = h.picture(ctx, doc.Document); err != nil {
		return err
	}
	if err := h.photo(ctx, doc.Document, &p); err != nil {
		return err
	}
	guide, by, err := h.guides(ctx, doc.Document)
	if err != nil {
		return err
	}
	p.Guides, p.ReadBy.SchemaScope = guide.Number, by.Scope
	p.Dropped, p.Summaries = dropped(ctx, doc, by, link.MayPost(ctx, link.Schema)), madeOf(doc)
	if p.Schemas, err = h.choices(ctx, w); err != nil {
		return err
	}
	if p.Readers, err = h.Library.ReadableBy(ctx, doc.Document, frame.Session(c).Role.Includes(domain.Admin)); err != nil {
		return err
	}
	p.Readers.May = p.Readers.May && domain.PersonOf(ctx) != "" // without accounts there is nobody to limit it to
	if doc.Run != "" {
		drawn, err := h.Runs.Trace(ctx, w, documents.Kind, doc.Run)
		if err != nil {
			return err
		}
		if drawn.After > 0 || !doc.Status.Settled() {
			p.Trace = &drawn
		}
	}
	return respond.HTML(c, http.StatusOK, page.DocumentPage(p))
}

// part returns a document with its text alone.
func (h *Handler) part(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (p documents.Page, err error) {
	p.Document, p.Text, err = h.Library.Read(ctx, w, id)
	return p, err
}

// find marks the n-th match of the words in the parameter find, or the first if the words are new. It wraps around after
// the last.
func find(c echo.Context, p *page.DocumentProps) {
	if p.Find = strings.TrimSpace(domain.Cut(c.QueryParam("find"), maxFind)); p.Find == "" {
		return
	}
	places := doctext.Find(p.Text.Content, p.Find)
	if p.Found = len(places); p.Found == 0 {
		return
	}
	n, err := strconv.Atoi(c.QueryParam("n"))
	if was := c.QueryParam("was"); err != nil || was != "" && strings.TrimSpace(was) != p.Find {
		n = 1
	}
	p.FoundAt = ((n-1)%p.Found+p.Found)%p.Found + 1
	p.Hit = places[p.FoundAt-1]
}

// maxFind is how many code points of words are looked for.
const maxFind = 200

// picture returns a small picture of the entities that a document mentions, or nil while the graph is unavailable.
func (h *Handler) picture(ctx context.Context, d domain.Document) (*partial.GraphPictureProps, error) {
	part, err := h.Explore.Part(ctx, explore.Filter{Documents: map[domain.DocumentID]bool{d.ID: true}}, present.PictureNodes)
	if domain.KindOf(err) == domain.Unavailable {
		return nil, nil //nolint:nilnil // no picture is no failure
	}
	if err != nil {
		return nil, err
	}
	return present.Picture(part, "", link.GraphOf(d.ID), lang.F(ctx, "What %s mentions", d.Name)), nil
}

// photo adds the image that a document is.
func (h *Handler) photo(ctx context.Context, d domain.Document, p *page.DocumentProps) error {
	if d.Format != domain.FormatImage || d.Pictures == 0 {
		return nil
	}
	found, err := h.Library.PicturesOf(ctx, documents.OfPictures{One: documents.One{Name: string(d.ID)}})
	if err != nil {
		return err
	}
	if len(found.Pictures) > 0 {
		p.Photo, p.App.Works = &found.Pictures[0].Picture, true // the sheet that has its style
	}
	return nil
}

// guides returns the version of the schema that applies to a document, and the one it was read with.
func (h *Handler) guides(ctx context.Context, d domain.Document) (guides, by schemas.Version, err error) {
	if guides, err = h.Schemas.For(ctx, d.Workspace, d.ID); err != nil || guides.Number == d.Schema {
		return guides, guides, err
	}
	by, err = h.Schemas.At(ctx, d.Workspace, d.Schema)
	return guides, by, err
}

// dropped returns the first items that were left out of the graph. Whoever may
// change the schema by which that was can allow each in a draft of it.
func dropped(ctx context.Context, d documents.Page, by schemas.Version, mayChange bool) []partial.DroppedRow {
	rows := make([]partial.DroppedRow, len(d.Dropped))
	for i, item := range d.Dropped {
		rows[i] = present.Dropped(ctx, item.Dropped, d.ID)
		if mayChange && rows[i].Allow != "" && by.Number > 0 {
			rows[i].Change = link.SchemaOf(link.Schema, by.Scope, "allow", rows[i].Allow)
		}
	}
	return rows
}

// madeOf returns the latest finished summaries of a document. Those of an
// earlier text are marked as outdated.
func madeOf(d documents.Page) (items []page.SummaryItem) {
	if len(d.Summaries) == 0 {
		return nil
	}
	hash := domain.Hash([]byte(d.Text.Content))
	for _, s := range d.Summaries {
		if s.Status != ledger.SummaryDone {
			continue
		}
		item := page.SummaryItem{ID: s.ID, Title: summaries.Title(s), Status: s.Status, CreatedAt: s.CreatedAt}
		for _, of := range s.Documents {
			item.Outdated = item.Outdated || of.ID == d.ID && of.Hash != hash
		}
		items = append(items, item)
	}
	return items
}

// Chunk redirects to a chunk's place in its document, or to its page of the web. It fails with kind NotFound for an
// unknown chunk.
func (h *Handler) Chunk(c echo.Context) error {
	found, err := h.Ledger.AnyPassages(c.Request().Context(), request.Workspace(c), []domain.ChunkID{domain.ChunkID(c.Param("id"))})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return domain.Errorf(domain.NotFound, "This passage is gone. Its document was deleted or has changed.")
	}
	if at := found[0].Web.Address; at != "" {
		return c.Redirect(http.StatusSeeOther, at)
	}
	return respond.SeeOther(c, link.Passage(found[0].Document, found[0].Span))
}

// namedAs maps values of the form field named. By default a file becomes a separate document.
var namedAs = map[string]documents.Named{"next": documents.Next, "skip": documents.Skip}

// version returns the document and the version in the request's path.
func (h *Handler) version(c echo.Context) (domain.Document, int, error) {
	doc, err := h.Ledger.Document(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")))
	if err != nil {
		return doc, 0, err
	}
	n, err := strconv.Atoi(c.Param("n"))
	if err != nil || n < 1 {
		return doc, 0, domain.Errorf(domain.NotFound, "The document has no such version.")
	}
	return doc, n - 1, nil
}

// Version serves the page of an earlier version of a document, compared with the current one, or redirects to the current
// one if asked for.
func (h *Handler) Version(c echo.Context) error {
	ctx := c.Request().Context()
	doc, n, err := h.version(c)
	if err != nil {
		return err
	}
	if n == doc.Version {
		return respond.SeeOther(c, link.Document(doc.ID))
	}
	before, after, err := h.Library.Before(ctx, doc, n)
	if err != nil {
		return err
	}
	p := page.VersionProps{Document: doc, Number: n}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Version %s of %s", strconv.Itoa(n+1), doc.Name)); err != nil {
		return err
	}
	p.Changes, p.Same = worddiff.Passages(before.Content, after.Content)
	return respond.HTML(c, http.StatusOK, page.VersionPage(p))
}

// RemoveVersion removes an earlier version of a document and returns to its page.
func (h *Handler) RemoveVersion(c echo.Context) error {
	doc, n, err := h.version(c)
	if err != nil {
		return err
	}
	return respond.After(c, h.Library.RemoveVersion(c.Request().Context(), request.Workspace(c), doc.ID, n), link.Document(doc.ID))
}
