package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// List serves the list of accounts, for owners.
func (h *Handler) List(c echo.Context) error { return h.list(c, http.StatusOK, "") }

func (h *Handler) list(c echo.Context, status int, problem string) error {
	app, err := h.Frame.App(c, layout.Accounts, lang.T(c.Request().Context(), "Accounts"))
	if err != nil {
		return err
	}
	accounts, err := h.Auth.Accounts(c.Request().Context())
	if err != nil {
		return err
	}
	p := page.AccountsProps{App: app, Name: c.FormValue("name"), Role: domain.Role(c.FormValue("role")), Problem: problem}
	for _, a := range accounts {
		line := page.AccountLine{Name: a.Name, Role: a.Role, Sessions: a.Sessions}
		if a.Sessions > 0 {
			line.Unused = h.Now().Sub(a.UsedAt)
		}
		p.Accounts = append(p.Accounts, line)
	}
	return respond.HTML(c, status, page.AccountsPage(p))
}

// Add adds an account. Whoever adds the first one, before anybody signs in, is signed in with it.
func (h *Handler) Add(c echo.Context) error {
	ctx, name, password := c.Request().Context(), c.FormValue("name"), c.FormValue("password")
	err := h.Auth.Add(ctx, frame.User(c), name, password, domain.Role(c.FormValue("role")))
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.list(c, problem.Status, problem.Message)
	}
	if err != nil {
		return err
	}
	if frame.Session(c).ID == "" {
		in, err := h.Auth.SignIn(ctx, auth.Attempt{Client: client(c), Name: name, Password: password})
		if err != nil {
			return err
		}
		return h.enterAs(c, in, link.At(ctx, link.With(link.Accounts, "done", "first-account")))
	}
	return respond.SeeOther(c, link.With(link.Accounts, "done", "account"))
}

// Manage serves the page of an account for owners.
func (h *Handler) Manage(c echo.Context) error {
	a, err := h.Auth.Account(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Accounts, a.Name)
	if err != nil {
		return err
	}
	sessions, err := h.sessions(c, a.Name)
	if err != nil {
		return err
	}
	groups, err := h.Auth.Ledger.Groups(c.Request().Context(), a.Name)
	if err != nil {
		return err
	}
	codes, _, err := h.Auth.Steps(c.Request().Context(), a.Name)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.ManageAccountPage(page.ManageAccountProps{
		App: app, Name: a.Name, Role: a.Role, CreatedAt: a.CreatedAt, Groups: groups, Sessions: sessions, Codes: codes,
	}))
}

// RoleChanged answers the form that changed the role of an account.
func RoleChanged(c echo.Context, a auth.Account) error {
	back := link.ManageAccount(a.Name)
	if a.Name == frame.User(c) {
		back = link.Account // a member can't see the other page
	}
	return respond.SeeOther(c, link.With(back, "done", "role"))
}

// EndSessions ends the session of an account in the form field session, or all.
func (h *Handler) EndSessions(c echo.Context) error {
	a, err := h.Auth.Managed(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	return h.end(c, a.Name, "", page.Managed(c.Request().Context(), a.Name))
}
