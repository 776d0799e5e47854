package account

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Invitations serves the page of invitations to the workspace.
func (h *Handler) Invitations(c echo.Context) error {
	return h.invitations(c, http.StatusOK, page.InvitationsProps{})
}

func (h *Handler) invitations(c echo.Context, status int, p page.InvitationsProps) (err error) {
	if p.App, err = h.Frame.App(c, layout.Accounts, lang.T(c.Request().Context(), "Invitations")); err != nil {
		return err
	}
	if p.Invitations, err = auth.ListInvitations.Do(h.Auth, c.Request().Context(), struct{}{}); err != nil {
		return err
	}
	p.Now = h.Now()
	return respond.HTML(c, status, page.InvitationsPage(p))
}

// InvitationMade answers the form that makes an invitation: with its link, which no other page shows.
func (h *Handler) InvitationMade(c echo.Context, made auth.NewInvitation, refused error) error {
	if refused == nil {
		whom := cmp.Or(made.Note, lang.F(c.Request().Context(), "a new %s", string(made.Role)))
		return h.invitations(c, http.StatusOK, page.InvitationsProps{Link: request.Root(c) + link.Join(made.Secret), For: whom})
	}
	problem := respond.Refusal(c, refused)
	return h.invitations(c, problem.Status, page.InvitationsProps{
		Problem: problem.Message, Wanted: auth.InvitationWanted{Note: domain.Cut(c.FormValue("note"), auth.MaxName), Role: domain.Role(c.FormValue("role"))},
	})
}

// ResetMade answers the form that made a link for a new password.
func (h *Handler) ResetMade(c echo.Context, made auth.NewReset) error {
	app, err := h.Frame.App(c, layout.Accounts, made.Name)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.ResetMadePage(page.ResetMadeProps{App: app, Name: made.Name, Link: request.Root(c) + link.Reset(made.Secret)}))
}
