package schema

import (
	"fmt"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// YAML serves a scope's schema as text to edit.
func (h *Handler) YAML(c echo.Context) error {
	of, err := scope(c)
	if err != nil {
		return err
	}
	latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
	if err != nil {
		return err
	}
	text, err := schemas.Write(latest.Guide)
	if err != nil {
		return err
	}
	return h.text(c, http.StatusOK, of, string(text), "")
}

func (h *Handler) text(c echo.Context, status int, of schemas.Scope, text, problem string) error {
	app, err := h.Frame.App(c, layout.Schema, lang.T(c.Request().Context(), "Schema as YAML"))
	if err != nil {
		return err
	}
	p := page.SchemaYAMLProps{App: app, MayEdit: link.MayPost(c.Request().Context(), link.SchemaYAML), Text: text, Problem: problem}
	if p.Scope, _, err = h.scopes(c.Request().Context(), request.Workspace(c), of); err != nil {
		return err
	}
	return respond.HTML(c, status, page.SchemaYAMLPage(p))
}

// UseYAML shows the schema in the form's file, or else in its text, as a draft. A
// text that can't be read comes back with the line and the key in the way.
func (h *Handler) UseYAML(c echo.Context) error {
	of, err := scope(c)
	if err != nil {
		return err
	}
	text, err := sent(c)
	if err != nil {
		return err
	}
	g, err := schemas.Read([]byte(text))
	if kind := domain.KindOf(err); kind == domain.Invalid || kind == domain.TooLarge {
		return h.text(c, http.StatusUnprocessableEntity, of, text, domain.InWords(err))
	}
	if err != nil {
		return err
	}
	latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
	if err != nil {
		return err
	}
	d := draft{base: latest.Number, form: formOf(g), guide: g, begun: lang.T(c.Request().Context(), "This is the schema from your YAML, as a draft. Nothing is saved yet.")}
	return h.show(c, http.StatusOK, of, latest, d)
}

// sent returns the text of a form's file, or of its field.
func sent(c echo.Context) (string, error) {
	file, err := c.FormFile("file")
	if err != nil || file.Size == 0 {
		return c.FormValue("text"), nil
	}
	f, err := file.Open()
	if err != nil {
		return "", fmt.Errorf("open the file of a form: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, schemas.MaxYAML+1)) // Read says that it is too large
	return string(data), err
}

// File serves a schema as a file: the version of the query parameter version, or
// the one in force.
func (h *Handler) File(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	of, err := scope(c)
	if err != nil {
		return err
	}
	v, err := h.Schemas.At(ctx, w, int64(request.Int(c, "version")))
	if err == nil && v.Number == 0 {
		v, err = h.Schemas.Latest(ctx, w, of)
	}
	if err != nil {
		return err
	}
	text, err := schemas.Write(v.Guide)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="schema-%d.yaml"`, v.Number))
	return c.Blob(http.StatusOK, "application/yaml; charset=utf-8", text)
}
