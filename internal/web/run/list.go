package run

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// List serves the runs, newest first, narrowed by the parameters of the address.
func (h *Handler) List(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Runs, lang.T(ctx, "Runs"))
	if err != nil {
		return err
	}
	p := page.RunsProps{App: app, Filter: filter(c), Kinds: h.choices(ctx)}
	query, err := h.query(ctx, w, p.Filter)
	if err != nil {
		return err
	}
	runs, err := h.Runs.Queue.List(ctx, w, query)
	if err != nil {
		return err
	}
	runs = neighbours(&p, runs)
	if p.Items, err = h.items(ctx, runs); err != nil {
		return err
	}
	if p.Total, err = h.total(ctx, w, p.Filter); err != nil {
		return err
	}
	if p.Persons, err = h.Runs.Queue.Persons(ctx, w); err != nil {
		return err
	}
	p.Nodes, err = h.Runs.Queue.FailedNodes(ctx, w)
	return respond.Show(c, err, http.StatusOK, page.RunsPage(p))
}

func filter(c echo.Context) page.RunFilter {
	q := c.QueryParam
	return page.RunFilter{
		Kind: q("kind"), State: q("state"), Person: q("person"), Node: q("node"), From: q("from"), To: q("to"), Words: q("q"),
		Slow: q("slow"), Costly: q("costly"), Cap: q("cap"), Resumed: q("resumed"), After: q("after"), Before: q("before"),
	}
}

// query returns the query for a page of the list, with one run more that shows whether another page follows.
func (h *Handler) query(ctx context.Context, w domain.WorkspaceID, f page.RunFilter) (job.Query, error) {
	query, err := run.Desk{Queue: h.Runs.Queue, Kinds: h.Runs.Kinds}.Query(ctx, run.Wanted{
		Words: f.Words, Kind: f.Kind, State: f.State, Person: f.Person, From: f.From, To: f.To, FailedAt: f.Node, Limit: request.PageSize + 1,
		Slow: f.Slow != "", Costly: f.Costly != "", Capped: f.Cap != "", Resumed: f.Resumed != "",
	})
	query.After, query.Before = job.ParsePlace(f.After), job.ParsePlace(f.Before)
	return query, err
}

// neighbours records where the pages before and after are, and returns the runs of this one.
func neighbours(p *page.RunsProps, runs []job.Run) []job.Run {
	back, more := p.Filter.Before != "", len(runs) > request.PageSize
	if more && back {
		runs = runs[1:]
	} else if more {
		runs = runs[:request.PageSize]
	}
	if len(runs) == 0 {
		return nil
	}
	newer, older := p.Filter, p.Filter
	newer.After, newer.Before = "", runs[0].Place().String()
	older.After, older.Before = runs[len(runs)-1].Place().String(), ""
	if back && more || p.Filter.After != "" {
		p.Newer = newer.URL()
	}
	if back || more {
		p.Older = older.URL()
	}
	return runs
}

// titled are subjects of runs whose titles the program makes.
var titled = []string{"summary", "study", "workspace"}

func (h *Handler) items(ctx context.Context, runs []job.Run) ([]page.RunItem, error) {
	about, err := h.Runs.Kinds.Subjects(ctx, runs...)
	if err != nil {
		return nil, err
	}
	spent, err := h.Runs.Spent(ctx, runs...)
	if err != nil {
		return nil, err
	}
	items := make([]page.RunItem, len(runs))
	for i, r := range runs {
		kind, subject := h.Runs.Kinds.Named(r.Kind), about[i].Title
		if slices.Contains(titled, kind.About) {
			subject = lang.Sentence(ctx, subject)
		}
		items[i] = page.RunItem{
			ID: r.ID, Kind: kind.Title, Subject: subject, Status: string(r.Status), Problem: r.Problem, Asks: r.Status.Asleep(),
			Person: r.Person, Began: first(r.StartedAt, r.CreatedAt), Took: took(r, h.Runs.Now()),
			Tokens: r.Tokens, Cost: spent[r.ID], Capped: r.Capped, Resumed: r.Resumed, FailedAt: r.FailedAt,
		}
		if r.Status.Asleep() { // its subject's page has the question
			items[i].URL = about[i].Path
		}
	}
	return items, nil
}

// total returns how many runs there are of the kind, or -1 if the list is narrowed further.
func (h *Handler) total(ctx context.Context, w domain.WorkspaceID, f page.RunFilter) (int, error) {
	if f.Narrowed() {
		return -1, nil
	}
	return h.Runs.Queue.Count(ctx, w, job.Query{Kind: f.Kind, Except: h.Runs.Kinds.Apart(f.Kind), Asked: run.OnlyAsked(ctx)})
}

// choices returns the kinds of runs the list can be narrowed to.
func (h *Handler) choices(ctx context.Context) []page.RunKind {
	choices := []page.RunKind{{Title: lang.T(ctx, "All")}}
	for _, k := range h.Runs.Kinds {
		if k.Plural != "" {
			choices = append(choices, page.RunKind{Title: lang.T(ctx, k.Plural), Name: k.Name})
		}
	}
	return choices
}
