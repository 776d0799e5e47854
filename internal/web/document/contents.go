package document

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// originalPolicy is the Content-Security-Policy of an original file: it runs nothing, loads nothing and has an opaque
// origin.
const originalPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

// Original sends the file of a document as it was added: to be viewed, or, with the parameter save or where a browser may not show
// its format (pages of HTML among them), to be kept. It answers requests for ranges, and with 304 who has the file already. It fails with kind NotFound for an
// unknown document.
func (h *Handler) Original(c echo.Context) error {
	doc, file, err := h.Library.Original(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	defer file.Close()
	kind, how := parse.Of(doc.Format).Shown, "inline"
	if kind == "" || c.QueryParam("save") != "" {
		kind, how = "application/octet-stream", "attachment"
	}
	header := c.Response().Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": path.Base(doc.Name)}))
	header.Set("Content-Security-Policy", originalPolicy)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", `"`+doc.Hash+`"`)
	http.ServeContent(c.Response(), c.Request(), "", doc.CreatedAt, file)
	return nil
}

// Pictures serves the pictures of a document, or one in full.
func (h *Handler) Pictures(c echo.Context) error {
	found, err := h.Library.PicturesOf(c.Request().Context(), documents.OfPictures{One: documents.One{Name: c.Param("id")}})
	if err != nil {
		return err
	}
	p := page.PicturesProps{Pictures: found}
	if of := c.QueryParam("picture"); of != "" {
		if p.Large, err = pictureNumber(of); err != nil {
			return err
		}
		if p.Large > len(found.Pictures) {
			return domain.Errorf(domain.NotFound, "%s has no picture %d.", found.Document.Name, p.Large)
		}
	}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.T(c.Request().Context(), "Pictures")); err != nil {
		return err
	}
	p.App.Works = true
	return respond.HTML(c, http.StatusOK, page.PicturesPage(p))
}

// Picture sends a picture of a document. Headers keep the browser from running or loading anything in it.
func (h *Handler) Picture(c echo.Context) error {
	number, err := pictureNumber(c.Param("n"))
	if err != nil {
		return err
	}
	p, file, err := h.Library.Picture(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")), number)
	if err != nil {
		return err
	}
	defer file.Close()
	header := c.Response().Header()
	header.Set("Content-Type", p.Media)
	header.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": "picture-" + strconv.Itoa(number) + "." + strings.TrimPrefix(p.Media, "image/")}))
	header.Set("Content-Security-Policy", originalPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", `"`+p.Hash+`"`)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, file)
	return nil
}

func pictureNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, domain.Errorf(domain.NotFound, "%q is not the number of a picture.", domain.Cut(s, 20))
	}
	return n, nil
}

// Tables serves the tables of a document, or one as CSV.
func (h *Handler) Tables(c echo.Context) error {
	in := documents.OfTables{One: documents.One{Name: c.Param("id")}}
	if of := c.QueryParam("table"); of != "" {
		var err error
		if in.Number, err = strconv.Atoi(of); err != nil || in.Number < 1 {
			return domain.Errorf(domain.NotFound, "%q is not the number of a table.", domain.Cut(of, 20))
		}
	}
	found, err := h.Library.TablesOf(c.Request().Context(), in)
	if err != nil {
		return err
	}
	if in.Number > 0 {
		content, err := found.Tables[0].CSV()
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(path.Base(found.Document.Name), path.Ext(found.Document.Name))
		c.Response().Header().Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("%s-%d.csv", name, in.Number)}))
		return c.Blob(http.StatusOK, "text/csv; charset=utf-8", content)
	}
	app, err := h.Frame.App(c, layout.Documents, "Tables")
	return respond.Show(c, err, http.StatusOK, page.TablesPage(page.TablesProps{App: app, Tables: found}))
}

// How many chunks are listed at once, how much of the text of each, and how many questions that cite a document.
const (
	maxChunks = 40
	maxHead   = 240 // code points
	maxCiting = 20
)

// Chunks lists the chunks of a document from the parameter from on, with what was mined from each and what was dropped: as a page, or
// to htmx as a part of one. It fails with kind NotFound for an unknown document.
func (h *Handler) Chunks(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, found, next, err := h.Library.Chunks(ctx, w, domain.DocumentID(c.Param("id")), request.Int(c, "from"), maxChunks)
	if err != nil {
		return err
	}
	p := page.ChunksProps{Document: doc, Next: next}
	p.Items = lists.Map(found, func(chunk ledger.ReadChunk) page.ChunkItem { return chunkItem(ctx, chunk) })
	if respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, page.ChunkItems(p))
	}
	p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Chunks of %s", doc.Name))
	return respond.Show(c, err, http.StatusOK, page.ChunksPage(p))
}

func chunkItem(ctx context.Context, c ledger.ReadChunk) page.ChunkItem {
	item := page.ChunkItem{
		Number: c.Ordinal + 1, Text: domain.Cut(domain.OneLine(c.Text), maxHead), URL: link.Passage(c.Document, c.Span),
		Where: lang.F(ctx, "characters %s to %s, %s", lang.Int(ctx, c.Span.Start+1), lang.Int(ctx, c.Span.End), lang.Count(ctx, c.Tokens, "token", "tokens")),
		Read:  lang.T(ctx, "Not mined yet."),
	}
	if place := c.Place(c.Span); place != "" {
		item.Where = place + ", " + item.Where
	} else if c.Page > 0 {
		item.Where = lang.F(ctx, "page %d, %s", c.Page, item.Where)
	}
	item.Where = format.Capital(item.Where)
	if c.Reader != "" {
		item.Read = lang.F(ctx, "Mined by %s.", c.Reader)
	}
	if c.Schema > 0 {
		item.Read = lang.F(ctx, "Mined by %s with version %d of a schema.", c.Reader, c.Schema)
	}
	item.Entities = lists.Map(c.Graph.Nodes, func(n domain.GraphNode) partial.EntityItem { return partial.EntityItem{Label: n.Label, Name: n.Name} })
	for _, r := range c.Graph.Relationships {
		item.Relations = append(item.Relations, page.MinedRelation{Source: c.Graph.Nodes[r.Source].Name, Type: r.Type, Target: c.Graph.Nodes[r.Target].Name})
	}
	item.Dropped = lists.Map(c.Dropped, func(d domain.Dropped) partial.DroppedRow { return present.Dropped(ctx, d, c.Document) })
	return item
}

// Cited lists the latest questions whose answers cite a document, as a page, or to htmx as a part of one. It fails with kind NotFound
// for an unknown document.
func (h *Handler) Cited(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, found, more, err := h.Library.Citing(ctx, w, domain.DocumentID(c.Param("id")), maxCiting)
	if err != nil {
		return err
	}
	p := page.CitedProps{Document: doc, Items: found, More: more}
	if respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, page.CitedItems(p))
	}
	p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Questions answered from %s", doc.Name))
	return respond.Show(c, err, http.StatusOK, page.CitedPage(p))
}
