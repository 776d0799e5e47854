package document

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// chosen is a choice of documents: those that are ticked, or all that a filter selects.
type chosen struct {
	IDs    []domain.DocumentID
	All    bool
	Filter domain.DocumentFilter

	query ledger.DocumentQuery // selects the documents
}

// choose reads a choice from the fields of a form. It fails with kind Invalid when nothing
// is chosen.
func (h *Handler) choose(ctx context.Context, w domain.WorkspaceID, form url.Values) (chosen, error) {
	ch := chosen{All: form.Get("all") != "", Filter: domain.ParseDocumentFilter(form)}
	ch.IDs = lists.Map(form["document"], func(id string) domain.DocumentID { return domain.DocumentID(id) })
	if !ch.All && len(ch.IDs) == 0 {
		return ch, domain.Errorf(domain.Invalid, "No documents are chosen. Tick some in the list first.")
	}
	ch.query = ledger.DocumentQuery{IDs: ch.IDs}
	var err error
	if ch.All {
		ch.query, err = h.Library.Selected(ctx, w, ch.Filter)
	}
	return ch, err
}

// fields returns the fields of a form that make the choice again.
func (ch chosen) fields() url.Values {
	q := ch.Filter.Values()
	if ch.All {
		q.Set("all", "1")
		return q
	}
	for _, id := range ch.IDs {
		q.Add("document", string(id))
	}
	return q
}

// maxListed is the maximum number of documents that a summary or a question is told by name.
const maxListed = domain.MaxWithin

// AskChosen serves the page that previews an action on the chosen documents, or redirects to the form that asks within
// them, summarises them or makes study sets of them.
func (h *Handler) AskChosen(c echo.Context) error {
	ch, err := h.choose(c.Request().Context(), request.Workspace(c), c.QueryParams())
	if err != nil {
		return err
	}
	act := c.QueryParam("act")
	if err := frame.Need(c, page.ScopeOf(act)); err != nil {
		return err
	}
	switch act {
	case page.ActAsk, page.ActSummarise, page.ActStudy:
		return h.goOn(c, ch, act)
	case page.ActDelete, page.ActTag, page.ActSet, page.ActAgain, page.ActLimit:
		return h.askChosen(c, ch, act)
	}
	return domain.Errorf(domain.Invalid, "Choose what to do with the documents.")
}

func (h *Handler) askChosen(c echo.Context, ch chosen, act string) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Documents, lang.T(ctx, "Chosen documents"))
	if err != nil {
		return err
	}
	p := page.ChosenProps{App: app, Act: act, Fields: ch.fields(), URL: link.Chosen, Back: link.DocumentList(ch.Filter), Undo: h.Library.UndoTime}
	first := ch.query
	first.Limit = maxNamed
	docs, total, err := h.Ledger.Documents(ctx, w, first)
	if err != nil {
		return err
	}
	if p.Count = total; total == 0 {
		return domain.Errorf(domain.NotFound, "There is no such document here. It may have been deleted.")
	}
	p.Names = lists.Map(docs, func(d domain.Document) string { return d.Name })
	switch act {
	case page.ActDelete:
		p.Toll, err = h.toll(ctx, w, ch.query)
	case page.ActSet:
		p.Choose, err = h.Library.Fields(ctx, w)
	case page.ActLimit:
		p.Readers, err = h.possibleReaders(ctx, w)
	case page.ActAgain:
		var bill documents.Bill
		if bill, err = h.Library.BillFor(ctx, w, ch.query); err == nil {
			p.Bill = bill.String()
			p.Warning, err = h.overCap(c, bill)
		}
	}
	return respond.Show(c, err, http.StatusOK, page.ChosenPage(p))
}

// maxNamed is how many of the chosen documents are named.
const maxNamed = 5

func (h *Handler) toll(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) (ledger.Toll, error) {
	return h.Ledger.Toll(ctx, w, q)
}

