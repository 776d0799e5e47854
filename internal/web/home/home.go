// Package home serves the start page.
package home

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the start page. All fields are required.
type Handler struct {
	Frame  frame.Frame
	Sample *present.Sample
	Upload partial.UploadProps
}

// Show serves the start page.
func (h *Handler) Show(c echo.Context) error {
	app, counts, err := h.Frame.Counted(c, layout.Home, "")
	if err != nil {
		return err
	}
	loaded, err := h.Sample.Loaded(c.Request().Context(), request.Workspace(c))
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.HomePage(page.HomeProps{
		App: app, Upload: h.Upload, SampleDocuments: len(h.Sample.Files), SampleLoaded: loaded, Reading: counts.Documents.Unread(), Questions: h.Sample.Questions(),
	}))
}
