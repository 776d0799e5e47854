package setting

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Upkeep starts checks and rebuilds of the stores and returns the last result.
type Upkeep interface {
	Start(ctx context.Context, w domain.WorkspaceID, kind string, o maintenance.Order) (job.Run, error)
	Last(ctx context.Context, w domain.WorkspaceID) (maintenance.Result, bool, error)
}

// Health serves the health page. All fields are required.
type Health struct {
	Frame  frame.Frame
	Vitals *maintenance.Monitor
	Upkeep Upkeep
	Runs   *present.Runs
	Write  func(ctx context.Context, w io.Writer) error // writes a backup
	Now    domain.Clock
	Log    *slog.Logger

	writing atomic.Bool // a backup is being downloaded
}

// Show serves the health page. A store that does not answer is reported on it,
// not as an error.
func (h *Health) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Health, "Health")
	if err != nil {
		return err
	}
	p := page.HealthProps{App: app, Now: h.Now(), Disk: diskLines(h.Vitals.Disk(ctx)), Outgrown: h.outgrown(ctx)}
	for _, s := range h.Vitals.Stores(ctx, w) {
		p.Stores = append(p.Stores, page.StoreLine(s))
	}
	if h.Vitals.Models != nil {
		for _, l := range h.Vitals.Models() {
			p.Models = append(p.Models, page.ModelLoad{
				Server: l.Server, Most: l.Most, Bound: l.Bound, InFlight: l.InFlight, Waiting: l.Waiting, Rate: format.Rate(l.Rate.Calls, l.Rate.Tokens), Until: l.Until,
			})
		}
	}
	// The queue comes before the last check: one that ends in between shows its result.
	for _, fill := range []func(context.Context, domain.WorkspaceID, *page.HealthProps) error{h.queue, h.check, h.workers, h.speeds} {
		if err := fill(ctx, w, &p); err != nil {
			return err
		}
	}
	return respond.HTML(c, http.StatusOK, page.HealthPage(p))
}

// outgrown returns a message if the search index has vectors other than the embedding
// model makes.
// It returns "" if the index does not answer, which the list of stores reports.
func (h *Health) outgrown(ctx context.Context) string {
	if h.Vitals.Outgrown == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, h.Vitals.StoreTimeout)
	defer cancel()
	why, err := h.Vitals.Outgrown(ctx)
	if err != nil || why == "" {
		return ""
	}
	return why + " Until it is rebuilt, questions are answered from words and the graph only."
}

func (h *Health) check(ctx context.Context, w domain.WorkspaceID, p *page.HealthProps) error {
	last, checked, err := h.Upkeep.Last(ctx, w)
	if err != nil || !checked {
		return err
	}
	p.Check = page.CheckLines{At: last.At, Unsure: last.Unsure}
	for _, g := range last.Found {
		p.Check.Found = append(p.Check.Found, g.String())
	}
	for _, g := range last.Mended {
		p.Check.Repaired = append(p.Check.Repaired, g.String())
	}
	return nil
}

// working draws the check or rebuild that waits or runs, if any.
func (h *Health) working(ctx context.Context, w domain.WorkspaceID, open []job.Run, p *page.HealthProps) error {
	for _, r := range open {
		if r.Kind != maintenance.CheckKind && r.Kind != maintenance.RebuildKind {
			continue
		}
		drawn, err := h.Runs.Trace(ctx, w, r.Kind, r.ID)
		p.Working, p.Rebuilds = &drawn, r.Kind == maintenance.RebuildKind
		return err
	}
	return nil
}

func (h *Health) queue(ctx context.Context, w domain.WorkspaceID, p *page.HealthProps) error {
	q, err := h.Vitals.QueueState(ctx, w)
	p.Queue = page.QueueLines{Waiting: q.Waiting, Running: q.Running, Failed: q.Failed, Asleep: q.Asleep, Oldest: q.Oldest}
	if err == nil {
		p.Queue.Late, err = h.queued(ctx, q.Late)
	}
	if err == nil {
		p.Queue.Dead, err = h.queued(ctx, q.Dead)
	}
	if err == nil {
		err = h.working(ctx, w, q.Open, p)
	}
	return err
}

func (h *Health) queued(ctx context.Context, runs []job.Run) ([]page.QueuedItem, error) {
	about, err := h.Runs.Kinds.Subjects(ctx, runs...)
	if err != nil {
		return nil, err
	}
	items := make([]page.QueuedItem, len(runs))
	for i, r := range runs {
		items[i] = page.QueuedItem{ID: r.ID, Kind: h.Runs.Kinds.Named(r.Kind).Title, Subject: about[i].Title, Problem: r.Problem, Attempt: r.Attempt}
		if !r.Status.Ended() {
			items[i].NextTry = r.NextTry
		}
	}
	return items, nil
}

func (h *Health) workers(ctx context.Context, _ domain.WorkspaceID, p *page.HealthProps) error {
	workers, err := h.Vitals.Workers(ctx)
	for _, w := range workers {
		p.Workers = append(p.Workers, page.WorkerLine(w))
	}
	return err
}

func (h *Health) speeds(ctx context.Context, w domain.WorkspaceID, p *page.HealthProps) error {
	speeds, err := h.Vitals.Speeds(ctx, w)
	if err != nil {
		return err
	}
	for _, s := range speeds {
		p.Speeds = append(p.Speeds, page.SpeedLine(s))
	}
	answers, err := h.Vitals.Answers(ctx, w)
	p.Answers = page.AnswerLine(answers)
	return err
}

func diskLines(d maintenance.Disk) page.DiskLines {
	lines := page.DiskLines{Folder: d.Folder, Free: d.Free, Known: d.Known, Low: d.Low()}
	for _, u := range d.Uses {
		lines.Uses = append(lines.Uses, page.UseLine(u))
	}
	return lines
}

// Check starts a comparison of the stores with the ledger, which also repairs
// them if the form field repair is set.
func (h *Health) Check(c echo.Context) error {
	return h.start(c, maintenance.CheckKind, maintenance.Order{Repair: c.FormValue("repair") != ""})
}

// Rebuild starts a rebuild of the stores from the ledger, which takes over those of
// another library if the form field take_over is set.
func (h *Health) Rebuild(c echo.Context) error {
	return h.start(c, maintenance.RebuildKind, maintenance.Order{Stores: projection.Stores{Graph: true, Vectors: true}, Taking: c.FormValue("take_over") != ""})
}

func (h *Health) start(c echo.Context, kind string, o maintenance.Order) error {
	if _, err := h.Upkeep.Start(c.Request().Context(), request.Workspace(c), kind, o); err != nil {
		return err
	}
	return respond.SeeOther(c, link.Health)
}

// Backup sends a backup while it is being written. It fails with kind Conflict
// during another download, because each reads the whole library.
func (h *Health) Backup(c echo.Context) error {
	if !h.writing.CompareAndSwap(false, true) {
		return domain.Errorf(domain.Conflict, "A backup is already being downloaded. Wait until it finishes, or cancel it.")
	}
	defer h.writing.Store(false)
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/zstd")
	header.Set(echo.HeaderContentDisposition, `attachment; filename="clew-`+h.Now().Format("2006-01-02-1504")+`.tar.zst"`)
	err := h.Write(c.Request().Context(), c.Response())
	switch {
	case err == nil:
		return nil
	case !c.Response().Committed:
		header.Del(echo.HeaderContentDisposition)
		return err
	}
	// The status is already sent; only a dropped connection tells the client
	// that the file is incomplete.
	h.Log.ErrorContext(c.Request().Context(), "a backup broke off", "err", err)
	panic(http.ErrAbortHandler)
}