// goOn redirects to the form that asks a question within the choice, summarises it, or makes study sets of it.
func (h *Handler) goOn(c echo.Context, ch chosen, act string) error {
	f := ch.Filter
	tagged := domain.DocumentFilter{Tag: f.Tag, Sort: f.Sort}
	days := domain.DocumentFilter{Tag: f.Tag, From: f.From, To: f.To, Sort: f.Sort, FactFilter: f.FactFilter}
	same := func(as domain.DocumentFilter) bool { return f.Values().Encode() == as.Values().Encode() }
	switch {
	case ch.All && act == page.ActSummarise && same(tagged):
		return respond.SeeOther(c, link.With(link.NewSummary(), "tag", f.Tag))
	case ch.All && act == page.ActStudy && same(tagged):
		return respond.SeeOther(c, link.With(link.Study, "tag", f.Tag))
	case ch.All && act == page.ActAsk && same(days):
		s := domain.Scope{From: f.From, To: f.To, FactFilter: f.FactFilter}
		if f.Tag != "" {
			s.Tags = []string{f.Tag}
		}
		return respond.SeeOther(c, link.AskIn(s))
	}
	q := ch.query
	if q.Limit = maxListed + 1; act != page.ActAsk {
		q.Status = []domain.DocumentStatus{domain.DocumentReady, domain.DocumentEmpty}
		if only := f.State.Statuses(); ch.All && only != nil {
			q.Status = slices.DeleteFunc(q.Status, func(s domain.DocumentStatus) bool { return !slices.Contains(only, s) })
		}
	}
	docs, err := h.Ledger.ListDocuments(c.Request().Context(), request.Workspace(c), q)
	switch {
	case err != nil:
		return err
	case len(docs) == 0:
		return domain.Errorf(domain.Invalid, "None of the chosen documents has been read yet.")
	case len(docs) > maxListed:
		return domain.Errorf(domain.TooLarge, "More than %d documents are chosen. Give them a tag, and choose the tag.", maxListed)
	}
	ids := lists.Map(docs, func(d domain.Document) domain.DocumentID { return d.ID })
	switch act {
	case page.ActAsk:
		return respond.SeeOther(c, link.AskIn(domain.Scope{Documents: ids}))
	case page.ActStudy:
		return respond.SeeOther(c, link.StudyOf(domain.Scope{Documents: ids}))
	}
	return respond.SeeOther(c, link.NewSummary(ids...))
}

// deed returns the operation that the form carries out.
func deed(form url.Values) string {
	switch act := form.Get("act"); {
	case act == page.ActAgain:
		return "documents retry"
	case act == page.ActLimit && form.Get("who") == "everybody":
		return documents.Unlimit.Name
	default:
		return "documents " + act
	}
}

// DoChosen applies the form's action to the chosen documents, and returns to the list.
func (h *Handler) DoChosen(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form can't be read. Send it again.")
	}
	ch, err := h.choose(c.Request().Context(), request.Workspace(c), form)
	if err != nil {
		return err
	}
	audit.Did(c.Request().Context(), deed(form), audit.IDs(form["document"]...)...)
	if err := frame.Need(c, page.ScopeOf(form.Get("act"))); err != nil {
		return err
	}
	ctx, w, done := c.Request().Context(), request.Workspace(c), ""
	switch form.Get("act") {
	case page.ActDelete:
		return h.remove(c, ch.query, form.Get("keep") != "", ch.Filter)
	case page.ActTag:
		add, err := domain.ParseTags(form.Get("add"))
		if err != nil {
			return err
		}
		remove, err := domain.ParseTags(form.Get("remove"))
		if err != nil {
			return err
		}
		entry, err := h.Curator.Tag(ctx, ch.query, add, remove)
		if err != nil {
			return err
		}
		if entry.Seq > 0 {
			return respond.SeeOther(c, link.Changed(link.DocumentList(ch.Filter), entry.Seq))
		}
		done = "tagged"
	case page.ActSet:
		set, err := h.setChosen(ctx, ch.query, form.Get("of"), form.Get("to_value"), form.Has("forget"))
		if err != nil {
			return err
		}
		if set.Change > 0 {
			return respond.SeeOther(c, link.Changed(link.DocumentList(ch.Filter), set.Change))
		}
		done = "as-set"
	case page.ActLimit:
		if err := h.limit(ctx, w, ch.query, form); err != nil {
			return err
		}
		done = "readers"
	case page.ActAgain:
		id, _, err := h.Library.ReadSelectedAgain(ctx, w, ch.query)
		return respond.After(c, err, link.With(link.DocumentList(ch.Filter), "done", "chosen", "rereading", string(id)))
	default:
		turn := documents.Turn(form.Get("act"))
		if _, err := h.Library.Turn(ctx, w, ch.query, turn); err != nil {
			return err
		}
		done = "turn-" + string(turn)
	}
	return respond.SeeOther(c, link.With(link.DocumentList(ch.Filter), "done", done))
}

