package curation

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Review serves a pair that may be the same, the one in the query parameter pair
// or the likeliest, or the work list in the query parameter list.
func (h *Handler) Review(c echo.Context) error {
	if c.QueryParam("list") != "" {
		return h.work(c)
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	wanted := domain.ProposalID(c.QueryParam("pair"))
	if respond.Fragment(c) && wanted != "" {
		pair, err := h.pair(ctx, w, wanted)
		if err != nil {
			return err
		}
		return respond.HTML(c, http.StatusOK, page.Bench(*pair))
	}
	app, err := h.app(c, "Review")
	if err != nil {
		return err
	}
	p := page.ReviewProps{App: app}
	if p.Queue, err = h.queue(ctx, w); err != nil {
		return err
	}
	if wanted == "" && len(p.Queue.Items) > 0 {
		wanted = p.Queue.Items[0].ID
	}
	if p.Queue.Current = wanted; wanted != "" {
		if p.Pair, err = h.pair(ctx, w, wanted); err != nil {
			return err
		}
	}
	if p.Lists, err = h.tabs(ctx, w, p.Queue.Total); err != nil {
		return err
	}
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
		app.Toast = putOff(domain.ProposalID(id))
	}
	if seqs := changes(c); len(seqs) > 0 {
		address := c.Request().URL.Query()
		address.Del("change")
		back := link.Review
		if len(address) > 0 {
			back += "?" + address.Encode()
		}
		app.Toast, err = h.toast(c.Request().Context(), request.Workspace(c), seqs, back)
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
func (h *Handler) toast(ctx context.Context, w domain.WorkspaceID, seqs []int64, back string) (layout.Toast, error) {
	t, err := present.ChangeToast(ctx, w, h.Curator, seqs[0], back)
	if n := len(seqs); n > 1 && t.Text != "" {
		t.Text = "Decided about " + strconv.Itoa(n) + " pairs."
		if t.Action != "" {
			t.Action, t.URL = "Undo all", link.UndoAll(seqs)
		}
	}
	return t, err
}

// maxQueue is how many pairs the queue lists.
const maxQueue = 50

// queue lists the first pairs that wait.
func (h *Handler) queue(ctx context.Context, w domain.WorkspaceID) (page.QueueProps, error) {
	list, total, err := h.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Limit: maxQueue})
	if err != nil {
		return page.QueueProps{}, err
	}
	q := page.QueueProps{Total: total}
	if q.Items, err = h.items(ctx, w, list); err != nil {
		return q, err
	}
	now := h.Now()
	q.Today, err = h.Ledger.CountDecided(ctx, w, time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()))
	return q, err
}

// items returns proposals with the names of their entities.
func (h *Handler) items(ctx context.Context, w domain.WorkspaceID, list []ledger.Proposal) ([]page.PairItem, error) {
	var ids []domain.EntityID
	for _, p := range list {
		ids = append(ids, p.A, p.B)
	}
	named, err := h.named(ctx, w, ids)
	items := make([]page.PairItem, len(list))
	for i, p := range list {
		items[i] = page.PairItem{ID: p.ID, A: named[p.A].Name, B: named[p.B].Name, Score: p.Score, Later: p.Status == ledger.ProposalLater}
	}
	return items, err
}

func (h *Handler) named(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID) (map[domain.EntityID]domain.Entity, error) {
	found, err := h.Graph.Named(ctx, w, ids)
	named := make(map[domain.EntityID]domain.Entity, len(found))
	for _, e := range graphstore.Listed(found) {
		named[e.ID] = e
	}
	return named, err
}

// pair returns a pair with all that helps to decide.
func (h *Handler) pair(ctx context.Context, w domain.WorkspaceID, id domain.ProposalID) (*page.PairProps, error) {
	p, err := h.Ledger.Proposal(ctx, w, id)
	if err != nil {
		return nil, err
	}
	pair := &page.PairProps{ID: p.ID, Score: p.Score, Bar: h.Proposals.Bars.Merge, Pattern: p.Pattern, Differ: differ(p.Pattern), Reasons: reasons(p)}
	if !p.Waits() {
		pair.Decided = decided(p)
	}
	if pair.A, pair.B, err = h.Entities.Sides(ctx, w, p.A, p.B); err != nil {
		return nil, err
	}
	waiting, err := h.Ledger.CountProposals(ctx, w)
	pair.Alike = waiting[p.Pattern]
	return pair, err
}

