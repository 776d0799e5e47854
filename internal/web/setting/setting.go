// Package setting serves the page of settings, which connects models and tests them.
package setting

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/connections"
	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Handler serves the settings. All fields are required.
type Handler struct {
	Frame       frame.Frame
	Groups      []page.SettingGroup
	Test        func(ctx context.Context) []llm.Check // of the models in use
	Connections *connections.Service
	Again       func(ctx context.Context, w domain.WorkspaceID) (b documents.Bill, documents int, err error) // bill of reading again what another model read
	Unembedded  func(ctx context.Context) bool                                                               // the search index has no vectors of the embedding model
	Sentences   func(ctx context.Context, w domain.WorkspaceID) string                                       // how many are embedded, "" once all are
}

// Show serves the settings in effect.
func (h *Handler) Show(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.SettingsPage(p))
}

// TestConnection calls the models in use and shows which of them answer.
func (h *Handler) TestConnection(c echo.Context) error {
	p, err := h.props(c)
	if err != nil {
		return err
	}
	p.Results = lines(h.Test(c.Request().Context()))
	return respond.Page(c, page.SettingsPage(p), partial.Checks("checks", p.Results))
}

func (h *Handler) props(c echo.Context) (page.SettingsProps, error) {
	app, err := h.Frame.App(c, layout.Settings, "Settings")
	if err != nil {
		return page.SettingsProps{}, err
	}
	p := page.SettingsProps{App: app, Groups: h.Groups}
	return p, h.models(c, &p)
}