// reread offers to undo the rereading in the URL until it has started.
func reread(c echo.Context, list []ledger.Rereading, toast *layout.Toast) {
	i := slices.IndexFunc(list, func(r ledger.Rereading) bool { return string(r.ID) == c.QueryParam("rereading") })
	if i < 0 || list[i].Unbegun == 0 {
		return
	}
	*toast = layout.Toast{
		Text:   lang.F(c.Request().Context(), "%s read again.", lang.Count(c.Request().Context(), list[i].Documents, "document is", "documents are")),
		Action: lang.T(c.Request().Context(), "Undo"), URL: link.LeaveRest(list[i].ID), Back: link.DocumentList(domain.ParseDocumentFilter(c.QueryParams())),
	}
}

// LeaveRest cancels the rereading of documents that have not started, and returns to the list.
func (h *Handler) LeaveRest(c echo.Context) error {
	_, err := h.Library.LeaveRest(c.Request().Context(), request.Workspace(c), domain.RereadingID(c.QueryParam("rereading")))
	return respond.After(c, err, link.With(request.Local(c.FormValue("back"), link.Documents), "done", "left"))
}

// AskDelete serves the page that confirms the deletion of a document, and lists what goes with it.
func (h *Handler) AskDelete(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, err := h.Ledger.Document(ctx, w, domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	p := page.ChosenProps{Act: page.ActDelete, Names: []string{doc.Name}, Count: 1, URL: link.DeleteDocument(doc.ID), Back: link.Document(doc.ID), Undo: h.Library.UndoTime}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Delete %s", doc.Name)); err != nil {
		return err
	}
	p.Toll, err = h.toll(ctx, w, ledger.DocumentQuery{IDs: []domain.DocumentID{doc.ID}})
	return respond.Show(c, err, http.StatusOK, page.ChosenPage(p))
}

// Delete deletes a document, which can be undone for a while, and returns to the list. It fails
// with kind NotFound for an unknown document.
func (h *Handler) Delete(c echo.Context) error {
	q := ledger.DocumentQuery{IDs: []domain.DocumentID{domain.DocumentID(c.Param("id"))}}
	return h.remove(c, q, c.FormValue("keep") != "", domain.DocumentFilter{})
}

func (h *Handler) remove(c echo.Context, q ledger.DocumentQuery, keep bool, back domain.DocumentFilter) error {
	d, err := h.Library.Remove(c.Request().Context(), request.Workspace(c), q, keep)
	if err != nil {
		return err
	}
	audit.About(c.Request().Context(), q.IDs...)
	audit.About(c.Request().Context(), d.ID)
	return respond.SeeOther(c, link.With(link.DocumentList(back), "done", "deleted", "deletion", string(d.ID)))
}

// Undelete undoes a deletion and returns to the list. It fails with kind Conflict if it is too late.
func (h *Handler) Undelete(c echo.Context) error {
	ctx, id := c.Request().Context(), domain.DeletionID(c.QueryParam("deletion"))
	_, err := h.Library.Undo(ctx, request.Workspace(c), id)
	h.Trail.Record(ctx, audit.Entry{Action: audit.Undelete, Things: audit.IDs(string(id)), Err: err})
	return respond.After(c, err, link.With(link.Documents, "done", "restored"))
}

// undoable reports an action on the list, and offers to undo it.
func (h *Handler) undoable(c echo.Context, toast *layout.Toast) error {
	done, err := present.Changed(c, h.Curator, link.DocumentList(domain.ParseDocumentFilter(c.QueryParams())))
	if done.Text != "" {
		*toast = done
	}
	if err != nil {
		return err
	}
	return h.deleted(c, toast)
}

// deleted says how many documents a deletion has hidden, and offers to undo it.
func (h *Handler) deleted(c echo.Context, toast *layout.Toast) error {
	id := domain.DeletionID(c.QueryParam("deletion"))
	if id == "" {
		return nil
	}
	d, err := h.Ledger.Deletion(c.Request().Context(), request.Workspace(c), id)
	if err != nil || d.Documents == 0 {
		return err
	}
	left := d.At.Sub(h.Now())
	if left <= 0 {
		return nil
	}
	*toast = layout.Toast{
		Text:   lang.F(c.Request().Context(), "%s deleted, with everything only they contributed.", lang.Count(c.Request().Context(), d.Documents, "document was", "documents were")),
		Action: lang.T(c.Request().Context(), "Undo"), URL: link.With(link.Undelete, "deletion", string(id)), Passes: left,
	}
	if d.Documents == 1 {
		toast.Text = lang.T(c.Request().Context(), "The document was deleted, with everything only it contributed.")
	}
	return nil
}