// Look starts to look for pairs that may be the same, and shows the run.
func (h *Handler) Look(c echo.Context) error {
	r, err := h.Proposals.Start(c.Request().Context(), request.Workspace(c))
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Run(r.ID))
}

// Decide carries out a decision about a pair. A browser with a script gets the
// queue that is left, any other the next pair.
func (h *Handler) Decide(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	id := domain.ProposalID(c.Param("id"))
	entry, err := h.Proposals.Decide(ctx, w, frame.User(c), proposals.Decision(c.FormValue("decision")), id, domain.EntityID(c.FormValue("keep")))
	if err != nil {
		return err
	}
	if !respond.Fragment(c) {
		back := link.ChangedAll(link.Review, seqsOf(entry))
		if proposals.Decision(c.FormValue("decision")) == proposals.Later {
			back = link.With(link.Review, "later", string(id))
		}
		return respond.SeeOther(c, back)
	}
	toast := putOff(id)
	if entry.Seq != 0 {
		if toast, err = h.toast(ctx, w, []int64{entry.Seq}, link.Pair(id)); err != nil {
			return err
		}
	}
	queue, err := h.queue(ctx, w)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.Decided(&queue, toast))
}

// putOff returns the message about a pair that was put off.
func putOff(id domain.ProposalID) layout.Toast {
	return layout.Toast{Text: "The pair is put to the end.", Action: "Undo", URL: link.TakeUp(id)}
}

// TakeUp puts a pair that was put off back into its place, and shows it.
func (h *Handler) TakeUp(c echo.Context) error {
	id := domain.ProposalID(c.Param("id"))
	if _, err := h.Proposals.Decide(c.Request().Context(), request.Workspace(c), frame.User(c), proposals.Again, id, ""); err != nil {
		return err
	}
	return respond.SeeOther(c, link.Pair(id))
}

func seqsOf(entries ...ledger.Curation) []int64 {
	var seqs []int64
	for _, e := range entries {
		if e.Seq != 0 {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs
}

// maxAlike is how many pairs are decided in one go.
const maxAlike = 100

// Alike lists the pairs whose names differ in the same way.
func (h *Handler) Alike(c echo.Context) error {
	ctx, w, pattern := c.Request().Context(), request.Workspace(c), c.Param("pattern")
	app, err := h.Frame.App(c, layout.Review, "Review")
	if err != nil {
		return err
	}
	list, total, err := h.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Pattern: pattern, Limit: maxAlike})
	if err != nil {
		return err
	}
	items, err := h.items(ctx, w, list)
	if err != nil {
		return err
	}
	p := page.AlikeProps{App: app, Pattern: pattern, Differ: differ(pattern), Total: total}
	for i, item := range items {
		p.Items = append(p.Items, page.AlikeItem{PairItem: item, Reasons: reasons(list[i])})
	}
	return respond.HTML(c, http.StatusOK, page.AlikePage(p))
}

// DecideAlike decides about the chosen pairs, best first. It leaves out one that
// an earlier one has settled.
func (h *Handler) DecideAlike(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	if n := len(form["pair"]); n == 0 || n > maxAlike {
		return domain.Errorf(domain.Invalid, "Tick between one and %d pairs.", maxAlike)
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	var entries []ledger.Curation
	for _, id := range form["pair"] {
		entry, err := h.Proposals.Decide(ctx, w, frame.User(c), proposals.Decision(c.FormValue("decision")), domain.ProposalID(id), "")
		if kind := domain.KindOf(err); kind == domain.Conflict || kind == domain.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	return respond.SeeOther(c, link.ChangedAll(link.Review, seqsOf(entries...)))
}

// UndoAll takes back the changes in the query parameters, latest first. It leaves
// out one that is taken back already.
func (h *Handler) UndoAll(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	var undos []ledger.Curation
	for _, seq := range slices.Backward(changes(c)) {
		undo, err := h.Curator.Undo(ctx, w, frame.User(c), seq)
		if domain.KindOf(err) == domain.Conflict {
			continue
		}
		if err != nil {
			return err
		}
		undos = append(undos, undo)
	}
	return respond.SeeOther(c, link.ChangedAll(request.Local(c.FormValue("back"), link.Review), seqsOf(undos...)))
}
