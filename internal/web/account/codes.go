package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/diagram/qr"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

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
	if p.App, err = h.Frame.App(c, layout.Account, lang.T(c.Request().Context(), "Set up codes")); err != nil {
		return err
	}
	return respond.HTML(c, status, page.SecondStepPage(p))
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
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.RecoveryPage(page.RecoveryProps{App: app, Codes: recovery, Next: link.At(c.Request().Context(), link.Account)}))
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
