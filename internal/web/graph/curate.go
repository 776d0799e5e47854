package graph

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Limits of a merge.
const (
	maxFound   = 20 // entities shown when searching for another one
	maxSeveral = 20 // entities that a page can merge in one step
)

// An Asking shows the form of a decision, with the reason for a refusal, if any.
type Asking func(c echo.Context, reason string) error

// Asked serves the form of a decision.
func Asked(ask Asking) echo.HandlerFunc {
	return func(c echo.Context) error { return ask(c, "") }
}

// Changed responds to a decision: it redirects to a page where the change can be undone. If the user can correct a
// refused decision, it shows the form again; a nil Asking returns the error.
func Changed(again Asking, to func(c echo.Context, made curate.Changed) string) func(echo.Context, curate.Changed, error) error {
	return func(c echo.Context, made curate.Changed, refused error) error {
		switch {
		case refused == nil:
			return respond.SeeOther(c, link.Changed(to(c, made), made.Change))
		case again == nil || problem(refused) == "":
			return refused
		}
		return again(c, problem(refused))
	}
}

// Opened returns the page in the form's URL from which it was opened, or else that of the entity concerned.
func Opened(c echo.Context, made curate.Changed) string {
	return opened(c, link.Entity(made.Entity))
}

// Left returns the page from which an entity or one of its relations was deleted, by default the list of entities.
func Left(c echo.Context, made curate.Changed) string {
	if c.FormValue("relation") != "" {
		return opened(c, link.Entity(id(c)))
	}
	return opened(c, link.Entities)
}

// Marked returns the page of the marked words that something was made from, or else the same as Opened.
func Marked(c echo.Context, made curate.Changed) string {
	if document := domain.DocumentID(c.FormValue("document")); document != "" {
		return link.Passage(document, request.Span(c))
	}
	return Opened(c, made)
}

func opened(c echo.Context, other string) string { return request.Local(c.FormValue("back"), other) }

func id(c echo.Context) domain.EntityID { return domain.EntityID(c.Param("id")) }

// problem returns the message of an error that the user can fix in the form, or
// "" for any other.
func problem(err error) string {
	if kind := domain.KindOf(err); kind != domain.Invalid && kind != domain.Conflict {
		return ""
	}
	return respond.ProblemOf(err).Message
}

// form serves a form that changes the graph, based on the graph's current state.
func (h *Handler) form(c echo.Context, title string, p page.Form) error {
	var err error
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	return h.Frame.Form(c, layout.Graph, title, p)
}

// seen returns the number of the last change of the graph, on which a form is based. A form that is shown again is based
// on the latest.
func (h *Handler) seen(c echo.Context) (int64, error) {
	return h.Graph.Cursor(c.Request().Context(), request.Workspace(c))
}

// one names the entity of the address, as whoever sent the form has seen it.
func one(c echo.Context) curate.One {
	seen, _ := strconv.ParseInt(c.FormValue("seen"), 10, 64) // a form without it is based on the current state
	return curate.One{Name: c.Param("id"), Knowing: curate.Knowing{Seen: seen}}
}

// AskRename shows the form for an entity's name and label.
func (h *Handler) AskRename(c echo.Context, reason string) error {
	e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	name, text := e.Name, e.Label
	if reason != "" {
		name, text = c.FormValue("name"), c.FormValue("label")
	}
	label, err := h.label(c, text)
	if err != nil {
		return err
	}
	back := opened(c, "")
	return h.form(c, lang.F(c.Request().Context(), "Rename %s", e.Name), page.Form{
		Crumbs: page.EntityCrumbs(c.Request().Context(), e), Title: lang.T(c.Request().Context(), "Name and label"), Problem: reason, URL: link.With(link.RenameEntity(e.ID), "back", back), Submit: lang.T(c.Request().Context(), "Save"), ID: "save",
		Cancel: cmp.Or(back, link.Entity(e.ID)), Below: page.RenameNotes(),
		Fields: []page.Field{{Name: "name", Label: lang.T(c.Request().Context(), "Name"), Value: name, Most: curate.MaxName, Focus: true}, label},
	})
}

