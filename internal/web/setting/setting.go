// Package setting serves the page of settings, which also tests the connection
// to the models.
package setting

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the settings. All fields are required.
type Handler struct {
	Frame    frame.Frame
	Groups   []page.SettingGroup
	Provider string
	Test     func(ctx context.Context) []partial.CheckLine // one line for each model
}

// Show serves the settings in effect.
func (h *Handler) Show(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.SettingsPage(p))
}

// TestConnection calls the models and shows which of them answer.
func (h *Handler) TestConnection(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	p.Tested, p.Results = true, h.Test(c.Request().Context())
	return respond.Page(c, page.SettingsPage(p), partial.Checks(p.Results))
}

func (h *Handler) props(c echo.Context) (page.SettingsProps, error) {
	app, err := h.Frame.App(c, layout.Settings, "Settings")
	return page.SettingsProps{App: app, Groups: h.Groups, Provider: h.Provider}, err
}
