package curation

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
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

// AskEntity serves the form to add an entity: from the words of a document that
// the address names, or without a source.
func (h *Handler) AskEntity(c echo.Context) error {
	return h.entityForm(c, http.StatusOK, "")
}

func (h *Handler) entityForm(c echo.Context, status int, reason string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	from, lacking, err := h.source(c)
	if err != nil {
		return err
	}
	p := page.NewEntityProps{Name: c.FormValue("name"), Label: c.FormValue("label"), MaxName: curate.MaxName, Problem: reason + lacking}
	words := ""
	if p.Marked, words, err = h.marked(ctx, w, from, false); err != nil {
		return err
	}
	if p.Marked.Words = c.FormValue("words"); p.Name == "" {
		p.Name = words
	}
	labels, err := h.Graph.Labels(ctx, w)
	if err != nil {
		return err
	}
	p.Labels = labelsOf(labels)
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	if p.App, err = h.Frame.App(c, layout.Graph, "Add an entity"); err != nil {
		return err
	}
	return respond.HTML(c, status, page.NewEntityPage(p))
}

// Entity adds an entity and returns to the words that it was made from, or goes
// to it. An invalid one shows the form again with the reason.
func (h *Handler) Entity(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	from, _, err := h.source(c)
	if err != nil {
		return err
	}
	entry, err := h.curator(c).Create(ctx, w, frame.User(c), from, c.FormValue("name"), c.FormValue("label"))
	if reason := problem(err); reason != "" {
		return h.entityForm(c, http.StatusUnprocessableEntity, reason)
	}
	if err != nil {
		return err
	}
	back := link.Entity(entry.Entity)
	if from.Document != "" {
		back = link.Passage(from.Document, from.Span)
	}
	return respond.SeeOther(c, link.Changed(back, entry.Seq))
}

// AskNewRelation serves the form to add a relation: from the words of a document
// that the address names, or without a source.
func (h *Handler) AskNewRelation(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := page.NewRelationProps{Type: c.FormValue("type")}
	var err error
	if p.Source, err = h.given(ctx, w, c.FormValue("source")); err != nil {
		return err
	}
	if p.Target, err = h.given(ctx, w, c.FormValue("target")); err != nil {
		return err
	}
	return h.newRelationForm(c, http.StatusOK, p)
}

// given returns an end of a relation that an address names by its id.
func (h *Handler) given(ctx context.Context, w domain.WorkspaceID, name string) (page.EndProps, error) {
	if name == "" {
		return page.EndProps{}, nil
	}
	e, err := h.Curator.Entity(ctx, w, domain.EntityID(name))
	if domain.KindOf(err) == domain.NotFound {
		return page.EndProps{Name: name}, nil
	}
	return page.EndProps{Found: []domain.Entity{e}}, err
}

func (h *Handler) newRelationForm(c echo.Context, status int, p page.NewRelationProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	from, lacking, err := h.source(c)
	if err != nil {
		return err
	}
	p.Problem, p.MaxName = p.Problem+lacking, curate.MaxName
	if p.Marked, _, err = h.marked(ctx, w, from, true); err != nil {
		return err
	}
	p.Marked.Words, p.Back = c.FormValue("words"), opened(c, "")
	if err := h.near(ctx, w, &p); err != nil {
		return err
	}
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	if p.App, err = h.Frame.App(c, layout.Graph, "Add a relation"); err != nil {
		return err
	}
	return respond.HTML(c, status, page.NewRelationPage(p))
}

// near offers the entities that the marked sentence names, and fills in the
// first two.
func (h *Handler) near(ctx context.Context, w domain.WorkspaceID, p *page.NewRelationProps) error {
	if p.Marked.Span.Empty() {
		return nil
	}
	found, err := h.Graph.InDocument(ctx, w, p.Marked.Document)
	if err != nil {
		return err
	}
	for _, e := range found {
		for _, l := range e.Links {
			if slices.ContainsFunc(l.Spans, p.Marked.Span.Contains) && !slices.Contains(p.Names, e.Name) {
				p.Names = append(p.Names, e.Name)
			}
		}
	}
	for i, end := range []*page.EndProps{&p.Source, &p.Target} {
		if end.Name == "" && len(end.Found) == 0 && i < len(p.Names) && p.Problem == "" {
			end.Name = p.Names[i]
		}
	}
	return nil
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
	p := page.NewRelationProps{Type: c.FormValue("type")}
	var ends [2]domain.EntityID
	for i, end := range []*page.EndProps{&p.Source, &p.Target} {
		end.Name = c.FormValue([]string{"source", "target"}[i])
		found, err := h.Curator.Named(ctx, w, end.Name)
		switch {
		case err != nil && domain.KindOf(err) != domain.NotFound:
			return err
		case len(found) == 0:
			p.Problem = "No entity is called “" + end.Name + "”. Add it first, or use the name that the list of entities shows."
		case len(found) > 1:
			end.Found, p.Problem = found, "Several entities are called “"+end.Name+"”. Choose one."
		default:
			end.Found, ends[i] = found, found[0].ID
		}
	}
	if p.Problem != "" {
		return h.newRelationForm(c, http.StatusUnprocessableEntity, p)
	}
	entry, err := h.curator(c).Relate(ctx, w, frame.User(c), ends[0], p.Type, ends[1], from)
	if p.Problem = problem(err); p.Problem != "" {
		return h.newRelationForm(c, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	back := opened(c, link.Entity(ends[0]))
	if from.Document != "" {
		back = link.Passage(from.Document, from.Span)
	}
	return respond.SeeOther(c, link.Changed(back, entry.Seq))
}