// Rename changes an entity's name and label if the form's differ.
func (h *Handler) Rename(c echo.Context) error {
	ctx := c.Request().Context()
	e, err := h.Curator.Entity(ctx, request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	var made curate.Changed
	if label := c.FormValue("label"); label != e.Label {
		audit.Did(ctx, "entities relabel", string(e.ID))
		made, err = h.Curator.Decide(ctx, curate.Relabelling{One: one(c), Label: label})
	}
	if name := c.FormValue("name"); err == nil && name != e.Name {
		audit.Did(ctx, "entities rename", string(e.ID))
		made, err = h.Curator.Decide(ctx, curate.Renaming{One: one(c), To: name})
	}
	if err == nil && made.Change == 0 {
		return respond.SeeOther(c, opened(c, link.Entity(e.ID)))
	}
	return Changed(h.AskRename, Opened)(c, made, err)
}

// AskProperties shows the form for an entity's properties.
func (h *Handler) AskProperties(c echo.Context, reason string) error {
	e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	here := link.With(link.Properties(e.ID), "back", opened(c, ""))
	p := page.Form{Crumbs: page.EntityCrumbs(c.Request().Context(), e), Title: lang.F(c.Request().Context(), "Properties of “%s”", e.Name), Problem: reason}
	if p.App.Toast, err = present.Changed(c, h.Curator, here); err != nil {
		return err
	}
	edit, err := h.edit(c, here, e.Label, e.Properties, reason)
	if err != nil {
		return err
	}
	p.Below = page.EntityProperties(edit, opened(c, link.Entity(e.ID)))
	return h.form(c, lang.F(c.Request().Context(), "Properties of %s", e.Name), p)
}

// edit returns the forms for the properties of an entity with a label, or of a relation of a type. After a refusal the
// field for a new one keeps the typed text.
func (h *Handler) edit(c echo.Context, url, of string, have domain.Properties, reason string) (page.PropertyEdit, error) {
	p := page.PropertyEdit{URL: url, Properties: have, MaxValue: curate.MaxValue}
	if reason != "" && c.FormValue("was") == "" {
		p.Key, p.Value = c.FormValue("key"), c.FormValue("value")
	}
	var err error
	if p.Declared, err = h.Curator.Declared(c.Request().Context(), of); err != nil {
		return p, err
	}
	p.Seen, err = h.seen(c)
	return p, err
}

// Properties changes or removes a property of an entity or of one of its relations. If a key has several values, only the
// one in the form is replaced or removed.
func (h *Handler) Properties(c echo.Context) error {
	var d curate.Decision
	of, key, was, relation := one(c), c.FormValue("key"), c.FormValue("was"), domain.RelationID(c.Param("relation"))
	if c.FormValue("remove") != "" {
		audit.Did(c.Request().Context(), "entities unset", c.ParamValues()...)
		d = curate.Unsetting{One: of, Key: key, Value: was, Relation: relation}
	} else {
		audit.Did(c.Request().Context(), "entities set", c.ParamValues()...)
		d = curate.Setting{One: of, Key: key, Value: c.FormValue("value"), Relation: relation, Was: was}
	}
	again, to := h.AskProperties, link.With(link.Properties(id(c)), "back", opened(c, ""))
	if relation != "" {
		again, to = h.AskRelation, link.Relation(id(c), relation)
	}
	made, err := h.Curator.Decide(c.Request().Context(), d)
	if err != nil && !h.there(c, id(c)) {
		return err // it describes what happened to the entity
	}
	return Changed(again, func(echo.Context, curate.Changed) string { return to })(c, made, err)
}

// there reports whether all entities are in the graph.
func (h *Handler) there(c echo.Context, ids ...domain.EntityID) bool {
	return !slices.ContainsFunc(ids, func(id domain.EntityID) bool {
		_, err := h.Graph.Entity(c.Request().Context(), request.Workspace(c), id)
		return err != nil
	})
}

// AskSplit shows the form to split an entity.
func (h *Handler) AskSplit(c echo.Context, reason string) error {
	p, err := h.said(c.Request().Context(), id(c))
	if err != nil {
		return err
	}
	e, back := p.Entity, opened(c, "")
	return h.form(c, lang.F(c.Request().Context(), "Split %s", e.Name), page.Form{
		Crumbs: page.EntityCrumbs(c.Request().Context(), e), Title: lang.F(c.Request().Context(), "Take a part out of “%s”", e.Name), About: page.SplitAbout(), Problem: reason,
		URL: link.With(link.SplitEntity(e.ID), "back", back), Submit: lang.T(c.Request().Context(), "Take out"), ID: "do-split", Cancel: cmp.Or(back, link.Entity(e.ID)),
		Fields: []page.Field{
			{Shown: page.SplitParts(p)},
			{Name: "name", Label: lang.T(c.Request().Context(), "Name of the new entity"), Most: curate.MaxName, Optional: true, Placeholder: lang.T(c.Request().Context(), "as its passages spell it")},
		},
	})
}

// Made returns the page of the entity that a split made, or of the original if the split had no effect.
func (h *Handler) Made(c echo.Context, made curate.Changed) string {
	if !h.there(c, made.Entity) {
		return link.Entity(id(c))
	}
	return Opened(c, made)
}

// AskRelation shows the form for one relation of an entity.
func (h *Handler) AskRelation(c echo.Context, reason string) error {
	edge, err := h.Curator.Relation(c.Request().Context(), request.Workspace(c), id(c), domain.RelationID(c.Param("relation")))
	if err != nil {
		return err
	}
	entity, back := link.Entity(id(c)), opened(c, "")
	p := page.Form{
		Crumbs: []page.Crumb{{Text: lang.T(c.Request().Context(), "Entities"), URL: link.Entities}, {Text: lang.T(c.Request().Context(), "back to the entity"), URL: entity}}, Title: lang.T(c.Request().Context(), "How they are connected"), Problem: reason,
		URL: link.With(link.Relation(id(c), edge.ID), "back", back), Submit: lang.T(c.Request().Context(), "Save"), ID: "save", Cancel: cmp.Or(back, entity),
		Secondary: page.DeleteRelation(edge.ID, link.With(link.HideEntity(id(c)), "back", back)),
		Fields: []page.Field{
			{Shown: page.RelationEnd(edge.From.Name)},
			{Name: "type", Label: lang.T(c.Request().Context(), "Type of the relation"), Value: format.Words(edge.Type), Focus: true},
			{Shown: page.RelationEnd(edge.To.Name)},
		},
	}
	if len(edge.Evidence) == 0 {
		p.About = page.RelationAbout()
	}
	if p.App.Toast, err = present.Changed(c, h.Curator, link.Relation(id(c), edge.ID)); err != nil {
		return err
	}
	edit, err := h.edit(c, link.RelationProperty(id(c), edge.ID), edge.Type, edge.Properties, reason)
	if err != nil {
		return err
	}
	p.Below = page.RelationProperties(edit)
	return h.form(c, lang.F(c.Request().Context(), "A relation of %s", edge.From.Name), p)
}

// marking returns the words of a document that a request names, by position or by text. It has no document if the request
// names none, and no position if the document lacks the words; reason then says so.
func (h *Handler) marking(c echo.Context) (m curate.Marking, reason string, err error) {
	m.Document = domain.DocumentID(c.FormValue("document"))
	at := request.Span(c)
	if words := c.FormValue("words"); m.Document != "" && at.Empty() && words != "" {
		near, _ := strconv.Atoi(c.FormValue("near"))
		at, err = h.Curator.Find(c.Request().Context(), request.Workspace(c), m.Document, words, near)
		if reason = problem(err); reason != "" {
			err = nil
		}
	}
	m.Start, m.End = at.Start, at.End
	return m, reason, err
}

// marked returns the marked words, their sentence and the words for a form.
func (h *Handler) marked(c echo.Context, whole bool) (p page.MarkedProps, words, reason string, err error) {
	m, reason, err := h.marking(c)
	p = page.MarkedProps{Document: m.Document, Words: c.FormValue("words")}
	if err != nil || m.Document == "" {
		return p, "", reason, err
	}
	name, found, err := h.Curator.Marked(c.Request().Context(), request.Workspace(c), m, whole)
	p.Name = name
	if err != nil || m.Span().Empty() {
		return p, "", reason, err
	}
	p.Span = found.Span
	p.Sentence = explore.Quote{Document: m.Document, Name: name, Text: found.Sentence, Marks: []domain.Span{found.Mark}, At: found.Span}
	return p, found.Words, reason, nil
}

// adding returns a form for a statement that marked words make, or that no document makes. Words that are not found are
// asked for again.
func adding(ctx context.Context, m page.MarkedProps, p page.Form) page.Form {
	p.Crumbs, p.About, p.Submit, p.ID = []page.Crumb{{Text: lang.T(ctx, "Entities"), URL: link.Entities}}, page.MarkedWords(m), lang.T(ctx, "Add"), "save"
	p.Fields = append([]page.Field{{Shown: page.MarkedFields(m)}}, p.Fields...)
	if m.Document != "" && m.Span.Empty() {
		p.URL = ""
	}
	return p
}

// AskEntity shows the form to add an entity: from the words of a document that
// the address names, or without a source.
func (h *Handler) AskEntity(c echo.Context, reason string) error {
	m, words, lacking, err := h.marked(c, false)
	if err != nil {
		return err
	}
	label, err := h.label(c, c.FormValue("label"))
	if err != nil {
		return err
	}
	label.Optional, label.Placeholder = true, lang.T(c.Request().Context(), "Person")
	return h.form(c, lang.T(c.Request().Context(), "Add an entity"), adding(c.Request().Context(), m, page.Form{
		Title: lang.T(c.Request().Context(), "Add an entity"), Problem: reason + lacking, URL: link.NewEntity, Cancel: m.Source(link.Entities),
		Fields: []page.Field{{Name: "name", Label: lang.T(c.Request().Context(), "Name"), Value: cmp.Or(c.FormValue("name"), words), Most: curate.MaxName, Focus: true}, label},
	}))
}

// label returns the field for an entity's label, which suggests those of the library.
func (h *Handler) label(c echo.Context, value string) (page.Field, error) {
	f := page.Field{Name: "label", Label: lang.T(c.Request().Context(), "Label"), Value: value, List: "labels"}
	counts, err := h.Graph.Labels(c.Request().Context(), request.Workspace(c))
	f.Suggested = lists.Map(counts, func(l graphstore.LabelCount) string { return l.Label })
	return f, err
}

// AskNewRelation shows the form to add a relation: from the words of a document
// that the address names, or without a source. Where several entities have the name of an end, it has them to choose from.
func (h *Handler) AskNewRelation(c echo.Context, reason string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, _, lacking, err := h.marked(c, true)
	if err != nil {
		return err
	}
	names, err := h.near(ctx, w, m)
	if err != nil {
		return err
	}
	field := func(i int, name, label string, near []string) page.Field {
		f := page.Field{Name: name, Label: label, Value: c.FormValue(name), Most: curate.MaxName, List: "near", Suggested: near, Placeholder: lang.T(ctx, "The name of an entity")}
		if f.Value == "" {
			if i < len(names) && reason+lacking == "" {
				f.Value = names[i]
			}
			return f
		}
		found, failed := h.Curator.Named(ctx, w, f.Value)
		if len(found) > 1 || len(found) == 1 && (reason != "" || string(found[0].ID) == f.Value) {
			f.Found = found
		}
		if failed != nil && domain.KindOf(failed) != domain.NotFound {
			err = failed
		}
		return f
	}
	back := opened(c, "")
	p := page.Form{
		Title: lang.T(ctx, "Add a relation"), Problem: reason + lacking, URL: link.With(link.NewRelation, "back", back), Cancel: m.Source(cmp.Or(back, link.Entities)),
		Fields: []page.Field{
			field(0, "source", lang.T(ctx, "From"), nil),
			{Name: "type", Label: lang.T(ctx, "Type of the relation"), Value: c.FormValue("type"), Placeholder: lang.T(ctx, "works for")},
			field(1, "target", lang.T(ctx, "To"), names),
		},
	}
	if err != nil {
		return err
	}
	return h.form(c, lang.T(ctx, "Add a relation"), adding(ctx, m, p))
}

// near returns the names of the entities in the marked sentence.
func (h *Handler) near(ctx context.Context, w domain.WorkspaceID, m page.MarkedProps) (names []string, err error) {
	if m.Span.Empty() {
		return nil, nil
	}
	found, err := h.Graph.InDocument(ctx, w, m.Document)
	for _, e := range found {
		for _, l := range e.Links {
			if slices.ContainsFunc(l.Spans, m.Span.Contains) && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names, err
}

// NewRelation adds a relation. A name that no entity has, or several have, shows the form again.
func (h *Handler) NewRelation(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, _, err := h.marking(c)
	if err != nil {
		return err
	}
	reason, ends := "", [2]string{c.FormValue("source"), c.FormValue("target")}
	for _, name := range ends {
		found, err := h.Curator.Named(ctx, w, name)
		switch {
		case err != nil && domain.KindOf(err) != domain.NotFound:
			return err
		case len(found) == 0:
			reason = lang.F(ctx, "No entity is called “%s”. Add it first, or use the name that the list of entities shows.", name)
		case len(found) > 1:
			reason = lang.F(ctx, "Several entities are called “%s”. Choose one.", name)
		}
	}
	if reason != "" {
		return h.AskNewRelation(c, reason)
	}
	made, err := h.Curator.Decide(ctx, curate.Relating{One: curate.One{Name: ends[0], Knowing: one(c).Knowing}, Type: c.FormValue("type"), Target: ends[1], Marking: m})
	return Changed(h.AskNewRelation, Marked)(c, made, err)
}

// AskMerge serves the search for an entity to merge with, or both entities side
// by side once the query parameter with names one.
func (h *Handler) AskMerge(c echo.Context) error {
	if with := c.QueryParam("with"); with != "" {
		return h.sides(c, http.StatusOK, id(c), domain.EntityID(with), "")
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	e, err := h.Graph.Entity(ctx, w, id(c))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Graph, lang.F(ctx, "Merge %s", e.Name))
	if err != nil {
		return err
	}
	p := page.FindProps{App: app, Entity: e, Query: c.QueryParam("q"), Back: opened(c, "")}
	found, _, err := h.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: p.Query, Limit: maxFound + 1})
	found = slices.DeleteFunc(found, func(f domain.Entity) bool { return f.ID == e.ID })
	if p.Items = found[:min(len(found), maxFound)]; err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.FindPage(p))
}

