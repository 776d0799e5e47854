// Package account signs people in and out, rejects requests without a session once there is an
// account, and serves the pages of accounts.
package account

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// The names of the cookies: a session's token, the mark of a known browser, the last opened workspace, and the pass
// from the password to the code.
const (
	sessionCookie   = "clew"
	knownCookie     = "clew_known"
	workspaceCookie = "clew_workspace"
	passCookie      = "clew_pass"
)

// Handler signs people in and out and manages accounts. All fields are required.
type Handler struct {
	Frame  frame.Frame
	Auth   *auth.Auth
	SignOn *signon.Service
	Now    domain.Clock

	Workspaces *workspaces.Service
	Settings   *settings.Overview
	Loopback   bool // only this machine can reach the listener

	Recheck time.Duration // how often a stream checks whether its session has ended
}

// maxNext limits the address to go to after signing in, so that the form that
// carries it stays small.
const maxNext = 2048

// maxTyped limits how much of a typed name a form shows again.
const maxTyped = auth.MaxName

// Form serves the sign-in page. It redirects a person whom a proxy has signed in at once.
func (h *Handler) Form(c echo.Context) error {
	to := next(c.QueryParam("next"))
	if s, found, err := h.session(c); err == nil && found && !s.Stored() {
		return respond.SeeOther(c, to)
	}
	return h.login(c, http.StatusOK, page.LoginProps{Next: to, Note: lang.T(c.Request().Context(), notes[c.QueryParam("done")])})
}

// notes maps values of the query parameter done to messages on the sign-in page.
var notes = map[string]string{"password": "The password was set. Sign in with it."}

// login sends the sign-in page.
func (h *Handler) login(c echo.Context, status int, p page.LoginProps) error {
	p.App, p.Host, p.Name = h.Frame.Bare(c, lang.T(c.Request().Context(), "Sign in")), c.Request().Host, domain.Cut(p.Name, maxTyped)
	p.SignOn = page.SignOnProps{Provider: h.SignOn.Provider(), Next: p.Next}
	if is := h.SignOn.Problem(c.Request().Context()); is != nil && p.Problem == "" {
		p.SignOn.Problem = domain.InWords(is)
	}
	return respond.HTML(c, status, page.LoginPage(p))
}

// SignIn checks name and password, replaces the browser's session and goes to the page in the form field next. If it
// refuses, it shows the form again.
func (h *Handler) SignIn(c echo.Context) error {
	ctx, to := c.Request().Context(), next(c.FormValue("next"))
	in, err := h.Auth.SignIn(ctx, auth.Attempt{
		Client: client(c), Name: c.FormValue("name"), Password: c.FormValue("password"), Known: cookie(c, knownCookie),
	})
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.login(c, problem.Status, page.LoginProps{Name: c.FormValue("name"), Next: to, Problem: problem.Message})
	}
	if err != nil {
		return err
	}
	return h.enterAs(c, in, to)
}

// enterAs replaces the browser's session and goes to a page, by way of the code if one is asked for.
func (h *Handler) enterAs(c echo.Context, in auth.SignedIn, next string) error {
	if in.Pass != "" {
		setCookie(c, passCookie, in.Pass, link.Login, auth.StepFor)
		return respond.SeeOther(c, link.With(link.Code, "next", next))
	}
	return respond.After(c, h.replace(c, in), next)
}

// replace ends the session of a browser, if it has one, and stores another in it.
func (h *Handler) replace(c echo.Context, in auth.SignedIn) error {
	if old, found, err := h.session(c); err != nil {
		return err
	} else if found && old.Stored() {
		if err := h.Auth.SignOut(c.Request().Context(), old); err != nil {
			return err
		}
	}
	h.keep(c, in)
	return nil
}

// keep stores a session in the browser.
func (h *Handler) keep(c echo.Context, in auth.SignedIn) {
	setCookie(c, sessionCookie, in.Token, "/", h.Auth.Lifetime)
	setCookie(c, knownCookie, in.Known, link.Login, auth.KnownFor)
}

// refused reports whether an error is for the person in front of the form.
func refused(err error) bool {
	switch domain.KindOf(err) {
	case domain.Unauthorized, domain.Invalid, domain.Conflict, domain.TooMany:
		return true
	}
	return false
}

// client returns the origin of a request.
func client(c echo.Context) auth.Client {
	return auth.Client{Address: request.ClientOf(c).Address, Browser: c.Request().UserAgent()}
}

