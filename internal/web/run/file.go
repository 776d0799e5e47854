package run

import (
	"bytes"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	pictures "github.com/clewhq/clew/views/diagram/picture"
)

// Export serves a run as a file, with the texts of its passages if the parameter text is set.
func (h *Handler) Export(c echo.Context) error {
	id := domain.RunID(c.Param("id"))
	var file bytes.Buffer
	if err := h.Files.Export(c.Request().Context(), h.Runs.Kinds, request.Workspace(c), id, c.QueryParam("text") != "", &file); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+string(id)+run.FileExtension+`"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, file.Bytes())
}

// Picture serves the graph of a run as it was lit at a step, as SVG or PNG by the name's end.
func (h *Handler) Picture(c echo.Context) error {
	l, err := h.asked(c)
	if err != nil {
		return err
	}
	m, err := h.moment(c, l)
	if err != nil {
		return err
	}
	drawn := h.Runs.Drawn(c.Request().Context(), l)
	if m != nil {
		drawn = m.Trace
	}
	picture := drawn.Drawing()
	if !frame.Technical(c) {
		picture = drawn.PlainDrawing()
	}
	var file bytes.Buffer
	kind, ends := "image/svg+xml", ".svg"
	if c.Param("format") == "png" {
		kind, ends = "image/png", ".png"
		err = pictures.PNG(&file, picture)
	} else {
		err = pictures.SVG(&file, picture, drawn.Summary())
	}
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+string(l.ID)+ends+`"`)
	return c.Blob(http.StatusOK, kind, file.Bytes())
}