// sides serves two entities side by side.
func (h *Handler) sides(c echo.Context, status int, of, with domain.EntityID, reason string) error {
	ctx := c.Request().Context()
	if of == with {
		return domain.Errorf(domain.Invalid, "An entity can't be merged with itself. Choose another one.")
	}
	p := page.MergeProps{Back: opened(c, ""), MaxName: curate.MaxName, Problem: reason}
	var err error
	if p.A, err = h.said(ctx, of); err != nil {
		return err
	}
	if p.B, err = h.said(ctx, with); err != nil {
		return err
	}
	if p.App, err = h.Frame.App(c, layout.Graph, lang.F(ctx, "Merge %s", p.A.Entity.Name)); err != nil {
		return err
	}
	p.Seen, err = h.seen(c)
	return respond.Show(c, err, status, page.MergePage(p))
}

// said returns an entity with its passages cut to the sentences that name it.
func (h *Handler) said(ctx context.Context, id domain.EntityID) (explore.About, error) {
	p, err := h.Reader.About(ctx, id)
	for i := range p.Quotes {
		p.Quotes[i] = p.Quotes[i].Sentences()
	}
	return p, err
}

// AskMergeSeveral serves the entities of the parameters id, to be merged in one
// step.
func (h *Handler) AskMergeSeveral(c echo.Context) error {
	return h.several(c, http.StatusOK, c.QueryParams()["id"], "")
}