func cookie(c echo.Context, name string) string {
	if k, err := c.Cookie(name); err == nil {
		return k.Value
	}
	return ""
}

// setCookie sets a cookie for a lifetime; 0 removes it. With https, the cookie is secure.
func setCookie(c echo.Context, name, value, path string, lifetime time.Duration) {
	age := int(lifetime.Seconds())
	if lifetime == 0 {
		age = -1
	}
	c.SetCookie(&http.Cookie{ //nolint:gosec // Secure where the browser is on https
		Name: name, Value: value, Path: link.Mounted(c.Request().Context(), path), MaxAge: age,
		HttpOnly: true, Secure: request.ClientOf(c).HTTPS, SameSite: http.SameSiteLaxMode,
	})
}

// SignOut ends the session. After a sign-on it can end that too.
func (h *Handler) SignOut(c echo.Context) error {
	s := frame.Session(c)
	if s.ID != "" && !s.Stored() {
		return domain.Errorf(domain.Conflict, "A proxy signs you in with each request. Sign out there.")
	}
	if s.ID != "" {
		if err := h.Auth.SignOut(c.Request().Context(), s); err != nil {
			return err
		}
	}
	setCookie(c, sessionCookie, "", "/", 0)
	if s.Issuer != "" {
		return respond.SeeOther(c, link.SignedOut)
	}
	return respond.SeeOther(c, link.Login)
}

// session returns the session of a request, and reports whether it is valid: that of the person named by a trusted
// proxy, or that of the browser.
func (h *Handler) session(c echo.Context) (ledger.Session, bool, error) {
	named, found, err := h.SignOn.FromProxy(c.Request().Context(), request.ClientOf(c).Proxied, c.Request().Header)
	if found || err != nil {
		return named, found, err
	}
	token := cookie(c, sessionCookie)
	if token == "" {
		return ledger.Session{}, false, nil
	}
	return h.Auth.Session(c.Request().Context(), token, request.ClientOf(c).Address)
}

// Guard passes requests of people who are signed in and members of the workspace that the address names, and all requests
// for a workspace while there is no account. It redirects other GET requests to the sign-in page, or from an address without
// a workspace to the same page in one, and refuses the rest with kind Unauthorized or NotFound.
func (h *Handler) Guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		s, found, err := h.session(c)
		if err != nil {
			return err
		}
		if !found {
			required, err := h.Auth.Required(c.Request().Context())
			switch {
			case err != nil:
				return err
			case required && c.Request().Method != http.MethodPost && !respond.WantsJSON(c):
				here := link.Under(request.NamedIn(c).Asked, c.Request().URL.RequestURI())
				return respond.SeeOther(c, link.With(link.Login, "next", here))
			case required:
				return domain.Errorf(domain.Unauthorized, "Sign in first.")
			}
		} else {
			frame.SetSession(c, s)
		}
		switch in := request.NamedIn(c); {
		case c.Path() == link.Logout:
		case in.Asked == "":
			return h.enter(c, s.Account)
		case in.ID == "" || s.Role == domain.Stranger:
			c.SetRequest(c.Request().WithContext(link.WithBase(c.Request().Context(), "")))
			return domain.Errorf(domain.NotFound, "There is no workspace %s, or you are not a member of it.", in.Asked)
		case !in.ArchivedAt.IsZero() && c.Request().Method == http.MethodPost && !link.Keeps(c.Path()):
			return in.Refuse()
		case cookie(c, workspaceCookie) != in.Name:
			setCookie(c, workspaceCookie, in.Name, "/", 365*24*time.Hour)
		}
		return next(c)
	}
}

// enter redirects to the page of an address in the workspace that an account was in last.
func (h *Handler) enter(c echo.Context, account string) error {
	if c.Request().Method == http.MethodPost {
		return domain.Errorf(domain.NotFound, "The address does not say in which workspace. Load the page again, and send it once more.")
	}
	name, err := h.Workspaces.Home(c.Request().Context(), account, cookie(c, workspaceCookie))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, link.In(c.Request().Context(), name, c.Request().URL.RequestURI()))
}

// WhileSignedIn ends a stream when the session that it belongs to has ended.
func (h *Handler) WhileSignedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		s := frame.Session(c)
		if s.ID == "" {
			return next(c)
		}
		return request.While(c, next, h.Recheck, func(ctx context.Context) bool {
			ended, err := h.Auth.Ended(ctx, s)
			return err != nil || !ended
		})
	}
}
