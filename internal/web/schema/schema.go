// Package schema serves the page on which people set the schema that guides extraction, its versions,
// and its text as YAML.
package schema

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Handler serves schemas. All fields are required.
type Handler struct {
	Frame   frame.Frame
	Ledger  *ledger.Ledger
	Schemas *schemas.Service
	Graph   graphstore.Reader
	Trial   *schemas.Trials
}

// scope returns the scope of a request's schema. It fails with kind Invalid for a malformed tag or name.
func scope(c echo.Context) (schemas.Scope, error) {
	if id := c.QueryParam("document"); id != "" {
		return schemas.Scope{Document: domain.DocumentID(id)}, nil
	}
	if text := c.QueryParam("name"); text != "" {
		name, err := schemas.Name(text)
		return schemas.Scope{Name: name}, err
	}
	tags, err := domain.ParseTags(c.QueryParam("tag"))
	if err != nil || len(tags) == 0 {
		return schemas.Scope{}, err
	}
	if len(tags) > 1 {
		return schemas.Scope{}, domain.Errorf(domain.Invalid, "Choose the schema of a single tag.")
	}
	return schemas.Scope{Tag: tags[0]}, nil
}

// Show serves the schema of a scope, or the template that the query parameter
// template names as a draft.
func (h *Handler) Show(c echo.Context) error {
	of, err := scope(c)
	if err != nil {
		return err
	}
	latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
	if err != nil {
		return err
	}
	d := draft{base: latest.Number, guide: latest.Guide}
	if name := c.QueryParam("template"); name != "" {
		t, err := schemas.FindTemplate(name)
		if err != nil {
			return err
		}
		if d.guide, err = t.Guide(); err != nil {
			return err
		}
		d.begun = lang.F(c.Request().Context(), "This is the template “%s”. Change what does not fit, then save it.", t.Title)
	}
	if value := c.QueryParam("allow"); value != "" && latest.Guide.Empty() {
		d.begun = lang.T(c.Request().Context(), "No schema applies here, so nothing is dropped.")
	} else if value != "" {
		d.allow(c.Request().Context(), present.Allowed(value))
	}
	d.form = formOf(d.guide)
	return h.show(c, http.StatusOK, of, latest, d)
}

// draft is a schema that is being edited.
type draft struct {
	base  int64
	form  page.SchemaForm
	guide extract.Guide // from the form, the readable part
	begun string        // how it came about; "" if it is the latest version
	said  string        // problem of the form as a whole
	tried *page.DryRun  // nil before a dry run
	open  int           // the place of the chunk shown in the dry run
}

// show serves the page with a draft.
func (h *Handler) show(c echo.Context, status int, of schemas.Scope, latest schemas.Version, d draft) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Schema, lang.T(ctx, "Schema"))
	if err != nil {
		return err
	}
	p := page.SchemaProps{
		App: app, Latest: latest, MayEdit: link.MayPost(c.Request().Context(), link.Schema), Begun: d.begun, Problem: d.said, Tried: d.tried,
		Form: d.form, Template: c.QueryParam("template"), Saved: c.QueryParam("done") == "saved",
	}
	p.Form.Base = d.base
	if p.Scope, p.Scopes, err = h.scopes(ctx, w, of); err != nil {
		return err
	}
	none := latest.Number == 0 || latest.Cleared
	if none {
		if p.Guides, err = h.wider(ctx, w, of); err != nil {
			return err
		}
	}
	occur, err := h.counts(ctx, w)
	if err != nil {
		return err
	}
	p.Changes = changes(schemas.Diff(latest.Guide, d.guide), occur)
	mark(&p.Form, p.Changes, occur, !none)
	return respond.HTML(c, status, page.SchemaPage(p))
}

// scopes returns the scope with its name, and those to choose from: the library,
// the tags, and the scope itself.
func (h *Handler) scopes(ctx context.Context, w domain.WorkspaceID, of schemas.Scope) (page.SchemaScope, []page.SchemaScope, error) {
	set, err := h.Schemas.Scopes(ctx, w)
	if err != nil {
		return page.SchemaScope{}, nil, err
	}
	tags, err := h.Ledger.Tags(ctx, w)
	if err != nil {
		return page.SchemaScope{}, nil, err
	}
	all := []page.SchemaScope{{}}
	add := func(of schemas.Scope) {
		s := page.SchemaScope{SchemaScope: of}
		if of.Document == "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, t := range tags {
		add(schemas.Scope{Tag: t.Tag})
	}
	for _, v := range set {
		add(v.Scope)
	}
	add(of)
	this := page.SchemaScope{SchemaScope: of}
	if of.Document != "" {
		d, err := h.Ledger.Document(ctx, w, of.Document)
		if err != nil {
			return this, nil, err
		}
		this.File = d.Name
		all = append(all, this)
	}
	for i, s := range all {
		all[i].Has = slices.ContainsFunc(set, func(v schemas.Version) bool { return v.Scope == s.SchemaScope })
	}
	return this, all, nil
}

// wider returns the version that guides the documents of a scope without a schema of its own, or zero if there is none.
func (h *Handler) wider(ctx context.Context, w domain.WorkspaceID, of schemas.Scope) (schemas.Version, error) {
	var v schemas.Version
	var err error
	switch {
	case of.Document != "":
		v, err = h.Schemas.For(ctx, w, of.Document)
	case of.Tag != "" || of.Name != "":
		v, err = h.Schemas.Latest(ctx, w, schemas.Scope{})
	}
	if v.Cleared {
		v = schemas.Version{}
	}
	return v, err
}

// counts returns how often labels and types occur in the graph, nothing while it is
// unavailable.
func (h *Handler) counts(ctx context.Context, w domain.WorkspaceID) (map[schemas.Part]map[string]int, error) {
	byLabel, err := h.Graph.Labels(ctx, w)
	if domain.KindOf(err) == domain.Unavailable {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	byType, err := h.Graph.Types(ctx, w)
	if err != nil {
		return nil, err
	}
	labels, types := map[string]int{}, map[string]int{}
	for _, n := range byLabel {
		labels[n.Label] = n.Count
	}
	for _, n := range byType {
		types[n.Type] = n.Count
	}
	return map[schemas.Part]map[string]int{schemas.Labels: labels, schemas.Types: types}, nil
}

// changes returns a difference as the page shows it.
func changes(diff []schemas.Change, occur map[schemas.Part]map[string]int) []page.SchemaChange {
	return lists.Map(diff, func(d schemas.Change) page.SchemaChange {
		return page.SchemaChange{Change: d, Count: occur[d.Part][d.Name]}
	})
}
