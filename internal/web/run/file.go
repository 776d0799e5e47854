package run

import (
	"bytes"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/runfile"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/diagram/picture"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// file returns what the page says of a run's file.
func (h *Handler) file(l present.Log) page.RunFile {
	f := page.RunFile{Ends: l.Status.Ended() && len(l.Events) > 0}
	if l.Opened == nil {
		return f
	}
	f.Imported = l.CreatedAt
	for _, p := range l.Opened.Passages {
		f.Passages = append(f.Passages, page.RunPassage{Chunk: string(p.ID), Name: p.Name, Page: p.Page, Text: domain.Cut(p.Text, maxPassage)})
		if len(f.Passages) == maxPassages {
			break
		}
	}
	f.More = len(l.Opened.Passages) - len(f.Passages)
	return f
}

// Limits of the passages on the page of an imported run; the file has no limits.
const (
	maxPassages = 100
	maxPassage  = 4000 // code points
)

// Export serves a run as a file, with the texts of its passages if the parameter text is set.
func (h *Handler) Export(c echo.Context) error {
	id := domain.RunID(c.Param("id"))
	var file bytes.Buffer
	if err := h.Files.Export(c.Request().Context(), h.Runs.Kinds, request.Workspace(c), id, c.QueryParam("text") != "", &file); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+string(id)+runfile.Extension+`"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, file.Bytes())
}

// Picture serves the graph of a run as it was lit at a step, as SVG or PNG by the name's end.
func (h *Handler) Picture(c echo.Context) error {
	r, l, err := h.asked(c)
	if err != nil {
		return err
	}
	m, err := h.moment(c, l)
	if err != nil {
		return err
	}
	drawn := h.Runs.Drawn(l)
	if m != nil {
		drawn = m.Trace
	}
	var file bytes.Buffer
	kind, ends := "image/svg+xml", ".svg"
	if c.Param("format") == "png" {
		kind, ends = "image/png", ".png"
		err = picture.PNG(&file, drawn.Drawing())
	} else {
		err = picture.SVG(&file, drawn.Drawing(), drawn.Summary())
	}
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+string(r.ID)+ends+`"`)
	return c.Blob(http.StatusOK, kind, file.Bytes())
}

// Import opens the file in the form field file, and goes to the page of its run.
func (h *Handler) Import(c echo.Context) error {
	field, err := c.FormFile("file")
	if err != nil {
		return domain.Because(domain.Invalid, err, "There is no file to open. Choose one that ends in %s.", runfile.Extension)
	}
	file, err := field.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := h.Files.Import(c.Request().Context(), request.Workspace(c), file)
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Run(r.ID))
}

// Delete removes an imported run.
func (h *Handler) Delete(c echo.Context) error {
	if err := h.Files.Delete(c.Request().Context(), request.Workspace(c), domain.RunID(c.Param("id"))); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Runs, "kind", runfile.Kind))
}
