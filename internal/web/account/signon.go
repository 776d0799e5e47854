package account

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// next returns the page to go to after signing in.
func next(address string) string {
	address = request.Local(address, link.Home)
	if len(address) > maxNext || strings.HasPrefix(address, link.SignOn) {
		return link.Home
	}
	return address
}

// unwelcome shows a person who did not get in why, on the sign-in page.
func (h *Handler) unwelcome(c echo.Context, next string, err error) error {
	switch domain.KindOf(err) {
	case domain.Unauthorized, domain.Invalid, domain.Conflict, domain.TooMany, domain.Forbidden, domain.Unavailable:
		problem := respond.Refusal(c, err)
		return h.login(c, problem.Status, page.LoginProps{Next: next, Problem: problem.Message})
	}
	return err
}

// begin begins a sign-on and returns the address at the provider.
func (h *Handler) begin(c echo.Context, next, account string) (string, error) {
	begun, err := h.SignOn.Begin(c.Request().Context(), signon.Request{Redirect: request.Root(c) + link.SignOnCallback, Next: next, Account: account})
	if err != nil {
		return "", err
	}
	setCookie(c, begun.Cookie, begun.Sealed, link.SignOn, signon.FlowTime)
	return begun.URL, nil
}

// BeginSignOn sends the browser to the provider.
func (h *Handler) BeginSignOn(c echo.Context) error {
	back := next(c.QueryParam("next"))
	to, err := h.begin(c, back, "")
	if err != nil {
		return h.unwelcome(c, back, err)
	}
	return c.Redirect(http.StatusFound, to)
}

// FinishSignOn signs in whoever comes back from the provider, or links their account.
func (h *Handler) FinishSignOn(c echo.Context) error {
	ctx, kept := c.Request().Context(), signon.CookieOf(c.QueryParam("state"))
	mine, found, err := h.session(c)
	if err != nil {
		return err
	}
	done, err := h.SignOn.Finish(ctx, signon.Answer{Query: c.QueryParams(), Sealed: cookie(c, kept), Account: mine.Account, Client: client(c)})
	setCookie(c, kept, "", link.SignOn, 0)
	if done.Linked && found {
		frame.SetSession(c, mine)
		return h.linked(c, err)
	}
	if err != nil {
		return h.unwelcome(c, next(done.Next), err)
	}
	return respond.After(c, h.replace(c, done.SignedIn), next(done.Next))
}

// linked shows the page of one's own account after it was linked, or refused to be.
func (h *Handler) linked(c echo.Context, err error) error {
	if err == nil {
		return respond.SeeOther(c, link.With(link.Account, "done", "linked"))
	}
	if !refused(err) && domain.KindOf(err) != domain.Unavailable {
		return err
	}
	problem := respond.Refusal(c, err)
	return h.mineLinked(c, problem.Status, problem.Message)
}

// Link sends the browser to the provider, to link one's own account. A page leads there: forms lead only to this site.
func (h *Handler) Link(c echo.Context) error {
	to, err := h.begin(c, link.Account, frame.User(c))
	if err != nil {
		return h.linked(c, err)
	}
	return h.leave(c, page.LeaveProps{
		Title: lang.T(c.Request().Context(), "Link your account"), About: lang.T(c.Request().Context(), "You sign in there once more, and come back to your account."), Verb: lang.F(c.Request().Context(), "Continue with %s", h.SignOn.Provider()), URL: to,
	})
}

// signOnOf fills in the ways to sign in to one's own account.
func (h *Handler) signOnOf(c echo.Context, p page.SignOnAccount) (page.SignOnAccount, error) {
	ctx, mine := c.Request().Context(), frame.Session(c)
	if mine.Account == "" {
		return p, nil
	}
	a, err := h.Auth.Account(ctx, mine.Account)
	if err != nil {
		return p, err
	}
	p.Provider, p.Password, p.Proxy = h.SignOn.Provider(), a.PasswordHash != "", !mine.Stored()
	p.Linked, err = h.SignOn.Linked(ctx, mine.Account)
	return p, err
}

// UnlinkMine lets nobody sign in to one's own account by sign-on.
func (h *Handler) UnlinkMine(c echo.Context) error {
	err := h.SignOn.UnlinkMine(c.Request().Context(), frame.User(c))
	if refused(err) {
		return h.linked(c, err)
	}
	return respond.After(c, err, link.With(link.Account, "done", "unlinked"))
}

// leave sends a page that sends the browser elsewhere at once, or has a link that does.
func (h *Handler) leave(c echo.Context, p page.LeaveProps) error {
	p.App = h.Frame.Bare(c, p.Title)
	if p.URL != "" {
		c.Response().Header().Set("Refresh", "0; url="+p.URL)
	}
	return respond.HTML(c, http.StatusOK, page.LeavePage(p))
}

// SignedOut serves the page after somebody who came by sign-on has signed out. It goes on to sign them out of the provider,
// if that can be.
func (h *Handler) SignedOut(c echo.Context) error {
	p := page.LeaveProps{Title: lang.T(c.Request().Context(), "You are signed out"), About: lang.T(c.Request().Context(), "Nobody is signed in to Clew in this browser any more.")}
	if to := h.SignOn.EndsAt(c.Request().Context(), request.Root(c)+link.Login); to != "" {
		p.URL, p.Verb = to, lang.F(c.Request().Context(), "Sign out of %s too", h.SignOn.Provider())
	}
	return h.leave(c, p)
}

// SignOns serves the page about sign-on.
func (h *Handler) SignOns(c echo.Context) error {
	return h.signOns(c, http.StatusOK, page.SignOnPageProps{})
}

func (h *Handler) signOns(c echo.Context, status int, p page.SignOnPageProps) (err error) {
	ctx := c.Request().Context()
	if p.App, err = h.Frame.App(c, layout.Settings, lang.T(ctx, "Sign-on")); err != nil {
		return err
	}
	if p.Standing, err = h.SignOn.Standing(ctx); err != nil {
		return err
	}
	if p.Standing.Redirect != "" {
		p.Standing.Redirect = request.Root(c) + link.SignOnCallback
	}
	if p.Linked, err = h.SignOn.Linked(ctx, ""); err != nil {
		return err
	}
	if p.Groups = c.QueryParam("groups"); p.Groups != "" {
		given, err := h.SignOn.Given(ctx, strings.Split(p.Groups, ","))
		if err != nil {
			return err
		}
		p.Given = &given
	}
	return respond.HTML(c, status, page.SignOnPage(p))
}

// Linked answers the form that links an account. One that is refused is shown again.
func (h *Handler) Linked(c echo.Context, _ signon.Linked, refused error) error {
	if refused == nil {
		return respond.SeeOther(c, link.With(link.SignOnSettings, "done", "linked"))
	}
	problem := respond.Refusal(c, refused)
	return h.signOns(c, problem.Status, page.SignOnPageProps{Account: domain.Cut(c.FormValue("account"), maxTyped), Subject: domain.Cut(c.FormValue("subject"), maxTyped), Problem: problem.Message})
}
