package schema

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// maxVersions is the maximum number of versions that a list shows.
const maxVersions = 200

// Versions serves the versions of a scope's schema, and the difference of the two
// in the query parameters a and b.
func (h *Handler) Versions(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	of, err := scope(c)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Schema, lang.T(ctx, "Versions of the schema"))
	if err != nil {
		return err
	}
	found, err := h.Schemas.Versions(ctx, w, of, maxVersions)
	if err != nil {
		return err
	}
	p := page.SchemaVersionsProps{App: app, Items: found, A: int64(request.Int(c, "a")), B: int64(request.Int(c, "b"))}
	if p.Scope, _, err = h.scopes(ctx, w, of); err != nil {
		return err
	}
	for i, v := range found {
		var before schemas.Version
		if i+1 < len(found) {
			before = found[i+1]
		}
		p.Differs = append(p.Differs, len(schemas.Diff(before.Guide, v.Guide)))
	}
	if p.A == 0 || p.B == 0 {
		p.A, p.B = 0, 0
		return respond.HTML(c, http.StatusOK, page.SchemaVersionsPage(p))
	}
	a, err := h.Schemas.At(ctx, w, p.A)
	if err != nil {
		return err
	}
	b, err := h.Schemas.At(ctx, w, p.B)
	if err != nil {
		return err
	}
	p.Changes = changes(schemas.Diff(a.Guide, b.Guide), nil)
	return respond.HTML(c, http.StatusOK, page.SchemaVersionsPage(p))
}

func number(c echo.Context) (int64, error) {
	n, err := strconv.ParseInt(c.Param("number"), 10, 64)
	if err != nil || n <= 0 {
		return 0, domain.Errorf(domain.NotFound, "There is no such version of a schema.")
	}
	return n, nil
}

// Version serves one version. It fails with kind NotFound for an unknown one.
func (h *Handler) Version(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	n, err := number(c)
	if err != nil {
		return err
	}
	v, err := h.Schemas.At(ctx, w, n)
	if err != nil {
		return err
	}
	all, err := h.Schemas.Versions(ctx, w, v.Scope, 0)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Schema, lang.T(ctx, "Version of the schema"))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(o schemas.Version) bool { return o.Number == n })
	p := page.SchemaVersionProps{
		App: app, Version: v, InForce: at == 0, MayEdit: link.MayPost(c.Request().Context(), link.Schema),
	}
	if at+1 < len(all) {
		p.Changes = changes(schemas.Diff(all[at+1].Guide, v.Guide), nil)
	}
	if p.Scope, _, err = h.scopes(ctx, w, v.Scope); err != nil {
		return err
	}
	text, err := schemas.Write(v.Guide)
	p.Text = string(text)
	return respond.Show(c, err, http.StatusOK, page.SchemaVersionPage(p))
}

// Restore saves an earlier version once more and goes to the schema. It fails
// with kind NotFound for an unknown version, and Invalid for the one in force.
func (h *Handler) Restore(c echo.Context) error {
	n, err := number(c)
	if err != nil {
		return err
	}
	v, err := h.Schemas.Restore(c.Request().Context(), request.Workspace(c), n, frame.User(c))
	return respond.After(c, err, link.SchemaOf(link.Schema, v.Scope, "done", "saved"))
}
