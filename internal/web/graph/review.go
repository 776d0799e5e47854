package graph

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Limits of the review.
const (
	maxAlike   = 100 // pairs decided in one go
	maxRows    = 20  // on one page of a work list
	maxChoices = 9   // labels with a shortcut key
)

// Review serves a pair that may be the same, the one in the query parameter pair
// or the likeliest, or the work list in the query parameter list.
func (h *Handler) Review(c echo.Context) error {
	if c.QueryParam("list") != "" {
		return h.work(c)
	}
	wanted := domain.ProposalID(c.QueryParam("pair"))
	if respond.Fragment(c) && wanted != "" {
		pair, err := h.proposal(c, wanted)
		if err != nil {
			return err
		}
		return respond.HTML(c, http.StatusOK, page.Bench(*pair))
	}
	app, err := h.app(c, lang.T(c.Request().Context(), "Review"))
	if err != nil {
		return err
	}
	p := page.ReviewProps{App: app}
	if p.Queue, err = h.queue(c); err != nil {
		return err
	}
	if wanted == "" && len(p.Queue.Items) > 0 {
		wanted = p.Queue.Items[0].ID
	}
	if p.Queue.Current = wanted; wanted != "" {
		if p.Pair, err = h.proposal(c, wanted); err != nil {
			return err
		}
	}
	lists, _, err := h.Lists.Lists(c.Request().Context())
	if err != nil {
		return err
	}
	p.Lists = tabs(c.Request().Context(), lists, p.Queue.Total)
	p.App.Fills = p.Pair != nil
	return respond.HTML(c, http.StatusOK, page.ReviewPage(p))
}

// app returns the frame with the message about the changes in the query
// parameters.
func (h *Handler) app(c echo.Context, title string) (layout.Props, error) {
	app, err := h.Frame.App(c, layout.Review, title)
	if err != nil {
		return app, err
	}
	if id := c.QueryParam("later"); id != "" {
		app.Toast = putOff(c.Request().Context(), domain.ProposalID(id))
	}
	if seqs := changes(c); len(seqs) > 0 {
		address := c.Request().URL.Query()
		address.Del("change")
		back := link.Review
		if len(address) > 0 {
			back += "?" + address.Encode()
		}
		app.Toast, err = h.toast(c, seqs, back)
	}
	return app, err
}

