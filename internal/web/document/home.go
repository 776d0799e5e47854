package document

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Home serves the start page, and what the palette of every page finds. All fields are required.
type Home struct {
	Frame   frame.Frame
	Ledger  *ledger.Ledger
	Graph   graphstore.Reader
	Ask     *questions.Service
	Runs    *report.Runs
	Sample  *present.Sample
	Suggest *suggest.Service
	Upload  partial.UploadProps
	Now     domain.Clock

	List *Handler
}

const (
	mostRecent  = 5   // conversations
	mostReading = 4   // documents being read
	mostLook    = 3   // documents that need a look
	perRound    = 4   // questions to try
	mostRounds  = 5   // of questions to try
	mostAsked   = 400 // latest questions, which are not suggested again
)

// Show serves the start page: of an empty library the ways to begin, else the question first.
func (h *Home) Show(c echo.Context) error {
	app, counts, err := h.Frame.Counted(c, layout.Home, "")
	if err != nil {
		return err
	}
	if counts.Documents.All() == 0 {
		return respond.HTML(c, http.StatusOK, page.HomePage(page.HomeProps{App: app, Upload: h.Upload, SampleDocuments: len(h.Sample.Files), Questions: h.Sample.Questions(c.Request().Context())}))
	}
	p := page.DeskProps{App: app, Upload: h.Upload, Relations: counts.Graph.Relations, Reading: counts.Documents.Unread(), Now: h.Now(), MaxQuestion: questions.MaxQuestion}
	part := ""
	if respond.Fragment(c) {
		part = c.QueryParam("part")
	}
	if part != "try" {
		if err := h.work(c, counts, &p); err != nil {
			return err
		}
	}
	if part == "reading" && p.Reading > 0 {
		return respond.HTML(c, http.StatusOK, page.DeskWork(p))
	}
	if err := h.try(c, &p); err != nil {
		return err
	}
	switch part {
	case "try":
		return respond.HTML(c, http.StatusOK, page.DeskTry(p))
	case "reading":
		return respond.HTML(c, http.StatusOK, page.DeskRead(p))
	}
	if err := h.recent(c, &p); err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.DeskPage(p))
}

// try adds questions that were not asked yet and have an answer: those of the sample library while there is
// nothing else, then those drawn from the documents. The parameter others turns to further ones.
func (h *Home) try(c echo.Context, p *page.DeskProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	if p.Reading >= p.App.Documents {
		return nil
	}
	round, _ := strconv.Atoi(c.QueryParam("others")) // if missing, the first
	round = min(max(round, 0), mostRounds)
	all, err := h.sample(ctx, w, p.App.Documents)
	if err != nil {
		return err
	}
	if most := perRound*(round+1) + 1; len(all) < most {
		all = append(all, present.Suggested(ctx, h.Suggest, w, most-len(all))...)
	}
	at := perRound * round
	if at >= len(all) {
		at, round = 0, 0
	}
	p.Questions = all[at:min(at+perRound, len(all))]
	if len(all) > at+perRound && round < mostRounds {
		p.Others = round + 1
	}
	p.Turned = round > 0
	return nil
}

// sample returns the questions of the sample library that have an answer and were not asked yet, none for a
// library that holds other documents too.
func (h *Home) sample(ctx context.Context, w domain.WorkspaceID, documents int) ([]partial.TryProps, error) {
	if documents != len(h.Sample.Files) {
		return nil, nil
	}
	if loaded, err := h.Sample.Loaded(ctx, w); err != nil || !loaded {
		return nil, err
	}
	asked, err := h.Ledger.AskedQuestions(ctx, w, mostAsked)
	if err != nil {
		return nil, err
	}
	var list []partial.TryProps
	for i, q := range h.Sample.Questions(ctx) {
		if !h.Sample.Try[i].Unanswerable && !slices.Contains(asked, q.Text) {
			list = append(list, q)
		}
	}
	return list, nil
}

// work adds what is being read, and what needs a look.
func (h *Home) work(c echo.Context, counts frame.Counts, p *page.DeskProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	if p.Reading > 0 {
		docs, err := h.Ledger.ListDocuments(ctx, w, ledger.DocumentQuery{Status: domain.StateReading.Statuses(), Sort: domain.SortAdded, Limit: mostReading})
		if err != nil {
			return err
		}
		slices.SortStableFunc(docs, func(a, b domain.Document) int { return begun(a) - begun(b) })
		if p.Rows, err = h.List.Lines(ctx, w, docs); err != nil {
			return err
		}
	}
	if p.Pairs = counts.Documents.Pairs; p.Pairs > 0 {
		first, _, err := h.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Limit: 1})
		if err != nil {
			return err
		}
		for _, pair := range first {
			p.Alike = h.names(ctx, w, pair.A, pair.B)
		}
	}
	p.Gone = counts.Documents.Gone
	for _, s := range domain.StateLook.Statuses() {
		p.ToCheck += counts.Documents.ByStatus[s]
	}
	if p.ToCheck == 0 {
		return nil
	}
	docs, err := h.Ledger.ListDocuments(ctx, w, ledger.DocumentQuery{Status: domain.StateLook.Statuses(), Limit: mostLook})
	if err != nil {
		return err
	}
	p.Look, err = h.List.Lines(ctx, w, docs)
	return err
}

// begun orders documents: those being read before those that wait.
func begun(d domain.Document) int {
	if d.Status == domain.DocumentWorking {
		return 0
	}
	return 1
}

// names returns the names of two entities, none while the graph can't tell.
func (h *Home) names(ctx context.Context, w domain.WorkspaceID, a, b domain.EntityID) []string {
	one, err := h.Frame.Graph.Entity(ctx, w, a)
	if err != nil {
		return nil
	}
	other, err := h.Frame.Graph.Entity(ctx, w, b)
	if err != nil {
		return nil
	}
	return []string{one.Name, other.Name}
}
