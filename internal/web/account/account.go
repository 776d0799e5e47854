// Package account signs users in and out, and turns away requests without a
// session once there is an account.
package account

import (
	"context"
	"net/http"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Keys of a session: the account's name, and the stamp of its password, see
// auth.Stamp.
const (
	nameKey  = "name"
	stampKey = "stamp"
)

// Handler signs users in and out. All fields are required.
type Handler struct {
	Frame    frame.Frame
	Auth     *auth.Auth
	Sessions *scs.SessionManager
}

// Form serves the sign-in page.
func (h *Handler) Form(c echo.Context) error {
	return respond.HTML(c, http.StatusOK, page.LoginPage(page.LoginProps{App: h.Frame.Bare(c, "Sign in"), Next: request.Local(c.QueryParam("next"), link.Home)}))
}

// SignIn checks name and password, starts a session with a new token and goes
// to the page in the form field next. A wrong name or password shows the form
// again with status 401.
func (h *Handler) SignIn(c echo.Context) error {
	ctx, next := c.Request().Context(), request.Local(c.FormValue("next"), link.Home)
	name, err := h.Auth.SignIn(ctx, c.FormValue("name"), c.FormValue("password"))
	if domain.KindOf(err) == domain.Unauthorized {
		problem := respond.ProblemOf(err)
		return respond.HTML(c, problem.Status, page.LoginPage(page.LoginProps{
			App: h.Frame.Bare(c, "Sign in"), Name: c.FormValue("name"), Next: next, Problem: problem.Message,
		}))
	}
	if err != nil {
		return err
	}
	if err := h.Sessions.RenewToken(ctx); err != nil {
		return err
	}
	stamp, err := h.Auth.Stamp(ctx, name)
	if err != nil {
		return err
	}
	h.Sessions.Put(ctx, nameKey, name)
	h.Sessions.Put(ctx, stampKey, stamp)
	return respond.SeeOther(c, next)
}

// SignOut ends the session.
func (h *Handler) SignOut(c echo.Context) error {
	if err := h.Sessions.Destroy(c.Request().Context()); err != nil {
		return err
	}
	return respond.SeeOther(c, link.Login)
}

// Guard passes requests of signed-in users, and all requests while there is no
// account. It redirects other GET requests to the sign-in page and refuses the
// rest with kind Unauthorized.
func (h *Handler) Guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		name, err := h.signedIn(ctx)
		if err != nil {
			return err
		}
		if name != "" {
			frame.SetUser(c, name)
			return next(c)
		}
		required, err := h.Auth.Required(ctx)
		switch {
		case err != nil:
			return err
		case !required:
			return next(c)
		case c.Request().Method != http.MethodPost && !respond.WantsJSON(c):
			return respond.SeeOther(c, link.With(link.Login, "next", c.Request().URL.RequestURI()))
		}
		return domain.Errorf(domain.Unauthorized, "Sign in first.")
	}
}

// signedIn returns the name of the session's user, or "" without one. It ends a
// session that is older than the account's password.
func (h *Handler) signedIn(ctx context.Context) (string, error) {
	name := h.Sessions.GetString(ctx, nameKey)
	if name == "" {
		return "", nil
	}
	stamp, err := h.Auth.Stamp(ctx, name)
	if err != nil {
		return "", err
	}
	if stamp == "" || stamp != h.Sessions.GetString(ctx, stampKey) {
		return "", h.Sessions.Destroy(ctx)
	}
	return name, nil
}
