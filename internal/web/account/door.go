package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/diagram/qr"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// FirstDay redirects from the first page to Setup until somebody has decided for whom the library is. It is behind
// Guard, which lets nobody in without an account if there is one.
func (h *Handler) FirstDay(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Path() != link.Home || c.Request().Method != http.MethodGet || frame.User(c) != "" {
			return next(c)
		}
		undecided, err := h.Auth.Undecided(c.Request().Context())
		if err != nil {
			return err
		}
		if undecided {
			return respond.SeeOther(c, link.Setup)
		}
		return next(c)
	}
}

// Setup serves the page that asks for whom the library is.
func (h *Handler) Setup(c echo.Context) error {
	if required, err := h.Auth.Required(c.Request().Context()); required || err != nil {
		return respond.After(c, err, link.Home)
	}
	return h.setup(c, http.StatusOK, page.SetupProps{})
}

func (h *Handler) setup(c echo.Context, status int, p page.SetupProps) error {
	p.App, p.Alone, p.Address, p.Found = h.Frame.Bare(c, lang.T(c.Request().Context(), "First start")), h.Loopback, c.Request().Host, h.Settings.Found()
	return respond.HTML(c, status, page.SetupPage(p))
}

// SetUp makes the owner's account and signs in with it.
func (h *Handler) SetUp(c echo.Context) error {
	in, err := h.Auth.Begin(c.Request().Context(), c.FormValue("name"), c.FormValue("password"), client(c))
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.setup(c, problem.Status, page.SetupProps{Name: domain.Cut(c.FormValue("name"), auth.MaxName), Problem: problem.Message})
	}
	if err != nil {
		return err
	}
	return h.enterAs(c, in, link.Home)
}

// StayAlone records the decision to have no accounts. If there are accounts, only an owner may.
func (h *Handler) StayAlone(c echo.Context) error {
	if !h.Loopback {
		return domain.Errorf(domain.Forbidden, "Other machines can reach Clew, so it needs an account.")
	}
	s, _, err := h.session(c)
	if err != nil {
		return err
	}
	if required, err := h.Auth.Required(c.Request().Context()); err != nil {
		return err
	} else if required && s.Role != domain.Owner {
		return domain.Errorf(domain.Forbidden, "There are accounts: sign in as an owner first.")
	}
	return respond.After(c, h.Auth.Alone(c.Request().Context()), link.Home)
}

// CodeForm serves the page that asks for a code after the password.
func (h *Handler) CodeForm(c echo.Context) error {
	if cookie(c, passCookie) == "" {
		return respond.SeeOther(c, link.Login)
	}
	return h.codePage(c, http.StatusOK, page.CodeProps{Next: next(c.QueryParam("next"))})
}

// codePage asks for a code, and shows what an app needs if there is none yet.
func (h *Handler) codePage(c echo.Context, status int, p page.CodeProps) error {
	p.App = h.Frame.Bare(c, lang.T(c.Request().Context(), "Sign in"))
	begun, enrols, err := h.Auth.Enrolling(c.Request().Context(), cookie(c, passCookie))
	if err != nil {
		return err
	}
	if enrols {
		p.App.Works, p.Enrols = true, &page.SecondStepProps{Secret: begun.Secret}
		if p.Enrols.Code, err = qr.Encode(begun.URI); err != nil {
			return err
		}
	}
	return respond.HTML(c, status, page.CodePage(p))
}

