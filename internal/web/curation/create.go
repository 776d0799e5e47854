package curation

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// source returns the words of a document that a request names, by place or by
// themselves. It has no document if the request names none, and no span if the
// document lacks the words: reason then says so.
func (h *Handler) source(c echo.Context) (from curate.Source, reason string, err error) {
	from.Document = domain.DocumentID(c.FormValue("document"))
	start, _ := strconv.Atoi(c.FormValue("start"))
	end, _ := strconv.Atoi(c.FormValue("end"))
	if from.Document == "" || 0 <= start && start < end {
		from.Span = domain.Span{Start: start, End: end}
		return from, "", nil
	}
	words := c.FormValue("words")
	if words == "" {
		return from, "", nil
	}
	near, _ := strconv.Atoi(c.FormValue("near"))
	found, err := h.Curator.Find(c.Request().Context(), request.Workspace(c), from.Document, words, near)
	if reason := problem(err); reason != "" {
		return from, reason, nil
	}
	return found, "", err
}

// marked returns what a form shows of a source: its sentence and its words.
func (h *Handler) marked(ctx context.Context, w domain.WorkspaceID, from curate.Source, whole bool) (page.MarkedProps, string, error) {
	p := page.MarkedProps{Document: from.Document}
	if from.Document == "" {
		return p, "", nil
	}
	name, m, err := h.Curator.Marked(ctx, w, from, whole)
	p.Name = name
	if err != nil || from.Span.Empty() {
		return p, "", err
	}
	p.Span = m.Span
	p.Sentence = page.PassageItem{
		Document: from.Document, Name: name, Text: m.Sentence, Marks: []domain.Span{m.Mark}, URL: link.Passage(from.Document, m.Span),
	}
	return p, m.Words, nil
}

// asked returns a form for what marked words say, or for what no document says. Words that are not found are asked for
// again.
func asked(m page.MarkedProps, p page.Form) page.Form {
	p.Crumbs, p.About, p.Submit, p.ID = []page.Crumb{{Text: "Entities", URL: link.Entities}}, page.MarkedWords(m), "Add", "save"
	p.Fields = append([]page.Field{{Shown: page.MarkedFields(m)}}, p.Fields...)
	if m.Document != "" && m.Span.Empty() {
		p.URL = ""
	}
	return p
}

// AskEntity serves the form to add an entity: from the words of a document that
// the address names, or without a source.
func (h *Handler) AskEntity(c echo.Context) error { return h.entityForm(c, "") }

func (h *Handler) entityForm(c echo.Context, reason string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	from, lacking, err := h.source(c)
	if err != nil {
		return err
	}
	m, words, err := h.marked(ctx, w, from, false)
	if err != nil {
		return err
	}
	m.Words = c.FormValue("words")
	label, err := h.label(c, c.FormValue("label"))
	if err != nil {
		return err
	}
	label.Optional, label.Placeholder = true, "Person"
	return h.form(c, "Add an entity", asked(m, page.Form{
		Title: "Add an entity", Problem: reason + lacking, URL: link.NewEntity, Cancel: m.Source(link.Entities),
		Fields: []page.Field{{Name: "name", Label: "Name", Value: cmp.Or(c.FormValue("name"), words), Most: curate.MaxName, Focus: true}, label},
	}))
}

// label returns the field for an entity's label, which suggests those of the library.
func (h *Handler) label(c echo.Context, value string) (page.Field, error) {
	f := page.Field{Name: "label", Label: "Label", Value: value, List: "labels"}
	counts, err := h.Graph.Labels(c.Request().Context(), request.Workspace(c))
	for _, l := range counts {
		f.Suggested = append(f.Suggested, l.Label)
	}
	return f, err
}

// Entity adds an entity and returns to the words that it was made from, or goes
// to it. An invalid one shows the form again with the reason.
func (h *Handler) Entity(c echo.Context) error {
	from, _, err := h.source(c)
	if err != nil {
		return err
	}
	entry, err := h.curator(c).Create(c.Request().Context(), request.Workspace(c), frame.User(c), from, c.FormValue("name"), c.FormValue("label"))
	return h.done(c, entry, err, origin(from, link.Entity(entry.Entity)), h.entityForm)
}

// origin returns the words that something was made from, or other without a source.
func origin(from curate.Source, other string) string {
	if from.Document != "" {
		return link.Passage(from.Document, from.Span)
	}
	return other
}

// An end is one end of a relation to add.
type end struct {
	name  string          // as typed
	found []domain.Entity // to choose from, if several have the name
}

// AskNewRelation serves the form to add a relation: from the words of a document
// that the address names, or without a source.
func (h *Handler) AskNewRelation(c echo.Context) error {
	var ends [2]end
	for i, name := range []string{c.FormValue("source"), c.FormValue("target")} {
		if name == "" {
			continue
		}
		e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), domain.EntityID(name))
		switch {
		case err == nil:
			ends[i].found = []domain.Entity{e}
		case domain.KindOf(err) == domain.NotFound:
			ends[i].name = name
		default:
			return err
		}
	}
	return h.newRelationForm(c, ends, "")
}

func (h *Handler) newRelationForm(c echo.Context, ends [2]end, reason string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	from, lacking, err := h.source(c)
	if err != nil {
		return err
	}
	m, _, err := h.marked(ctx, w, from, true)
	if err != nil {
		return err
	}
	m.Words = c.FormValue("words")
	names, err := h.near(ctx, w, m)
	if err != nil {
		return err
	}
	for i := range ends {
		if ends[i].name == "" && len(ends[i].found) == 0 && i < len(names) && reason+lacking == "" {
			ends[i].name = names[i]
		}
	}
	field := func(i int, name, label string, near []string) page.Field {
		return page.Field{
			Name: name, Label: label, Value: ends[i].name, Found: ends[i].found, Most: curate.MaxName, List: "near", Suggested: near, Placeholder: "The name of an entity",
		}
	}
	back := opened(c, "")
	return h.form(c, "Add a relation", asked(m, page.Form{
		Title: "Add a relation", Problem: reason + lacking, URL: link.With(link.NewRelation, "back", back), Cancel: m.Source(cmp.Or(back, link.Entities)),
		Fields: []page.Field{
			field(0, "source", "From", nil),
			{Name: "type", Label: "Type of the relation", Value: c.FormValue("type"), Placeholder: "works for"},
			field(1, "target", "To", names),
		},
	}))
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

// NewRelation adds a relation and returns to the words that state it, or to its
// source. An invalid one, or a name that several entities have, shows the form
// again.
func (h *Handler) NewRelation(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	from, _, err := h.source(c)
	if err != nil {
		return err
	}
	var ends [2]end
	reason := ""
	for i, name := range []string{c.FormValue("source"), c.FormValue("target")} {
		found, err := h.Curator.Named(ctx, w, name)
		ends[i] = end{name, found}
		switch {
		case err != nil && domain.KindOf(err) != domain.NotFound:
			return err
		case len(found) == 0:
			reason = "No entity is called “" + name + "”. Add it first, or use the name that the list of entities shows."
		case len(found) > 1:
			reason = "Several entities are called “" + name + "”. Choose one."
		}
	}
	again := func(c echo.Context, reason string) error { return h.newRelationForm(c, ends, reason) }
	if reason != "" {
		return again(c, reason)
	}
	source := ends[0].found[0].ID
	entry, err := h.curator(c).Relate(ctx, w, frame.User(c), source, c.FormValue("type"), ends[1].found[0].ID, from)
	return h.done(c, entry, err, origin(from, opened(c, link.Entity(source))), again)
}
