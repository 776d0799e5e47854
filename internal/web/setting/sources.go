package setting

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Sources serves the pages of places that are followed. All fields are required.
type Sources struct {
	Frame   frame.Frame
	Service *source.Service
	Now     domain.Clock
}

// mostLooks is how many looks of the last days are counted.
const mostLooks = 5000

// List serves the list.
func (h *Sources) List(c echo.Context) error {
	return h.list(c, http.StatusOK, page.SourcesProps{})
}

// Show serves the list with the details of one.
func (h *Sources) Show(c echo.Context) error {
	return h.show(c, http.StatusOK, c.Param("id"), "")
}

func (h *Sources) show(c echo.Context, status int, id, problem string) error {
	shown, err := h.Service.Show(c.Request().Context(), source.Named{ID: id})
	if err != nil {
		return err
	}
	return h.list(c, status, page.SourcesProps{Open: &shown, Problem: problem})
}

func (h *Sources) list(c echo.Context, status int, p page.SourcesProps) (err error) {
	ctx := c.Request().Context()
	if p.App, err = h.Frame.App(c, layout.Sources, lang.T(ctx, "Sources")); err != nil {
		return err
	}
	if p.Sources, err = h.Service.List(ctx); err != nil {
		return err
	}
	p.Now, p.Kinds = h.Now(), h.Service.KindNames()
	p.Week, err = h.Service.Ledger.Looks(ctx, request.Workspace(c), "", p.Now.Add(-8*24*time.Hour), mostLooks)
	return respond.Show(c, err, status, page.SourcesPage(p))
}

// New serves the form for a kind.
func (h *Sources) New(c echo.Context) error {
	return h.form(c, http.StatusOK, page.NewSourceProps{Wanted: source.Wanted{Kind: c.QueryParam("kind"), Every: "24h"}})
}

func (h *Sources) form(c echo.Context, status int, p page.NewSourceProps) (err error) {
	ctx := c.Request().Context()
	if _, known := h.Service.Kinds[p.Wanted.Kind]; !known {
		return respond.SeeOther(c, link.Sources)
	}
	p.App, err = h.Frame.App(c, layout.Sources, lang.T(ctx, "Follow another"))
	return respond.Show(c, err, status, page.NewSourcePage(p))
}

// given reads the form of a new source, and its password.
func (h *Sources) given(c echo.Context) (p page.NewSourceProps, secret string, err error) {
	ctx := c.Request().Context()
	form, err := c.FormParams()
	if err != nil {
		return p, "", err
	}
	if err := operation.Fill(&p.Wanted, request.Given(form)); err != nil {
		return p, "", err
	}
	secret, p.Sealed = form.Get("secret"), form.Get("sealed")
	if secret != "" {
		p.Sealed, err = h.Service.Seal(ctx, p.Wanted, secret)
	} else if p.Sealed != "" {
		if secret, err = h.Service.Unseal(ctx, p.Wanted, p.Sealed); err != nil { // for another place: requested again
			secret, p.Sealed, err = "", "", nil
		}
	}
	return p, secret, err
}

// Preview shows what a place would bring.
func (h *Sources) Preview(c echo.Context) error {
	if err := frame.Need(c, source.Foresee.Scope); err != nil {
		return err
	}
	p, secret, err := h.given(c)
	if err == nil {
		var seen source.Preview
		if seen, err = h.Service.Preview(c.Request().Context(), p.Wanted, secret); err == nil {
			p.Preview = &seen
		}
	}
	return h.answer(c, p, err)
}

// answer shows the form again, with its error.
func (h *Sources) answer(c echo.Context, p page.NewSourceProps, err error) error {
	status := http.StatusOK
	if _, known := h.Service.Kinds[p.Wanted.Kind]; !known && err != nil {
		return err // there is no such form
	}
	if err != nil {
		problem := respond.Refusal(c, err)
		status, p.Problem = problem.Status, problem.Message
	}
	return h.form(c, status, p)
}

// Add has a place followed. A place that is not the one that was previewed is previewed first.
func (h *Sources) Add(c echo.Context) error {
	if err := frame.Need(c, source.Add.Scope); err != nil {
		return err
	}
	p, secret, err := h.given(c)
	if err != nil {
		return h.answer(c, p, err)
	}
	if previewed := c.FormValue("previewed"); previewed != "" && previewed != p.Wanted.Address {
		return h.Preview(c)
	}
	ctx := c.Request().Context()
	added, err := source.Add.Do(h.Service, ctx, p.Wanted)
	audit.Carried(ctx, source.Add.Name, &p.Wanted, added)
	if err == nil && secret != "" {
		_, err = source.Unlock.Do(h.Service, ctx, source.Unlocking{Named: source.Named{ID: added.ID}, Secret: secret})
	}
	if err != nil {
		return h.answer(c, p, err)
	}
	return respond.SeeOther(c, link.Followed(added.ID))
}

// Changed returns to a source after a form about it, or shows why it was refused.
func (h *Sources) Changed(c echo.Context, _ source.Shown, refused error) error {
	return h.back(c, refused)
}

func (h *Sources) back(c echo.Context, refused error) error {
	if refused != nil {
		problem := respond.Refusal(c, refused)
		return h.show(c, problem.Status, c.Param("id"), problem.Message)
	}
	return respond.SeeOther(c, link.Followed(c.Param("id")))
}

// Alter changes a source by a form, in which everything is given.
func (h *Sources) Alter(c echo.Context) error {
	if err := frame.Need(c, source.Alter.Scope); err != nil {
		return err
	}
	in := source.Altering{Named: source.Named{ID: c.Param("id")}, Name: new(c.FormValue("name")), Every: new(c.FormValue("every")), LeaveOut: new(c.FormValue("leave_out"))}
	altered, err := source.Alter.Do(h.Service, c.Request().Context(), in)
	audit.Carried(c.Request().Context(), source.Alter.Name, &in, altered)
	return h.back(c, err)
}

// Looked returns to a source that is looked at.
func (h *Sources) Looked(c echo.Context, _ source.Looking, refused error) error {
	return h.back(c, refused)
}

// Decided returns to a source after its gone items were decided, and offers to undo a deletion.
func (h *Sources) Decided(c echo.Context, r source.Removed, refused error) error {
	if refused == nil && r.Deletion != "" {
		return respond.SeeOther(c, link.With(link.Documents, "done", "deleted", "deletion", string(r.Deletion)))
	}
	return h.back(c, refused)
}

// Removed returns to the list, or offers to undo the deletion of documents.
func (h *Sources) Removed(c echo.Context, r source.Removed) error {
	if r.Deletion != "" {
		return respond.SeeOther(c, link.With(link.Documents, "done", "deleted", "deletion", string(r.Deletion)))
	}
	return respond.SeeOther(c, link.With(link.Sources, "done", "unfollowed"))
}
