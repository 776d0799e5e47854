package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Tokens serves the page of tokens: one's own, for owners all.
func (h *Handler) Tokens(c echo.Context) error { return h.tokens(c, http.StatusOK, page.TokensProps{}) }

func (h *Handler) tokens(c echo.Context, status int, p page.TokensProps) error {
	var err error
	if p.App, err = h.Frame.App(c, layout.Tokens, lang.T(c.Request().Context(), "Tokens for programs")); err != nil {
		return err
	}
	if p.Tokens, err = auth.ListTokens.Do(h.Auth, c.Request().Context(), struct{}{}); err != nil {
		return err
	}
	p.Origin, p.Now = request.Root(c), h.Now()
	return respond.HTML(c, status, page.TokensPage(p))
}

// TokenMade answers the form that makes a token: with its secret, which no other page shows.
func (h *Handler) TokenMade(c echo.Context, made auth.NewToken, refused error) error {
	if refused == nil {
		return h.tokens(c, http.StatusOK, page.TokensProps{Made: &made})
	}
	problem := respond.Refusal(c, refused)
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	return h.tokens(c, problem.Status, page.TokensProps{
		Problem: problem.Message, Wanted: auth.TokenWanted{Name: domain.Cut(form.Get("name"), auth.MaxName), Preset: form.Get("preset"), Scopes: form["scope"]},
	})
}

// TokenRevoked answers the form that revoked a token.
func TokenRevoked(c echo.Context, _ operation.Nothing) error {
	return respond.SeeOther(c, link.With(link.Tokens, "done", "revoked"))
}

// Reference returns a handler of the page that describes the routes of the API.
func (h *Handler) Reference(groups func() []page.RouteGroup) echo.HandlerFunc {
	return func(c echo.Context) error {
		app, err := h.Frame.App(c, layout.Tokens, "API")
		if err != nil {
			return err
		}
		return respond.HTML(c, http.StatusOK, page.ReferencePage(page.ReferenceProps{App: app, Origin: request.Root(c), Groups: groups()}))
	}
}