// Code checks a code and begins the session for which the password was right.
func (h *Handler) Code(c echo.Context) error {
	to := next(c.FormValue("next"))
	in, err := h.Auth.Proceed(c.Request().Context(), cookie(c, passCookie), c.FormValue("code"), cookie(c, knownCookie), client(c))
	if domain.KindOf(err) == domain.NotFound {
		setCookie(c, passCookie, "", link.Login, 0)
		return h.login(c, http.StatusUnauthorized, page.LoginProps{Next: to, Problem: respond.Refusal(c, err).Message})
	}
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.codePage(c, problem.Status, page.CodeProps{Next: to, Problem: problem.Message})
	}
	if err != nil {
		return err
	}
	setCookie(c, passCookie, "", link.Login, 0)
	if len(in.Recovery) == 0 {
		return h.enterAs(c, in, to)
	}
	if err := h.replace(c, in); err != nil {
		return err
	}
	app := h.Frame.Bare(c, lang.T(c.Request().Context(), "Recovery codes"))
	app.Works = true
	return respond.HTML(c, http.StatusOK, page.EnrolledPage(page.RecoveryProps{App: app, Codes: in.Recovery, Next: to}))
}

// Invited serves the page of an invitation's link.
func (h *Handler) Invited(c echo.Context) error { return h.invited(c, http.StatusOK, page.JoinProps{}) }

func (h *Handler) invited(c echo.Context, status int, p page.JoinProps) error {
	secret := c.Param("secret")
	invited, err := h.Auth.Invitation(c.Request().Context(), secret, request.ClientOf(c).Address)
	if err != nil {
		return err
	}
	s, _, err := h.session(c)
	if err != nil {
		return err
	}
	p.App, p.Secret, p.User = h.Frame.Bare(c, lang.T(c.Request().Context(), "Invitation")), secret, s.Account
	p.Workspace, p.About, p.Role, p.By, p.Until = invited.Workspace.Title, invited.Workspace.About, invited.Role, invited.By, invited.Until
	return respond.HTML(c, status, page.JoinPage(p))
}

// Join accepts an invitation: with the account that is signed in, if the form names it, otherwise with a new one, which is signed
// in then.
func (h *Handler) Join(c echo.Context) error {
	err := h.join(c)
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.invited(c, problem.Status, page.JoinProps{Name: domain.Cut(c.FormValue("name"), auth.MaxName), Problem: problem.Message})
	}
	return err
}

func (h *Handler) join(c echo.Context) error {
	ctx, secret, as := c.Request().Context(), c.Param("secret"), c.FormValue("as")
	invited, err := h.Auth.Invitation(ctx, secret, request.ClientOf(c).Address)
	if err != nil {
		return err
	}
	home := link.Under(invited.Workspace.Name, link.Home)
	if as == "" {
		in, err := h.Auth.Accept(ctx, secret, c.FormValue("name"), c.FormValue("password"), client(c))
		if err != nil {
			return err
		}
		return h.enterAs(c, in, home)
	}
	s, found, err := h.session(c)
	if err != nil {
		return err
	}
	if !found || s.Account != as {
		return domain.Errorf(domain.Unauthorized, "You are not signed in as %s any more. Nothing was changed.", as)
	}
	_, err = h.Auth.Join(ctx, secret, s, request.ClientOf(c).Address)
	return respond.After(c, err, link.With(home, "done", "joined"))
}

// ResetForm serves the page of a link that resets a password.
func (h *Handler) ResetForm(c echo.Context) error { return h.resetForm(c, http.StatusOK, "") }

func (h *Handler) resetForm(c echo.Context, status int, problem string) error {
	secret := c.Param("secret")
	name, err := h.Auth.ResetOf(c.Request().Context(), secret, request.ClientOf(c).Address)
	return respond.Show(c, err, status, page.ResetPage(page.ResetProps{App: h.Frame.Bare(c, lang.T(c.Request().Context(), "New password")), Secret: secret, Name: name, Problem: problem}))
}

// Reset sets a new password with a link. Then one signs in with it, so that a code is asked for where there is one.
func (h *Handler) Reset(c echo.Context) error {
	_, err := h.Auth.ResetPassword(c.Request().Context(), c.Param("secret"), c.FormValue("password"), request.ClientOf(c).Address)
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.resetForm(c, problem.Status, problem.Message)
	}
	return respond.After(c, err, link.With(link.Login, "done", "password"))
}