func (h *Handler) several(c echo.Context, status int, ids []string, reason string) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) < 2 || len(ids) > maxSeveral {
		return domain.Errorf(domain.Invalid, "Mark between two and %d entities to merge.", maxSeveral)
	}
	app, err := h.Frame.App(c, layout.Graph, lang.T(c.Request().Context(), "Merge"))
	if err != nil {
		return err
	}
	p := page.MergeSeveralProps{App: app, MaxName: curate.MaxName, Back: opened(c, ""), Problem: reason}
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	for _, id := range ids {
		e, err := h.Reader.Brief(c.Request().Context(), domain.EntityID(id))
		if domain.KindOf(err) == domain.NotFound && reason != "" {
			continue // the reason describes what happened to it
		}
		if err != nil {
			return err
		}
		p.Items = append(p.Items, e)
	}
	slices.SortStableFunc(p.Items, func(a, b explore.About) int { return b.Entity.Mentions - a.Entity.Mentions })
	return respond.HTML(c, status, page.MergeSeveralPage(p))
}

// MergeAgain shows the entities of a merge that was refused again: two side by side, where the form did.
func (h *Handler) MergeAgain(c echo.Context, reason string) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	ids := form["others"]
	if form.Get("pair") == "" {
		return h.several(c, http.StatusUnprocessableEntity, ids, reason)
	}
	if len(ids) != 2 || ids[0] == ids[1] || !h.there(c, domain.EntityID(ids[0]), domain.EntityID(ids[1])) {
		return domain.Errorf(domain.Conflict, "%s", reason)
	}
	return h.sides(c, http.StatusUnprocessableEntity, domain.EntityID(ids[0]), domain.EntityID(ids[1]), reason)
}

// Merged returns the page from which a merge was opened, with the entity that remains in place of the other one.
func Merged(c echo.Context, made curate.Changed) string {
	to := Opened(c, made)
	if c.FormValue("pair") != "" {
		for _, id := range c.Request().Form["others"] {
			to = strings.ReplaceAll(to, id, string(made.Entity))
		}
	}
	return to
}

// Undone returns the page in the form field back, or the nearest one if that is of an entity that the
// change took out of the graph.
func (h *Handler) Undone(c echo.Context, _ curate.Changed) string {
	address := request.Local(c.FormValue("back"), link.Changes)
	rest, of := strings.CutPrefix(address, link.Entity(""))
	gone := domain.EntityID(rest)
	if !of || strings.ContainsAny(rest, "/?#") || h.there(c, gone) {
		return address
	}
	now, err := h.Curator.Successor(c.Request().Context(), request.Workspace(c), gone)
	if err != nil || now == gone || !h.there(c, now) {
		return link.Entities
	}
	return link.Entity(now)
}
