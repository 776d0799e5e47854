package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/diagram/qr"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Show serves the page of one's own account.
func (h *Handler) Show(c echo.Context) error { return h.mine(c, http.StatusOK, page.AccountProps{}) }

// mineLinked shows why the account was not linked to a sign-on, or not unlinked.
func (h *Handler) mineLinked(c echo.Context, status int, problem string) error {
	return h.mine(c, status, page.AccountProps{SignOn: page.SignOnAccount{Problem: problem}})
}

func (h *Handler) mine(c echo.Context, status int, p page.AccountProps) error {
	app, err := h.Frame.App(c, layout.Account, lang.T(c.Request().Context(), "Your account"))
	if err != nil {
		return err
	}
	sessions, err := h.sessions(c, frame.User(c))
	if err != nil {
		return err
	}
	p.App, p.Sessions, p.Language = app, sessions, frame.Session(c).Language
	if frame.User(c) == "" {
		p.Language = frame.LanguageHere(c)
	}
	if p.Step.Asked, p.Step.Left, err = h.Auth.Steps(c.Request().Context(), frame.User(c)); err != nil {
		return err
	}
	p.Step.Required = h.Auth.Codes
	p.SignOn, err = h.signOnOf(c, p.SignOn)
	return respond.Show(c, err, status, page.AccountPage(p))
}

func (h *Handler) sessions(c echo.Context, account string) ([]page.SessionLine, error) {
	sessions, err := h.Auth.Sessions(c.Request().Context(), account)
	lines := make([]page.SessionLine, len(sessions))
	for i, s := range sessions {
		lines[i] = page.SessionLine{
			ID: s.ID, Browser: s.Browser, Address: s.Address, Unused: h.Now().Sub(s.UsedAt), CreatedAt: s.CreatedAt, This: s.ID == frame.Session(c).ID,
		}
	}
	return lines, err
}

// ChangePassword changes the person's own password and ends their other sessions.
func (h *Handler) ChangePassword(c echo.Context) error {
	err := h.changePassword(c, frame.Session(c))
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.mine(c, problem.Status, page.AccountProps{Problem: problem.Message})
	}
	return respond.After(c, err, link.With(link.Account, "done", "password"))
}

func (h *Handler) changePassword(c echo.Context, s ledger.Session) error {
	password := c.FormValue("password")
	if password != c.FormValue("repeat") {
		return domain.Errorf(domain.Invalid, "The two new passwords differ. Nothing was changed.")
	}
	return h.Auth.ChangePassword(c.Request().Context(), s, c.FormValue("current"), password)
}

// Language returns the form that sets the language of the pages: that of the account, or that in this browser where there are
// no accounts.
func Language(accounts *auth.Auth) frame.Form {
	f := frame.Mine(accounts, auth.LanguageChoice, frame.Done(func(c echo.Context, _ auth.Account) error {
		return respond.SeeOther(c, link.Account)
	}))
	ofAccount := f.Handle
	f.Handle = func(c echo.Context) error {
		if frame.User(c) != "" {
			return ofAccount(c)
		}
		code := c.FormValue("language")
		if err := accounts.Speaks(code); err != nil {
			return err
		}
		frame.KeepLanguage(c, code)
		return respond.SeeOther(c, link.Account)
	}
	return f
}

// EndMine ends one's own session in the form field session, or all with the field all, or all but this one.
func (h *Handler) EndMine(c echo.Context) error {
	s := frame.Session(c)
	if c.FormValue("all") != "" && s.ID != "" {
		if err := h.Auth.EndSessions(c.Request().Context(), s.Account, s.Account, ""); err != nil {
			return err
		}
		return h.SignOut(c)
	}
	return h.end(c, s.Account, s.ID, link.Account)
}

// end ends the account's session in the form field session, or all but the one with the id keep, and goes back.
func (h *Handler) end(c echo.Context, account, keep, back string) error {
	ctx, by, done := c.Request().Context(), frame.User(c), "sessions"
	var err error
	if id := c.FormValue("session"); id != "" {
		done, err = "session", h.Auth.EndSession(ctx, by, account, id)
	} else {
		err = h.Auth.EndSessions(ctx, by, account, keep)
	}
	return respond.After(c, err, link.With(back, "done", done))
}

// Codes serves the page that sets up codes, once they are begun.
func (h *Handler) Codes(c echo.Context) error { return h.codes(c, http.StatusOK, "") }

func (h *Handler) codes(c echo.Context, status int, problem string) error {
	begun, err := h.Auth.BegunCodes(c.Request().Context(), frame.User(c))
	if domain.KindOf(err) == domain.NotFound {
		return respond.SeeOther(c, link.Account)
	}
	if err != nil {
		return err
	}
	p := page.SecondStepProps{Secret: begun.Secret, Problem: problem}
	if p.Code, err = qr.Encode(begun.URI); err != nil {
		return err
	}
	p.App, err = h.Frame.App(c, layout.Account, lang.T(c.Request().Context(), "Set up codes"))
	return respond.Show(c, err, status, page.SecondStepPage(p))
}

// BeginCodes draws a secret for an app.
func (h *Handler) BeginCodes(c echo.Context) error {
	if frame.User(c) == "" {
		return respond.SeeOther(c, link.Account)
	}
	return respond.After(c, h.Auth.BeginCodes(c.Request().Context(), frame.User(c)), link.SecondStep)
}

// ConfirmCodes has codes asked for from now on, and shows the recovery codes.
func (h *Handler) ConfirmCodes(c echo.Context) error {
	recovery, err := h.Auth.ConfirmCodes(c.Request().Context(), frame.User(c), c.FormValue("code"))
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.codes(c, problem.Status, problem.Message)
	}
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Account, lang.T(c.Request().Context(), "Recovery codes"))
	return respond.Show(c, err, http.StatusOK, page.RecoveryPage(page.RecoveryProps{App: app, Codes: recovery, Next: link.At(c.Request().Context(), link.Account)}))
}

// StopCodes has no codes asked for any more.
func (h *Handler) StopCodes(c echo.Context) error {
	err := h.Auth.StopCodes(c.Request().Context(), frame.User(c), c.FormValue("code"))
	if refused(err) {
		problem := respond.Refusal(c, err)
		return h.mine(c, problem.Status, page.AccountProps{Step: page.StepProps{Problem: problem.Message}})
	}
	return respond.After(c, err, link.With(link.Account, "done", "codes-off"))
}

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
		return respond.Show(c, err, http.StatusOK, page.ReferencePage(page.ReferenceProps{App: app, Origin: request.Root(c), Groups: groups()}))
	}
}
