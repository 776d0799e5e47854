package setting

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Webhooks serves the pages of webhooks. All fields are required.
type Webhooks struct {
	Frame   frame.Frame
	Service *webhooks.Service
	Now     domain.Clock
}

// List serves the list of webhooks.
func (h *Webhooks) List(c echo.Context) error {
	return h.list(c, http.StatusOK, page.WebhooksProps{})
}

func (h *Webhooks) list(c echo.Context, status int, p page.WebhooksProps) error {
	var err error
	if p.App, err = h.Frame.App(c, layout.Tokens, lang.T(c.Request().Context(), "Webhooks")); err != nil {
		return err
	}
	p.Webhooks, err = webhooks.List.Do(h.Service, c.Request().Context(), struct{}{})
	return respond.Show(c, err, status, page.WebhooksPage(p))
}

// Added answers the form that adds a webhook: with its secret, which no other page shows.
func (h *Webhooks) Added(c echo.Context, added webhooks.Added, refused error) error {
	if refused == nil {
		return h.list(c, http.StatusOK, page.WebhooksProps{Added: &added})
	}
	problem := respond.Refusal(c, refused)
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	return h.list(c, problem.Status, page.WebhooksProps{Problem: problem.Message, Wanted: webhooks.Wanted{URL: domain.Cut(form.Get("url"), 2000), Events: form["event"]}})
}

// Show serves the page with the deliveries of a webhook.
func (h *Webhooks) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	hook, err := h.Service.Ledger.Webhook(ctx, w, c.Param("id"))
	if err != nil {
		return err
	}
	list, err := h.Service.List(ctx, w, hook.ID)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Tokens, lang.T(ctx, "Deliveries"))
	return respond.Show(c, err, http.StatusOK, page.WebhookPage(page.WebhookProps{App: app, ID: hook.ID, URL: hook.URL, Deliveries: list, Now: h.Now()}))
}

// SentAgain answers the form that sends a delivery again.
func SentAgain(c echo.Context, d webhooks.ShownDelivery) error {
	return respond.SeeOther(c, link.With(link.Webhook(d.Webhook), "done", "told"))
}
