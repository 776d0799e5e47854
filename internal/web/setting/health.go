package setting

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
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
	Runs   *report.Runs
	Write  func(ctx context.Context, w io.Writer, workspace string) error // writes a backup of one workspace, or of all if ""
	Now    domain.Clock
	Log    *slog.Logger

	writing atomic.Bool // a backup is being downloaded
}

// Show serves the health page. A store that does not answer is reported on it,
// not as an error.
func (h *Health) Show(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Health, lang.T(ctx, "Health"))
	if err != nil {
		return err
	}
	p := page.HealthProps{App: app, Now: h.Now(), Program: h.Vitals.Program, Disk: h.Vitals.Disk(ctx), Outgrown: h.outgrown(ctx), Stores: h.Vitals.Stores(ctx, w)}
	if h.Vitals.Models != nil {
		p.Models = h.Vitals.Models()
	}
	if h.Vitals.Monitoring != nil {
		p.Monitoring = h.Vitals.Monitoring()
	}
	if err := h.queue(ctx, w, &p); err != nil {
		return err
	}
	// After the queue, so that a check that ends in between shows its result.
	if p.Check, _, err = h.Upkeep.Last(ctx, w); err != nil {
		return err
	}
	if p.Workers, err = h.Vitals.Workers(ctx); err != nil {
		return err
	}
	if p.Speeds, err = h.Vitals.Speeds(ctx, w); err != nil {
		return err
	}
	p.Answers, err = h.Vitals.Answers(ctx, w)
	return respond.Show(c, err, http.StatusOK, page.HealthPage(p))
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
	return lang.F(ctx, "%s Until it is rebuilt, questions are answered from words and the graph only.", why)
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

func (h *Health) queue(ctx context.Context, w domain.WorkspaceID, p *page.HealthProps) (err error) {
	if p.Queue, err = h.Vitals.QueueState(ctx, w); err != nil {
		return err
	}
	if p.Late, err = h.queued(ctx, p.Queue.Late); err != nil {
		return err
	}
	if p.Dead, err = h.queued(ctx, p.Queue.Dead); err != nil {
		return err
	}
	return h.working(ctx, w, p.Queue.Open, p)
}

func (h *Health) queued(ctx context.Context, runs []job.Run) ([]page.QueuedItem, error) {
	about, err := h.Runs.Kinds.Subjects(ctx, runs...)
	if err != nil {
		return nil, err
	}
	items := make([]page.QueuedItem, len(runs))
	for i, r := range runs {
		items[i] = page.QueuedItem{Run: r, Kind: h.Runs.Kinds.Named(r.Kind).Title, Subject: about[i].Title}
	}
	return items, nil
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
	_, err := h.Upkeep.Start(c.Request().Context(), request.Workspace(c), kind, o)
	return respond.After(c, err, link.Health)
}

// Backup sends a backup of everything, or of the workspace of a name, while it is being written. It fails with kind Conflict
// during another download, because each may read the whole library.
func (h *Health) Backup(c echo.Context) error {
	if !h.writing.CompareAndSwap(false, true) {
		return domain.Errorf(domain.Conflict, "A backup is already being downloaded. Wait until it finishes, or cancel it.")
	}
	defer h.writing.Store(false)
	name := c.QueryParam("workspace")
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/zstd")
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+strings.Map(inFileName, backup.FileName(name, h.Now()))+`"`)
	err := h.Write(c.Request().Context(), c.Response(), name)
	switch {
	case err == nil:
		return nil
	case !c.Response().Committed:
		header.Del(echo.HeaderContentDisposition)
		return err
	}
	// The status has already been sent; only a dropped connection shows the client that the file is
	// incomplete.
	h.Log.ErrorContext(c.Request().Context(), "a backup broke off", "err", err)
	panic(http.ErrAbortHandler)
}

// inFileName drops what no name of a workspace contains.
func inFileName(r rune) rune {
	if r < ' ' || r > '~' || strings.ContainsRune(`"\/`, r) {
		return -1
	}
	return r
}