// changes returns the numbers of changes in the query parameters.
func changes(c echo.Context) []int64 {
	var seqs []int64
	for _, text := range c.QueryParams()["change"] {
		if seq, err := strconv.ParseInt(text, 10, 64); err == nil && seq > 0 && len(seqs) < maxAlike {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

// toast returns the message about changes, with a button to undo them that leads
// back to a page.
func (h *Handler) toast(c echo.Context, seqs []int64, back string) (layout.Toast, error) {
	t, err := present.ChangeToast(c.Request().Context(), request.Workspace(c), h.Curator, seqs[0], back)
	if n := len(seqs); n > 1 && t.Text != "" {
		t.Text = lang.F(c.Request().Context(), "Decided about %s pairs.", strconv.Itoa(n))
		if t.Action != "" {
			t.Action, t.URL = lang.T(c.Request().Context(), "Undo all"), link.UndoAll(seqs)
		}
	}
	return t, err
}

// putOff returns the message about a pair that was put off.
func putOff(ctx context.Context, id domain.ProposalID) layout.Toast {
	return layout.Toast{Text: lang.T(ctx, "The pair was moved to the end of the queue."), Action: lang.T(ctx, "Undo"), URL: link.TakeUp(id)}
}

// queue lists the first pairs that wait.
func (h *Handler) queue(c echo.Context) (page.QueueProps, error) {
	now := h.Now()
	q, err := h.Proposals.Queue(c.Request().Context(), time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()))
	return page.QueueProps{Queue: q}, err
}

// proposal returns a pair with all that helps to decide.
func (h *Handler) proposal(c echo.Context, id domain.ProposalID) (*page.PairProps, error) {
	p, alike, err := h.Proposals.Pair(c.Request().Context(), id)
	if err != nil {
		return nil, err
	}
	sides, err := h.Reader.Sides(c.Request().Context(), p.A, p.B)
	return &page.PairProps{Proposal: p, Sides: sides, Bar: h.Proposals.Bars.Merge, Alike: alike}, err
}

// Look starts the search for pairs that may be the same, and shows the run.
func (h *Handler) Look(c echo.Context) error {
	r, err := h.Proposals.Start(c.Request().Context(), request.Workspace(c))
	return respond.After(c, err, link.Run(r.ID))
}

// Decide carries out a decision about a pair. A browser with a script gets the
// queue that is left, any other the next pair.
func (h *Handler) Decide(c echo.Context) error {
	id, decision := domain.ProposalID(c.Param("id")), proposals.Decision(c.FormValue("decision"))
	audit.Did(c.Request().Context(), "entities "+string(decision), string(id))
	entry, err := h.Proposals.Decide(c.Request().Context(), decision, id, domain.EntityID(c.FormValue("entity")))
	if err != nil {
		return err
	}
	if !respond.Fragment(c) {
		if decision == proposals.Later {
			return respond.SeeOther(c, link.With(link.Review, "later", string(id)))
		}
		return respond.SeeOther(c, link.ChangedAll(link.Review, []int64{entry.Seq}))
	}
	queue, err := h.queue(c)
	if err != nil {
		return err
	}
	if entry.Seq == 0 {
		return respond.HTML(c, http.StatusOK, page.Decided(&queue, putOff(c.Request().Context(), id)))
	}
	toast, err := h.toast(c, []int64{entry.Seq}, link.Pair(id))
	return respond.Show(c, err, http.StatusOK, page.Decided(&queue, toast))
}

// Alike lists the pairs whose names differ in the same way.
func (h *Handler) Alike(c echo.Context) error {
	p := page.AlikeProps{Pattern: c.Param("pattern")}
	found, err := h.Proposals.List(c.Request().Context(), ledger.ProposalQuery{Pattern: p.Pattern, Limit: maxAlike})
	if err != nil {
		return err
	}
	p.Items, p.Total = found.Items, found.Total
	p.App, err = h.Frame.App(c, layout.Review, lang.T(c.Request().Context(), "Review"))
	return respond.Show(c, err, http.StatusOK, page.AlikePage(p))
}

// DecideAlike decides about the chosen pairs, best first.
func (h *Handler) DecideAlike(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	if n := len(form["pair"]); n == 0 || n > maxAlike {
		return domain.Errorf(domain.Invalid, "Tick between one and %d pairs.", maxAlike)
	}
	audit.Did(c.Request().Context(), "entities "+form.Get("decision"), form["pair"]...)
	entries, err := h.Proposals.DecideEach(c.Request().Context(), proposals.Decision(form.Get("decision")), form["pair"])
	return respond.After(c, err, link.ChangedAll(link.Review, numbers(entries)))
}

func numbers(entries []ledger.Curation) []int64 {
	return lists.Map(entries, func(e ledger.Curation) int64 { return e.Seq })
}

// UndoAll takes back the changes in the query parameters, latest first. It leaves
// out one that is taken back already.
func (h *Handler) UndoAll(c echo.Context) error {
	var undos []ledger.Curation
	for _, seq := range slices.Backward(changes(c)) {
		undo, err := h.Curator.Undo(c.Request().Context(), seq)
		if domain.KindOf(err) == domain.Conflict {
			continue
		}
		if err != nil {
			return err
		}
		undos = append(undos, undo)
	}
	return respond.SeeOther(c, link.ChangedAll(request.Local(c.FormValue("back"), link.Review), numbers(undos)))
}

// Changes serves the curators' changes, newest first.
func (h *Handler) Changes(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := page.ChangesProps{Who: c.QueryParam("who"), Kind: c.QueryParam("kind"), Pager: page.Pager{Offset: request.Offset(c), Limit: request.PageSize}}
	var err error
	if p.App, err = h.Frame.App(c, layout.Review, lang.T(ctx, "Changes")); err != nil {
		return err
	}
	if p.App.Toast, err = present.Changed(c, h.Curator, link.Changes); err != nil {
		return err
	}
	if p.Items, p.Pager.Total, err = h.Curator.Changes(ctx, w, curate.Which{Who: p.Who, Kind: ledger.CurationKind(p.Kind)}, p.Pager.Offset, p.Pager.Limit); err != nil {
		return err
	}
	lists, _, err := h.Lists.Lists(ctx)
	if err == nil {
		p.Lists = tabs(ctx, lists, p.App.Review)
	} else if domain.KindOf(err) != domain.Unavailable {
		return err
	}
	p.Curators, err = h.Curator.Curators(ctx, w)
	return respond.Show(c, err, http.StatusOK, page.ChangesPage(p))
}

// description holds the page's sentences about a work list.
type description struct{ tab, title, lede, empty string }

var descriptions = map[worklist.Name]description{
	worklist.Unlabelled: {"Without a label", "Without a label",
		"What is it: a person, a place, a work? The most mentioned names come first; names found only in titles come last.", "Every entity has a label."},
	worklist.Contradictions: {"Contradictions", "Contradictions",
		"Two values where only one can be right. A false relation can be deleted, one that ended can be ended, and two things under one name can be split.", "No entity has two values for a property that takes one."},
	worklist.Weak: {"One weak sentence", "Relations with one weak sentence",
		"One passage states them, in doubtful words, far apart, or between names without a label. The least certain come first.", "Every relation is stated clearly, or by several passages."},
	worklist.Orphans: {"Without relations", "Without relations",
		"No sentence connects them with another entity. Some are not names at all: delete those.", "Every entity has a relation."},
	worklist.Once: {"One document", "Names that one document has",
		"Some are misspellings or other names of entities already in the graph.", "Every entity is mentioned in several documents."},
}

// tabs lists the work lists with their counts.
func tabs(ctx context.Context, lists *worklist.Lists, pairs int) []page.WorkTab {
	tabs := []page.WorkTab{{Title: lang.T(ctx, "Perhaps the same"), Count: pairs}}
	for _, name := range worklist.Names() {
		tabs = append(tabs, page.WorkTab{List: string(name), Title: lang.T(ctx, descriptions[name].tab), Count: lists.Count(name)})
	}
	return tabs
}

// work serves a work list.
func (h *Handler) work(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	work := link.Work{List: c.QueryParam("list"), Label: c.QueryParam("label"), Document: domain.DocumentID(c.QueryParam("doc")), Offset: request.Offset(c)}
	name := worklist.Name(work.List)
	said, known := descriptions[name]
	if !known {
		return domain.Errorf(domain.NotFound, "There is no work list %q. Choose one on the page Review.", work.List)
	}
	app, err := h.app(c, lang.T(ctx, said.title))
	if err != nil {
		return err
	}
	lists, behind, err := h.Lists.Lists(ctx)
	if err != nil {
		return err
	}
	p := page.WorkProps{App: app, Work: work, Title: lang.T(ctx, said.title), Lede: lang.T(ctx, said.lede), Empty: lang.T(ctx, said.empty), Lists: tabs(ctx, lists, app.Review)}
	if behind {
		p.Lede += " " + lang.T(ctx, "The graph has changed since this list was made. It is made anew within minutes.")
	}
	p.Pager = page.Pager{Offset: work.Offset, Limit: maxRows}
	if p.Rows, p.Pager.Total, err = h.Lists.Page(ctx, name, worklist.Filter{Label: work.Label, Document: work.Document}, work.Offset, maxRows); err != nil {
		return err
	}
	if err := h.Lists.Quote(ctx, p.Rows); err != nil {
		return err
	}
	p.Labels = lists.Labels(name)
	if p.Choices, err = h.choices(c); err != nil {
		return err
	}
	if work.Document != "" {
		doc, err := h.Ledger.Document(ctx, w, work.Document)
		if err != nil {
			return err
		}
		p.Document = doc.Name
	}
	return respond.HTML(c, http.StatusOK, page.WorkPage(p))
}

// choices returns the labels to give: those of the library's schema, then the most
// frequent.
func (h *Handler) choices(c echo.Context) ([]string, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	inForce, err := h.Schemas.Latest(ctx, w, schemas.Scope{})
	if err != nil {
		return nil, err
	}
	labels, err := h.Graph.Labels(ctx, w)
	if err != nil {
		return nil, err
	}
	var choices []string
	add := func(label string) {
		if label != domain.UnknownLabel && len(choices) < maxChoices && !slices.Contains(choices, label) {
			choices = append(choices, label)
		}
	}
	for _, l := range inForce.Guide.Schema.Labels {
		add(schemas.ItemName(schemas.Labels, l.Name))
	}
	for _, l := range labels {
		add(l.Label)
	}
	return choices, nil
}

// Work carries out a decision about an entry of a work list: it labels or hides
// an entity, or hides a relation.
func (h *Handler) Work(c echo.Context) error {
	var d curate.Decision
	name := "entities delete"
	on, relation := curate.One{Name: c.FormValue("entity")}, domain.RelationID(c.FormValue("relation"))
	switch do := c.FormValue("do"); {
	case do == "hide":
		d = curate.Deleting{One: on}
	case do == "later":
		d, name = curate.Succeeding{One: on, Earlier: relation, Later: domain.RelationID(c.FormValue("later"))}, "entities succeed"
	case do == "both":
		d, name = curate.Keeping{One: on, Relation: relation}, "entities set"
	case do == "hide-relation" && relation != "":
		d = curate.Deleting{One: on, Relation: relation}
	default:
		d, name = curate.Relabelling{One: on, Label: c.FormValue("label")}, "entities relabel"
	}
	audit.Did(c.Request().Context(), name, on.Name)
	entry, err := h.Curator.Make(c.Request().Context(), d)
	if err != nil {
		return err
	}
	back := request.Local(c.FormValue("back"), link.Review)
	if !respond.Fragment(c) {
		return respond.SeeOther(c, link.ChangedAll(back, []int64{entry.Seq}))
	}
	toast, err := h.toast(c, []int64{entry.Seq}, back)
	return respond.Show(c, err, http.StatusOK, page.Decided(nil, toast))
}
