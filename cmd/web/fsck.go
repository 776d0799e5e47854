package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/format"
)

// fsckCommand compares the stores with the ledger.
func fsckCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var given maintenance.Checking
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "Compare the stores with the ledger; exit 1 when something is wrong",
		Long: `Check the pages of the database file, and end there if one is damaged. Then
compare the graph and the search index with what the ledger says they should
hold, the ledger with itself, and the uploaded files with their checksums. With
--repair, repair what can be repaired: a store that differs is rebuilt from the
ledger. No model is called, and the server may keep running. The exit status is
1 when something is still wrong at the end. All workspaces are checked, or the one
that --workspace names.`,
		Example: `  clew fsck
  clew fsck --repair`,
		Args: cobra.NoArgs,
	}
	flagsOf(cmd, &given)
	return withJSON(cmd, s, jsonArray+" of workspaces", func(cmd *cobra.Command, _ []string, s env) (all []checked, err error) {
		err = s.maintain(cmd.Context(), load, named(cmd), func(ctx context.Context, a *app, w domain.Workspace) error {
			c, err := a.fsck(ctx, w, given.Repair)
			if !c.At.IsZero() {
				all = append(all, c)
			}
			return err
		})
		return all, err
	})
}

// checked is what a check found in a workspace.
type checked struct {
	Workspace string `json:"workspace"`
	maintenance.Result
	Graph *graphSize `json:"graph,omitempty"` // nil where something is wrong
}

// graphSize counts what is in the graph of a workspace.
type graphSize struct {
	Documents int `json:"documents"`
	Chunks    int `json:"chunks"`
	Entities  int `json:"entities"`
	Relations int `json:"relations"`
}

// maintain calls work for the workspaces of the names, or for all, with a worker for its runs.
func (s env) maintain(ctx context.Context, load func() (config.Config, error), only []string, work func(context.Context, *app, domain.Workspace) error) (err error) {
	cfg, err := load()
	if err != nil {
		return err
	}
	if err := soundLibrary(ctx, cfg); err != nil {
		return err
	}
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	worker := a.worker(a.kinds().Concurrency(maintenance.CheckKind, maintenance.RebuildKind))
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	return a.inEach(ctx, func(ctx context.Context, w domain.Workspace) error { return work(ctx, a, w) }, only...)
}

// soundLibrary returns an error if there is no library, or if its database is a file with damaged pages.
func soundLibrary(ctx context.Context, cfg config.Config) error {
	if cfg.Postgres.URL != "" {
		return nil
	}
	if _, err := os.Stat(cfg.Path("clew.db")); err != nil {
		return domain.Because(domain.NotFound, err, "There is no library in %s. Name another folder with DATA_DIR or --data.", cfg.Data)
	}
	return sqlite.CheckFile(ctx, cfg.Path("clew.db"))
}

// fsck checks one workspace and prints the findings.
func (a *app) fsck(ctx context.Context, w domain.Workspace, repair bool) (checked, error) {
	run, err := a.maintenance.Start(ctx, w.ID, maintenance.CheckKind, maintenance.Order{Repair: repair})
	a.noted(domain.WithWorkspace(ctx, w.ID), "fsck", err)
	if err != nil {
		return checked{}, err
	}
	if err := a.followRun(ctx, run, "Checking"); err != nil {
		return checked{}, err
	}
	result, _, err := a.maintenance.Last(ctx, w.ID)
	if err != nil {
		return checked{}, err
	}
	c := checked{Workspace: w.Name, Result: result}
	for _, g := range result.Mended {
		fmt.Fprintf(a.env.stdout, "Repaired: %s\n", g)
	}
	count := 0
	for _, g := range result.Found {
		fmt.Fprintln(a.env.stdout, g)
		count += g.Count
	}
	if result.Unsure != "" {
		fmt.Fprintln(a.env.stdout, result.Unsure)
	}
	if count > 0 {
		return c, domain.Errorf(domain.Conflict, "%s found in workspace %s.%s", format.Count(count, "difference", "differences"), w.Name, map[bool]string{false: " clew fsck --repair repairs what can be repaired."}[repair])
	}
	stats, err := a.graph.Stats(ctx, w.ID)
	if err != nil {
		return c, err
	}
	c.Graph = new(graphSize(stats))
	fmt.Fprintf(a.env.stdout, "Workspace %s is sound: %s, %s, %s, %s.\n", w.Name, format.Count(stats.Documents, "document", "documents"),
		format.Count(stats.Chunks, "chunk", "chunks"), format.Count(stats.Entities, "entity", "entities"), format.Count(stats.Relations, "relation", "relations"))
	return c, nil
}

// followRun shows the progress of a run until it has ended, here or in a server on the same stores.
func (a *app) followRun(ctx context.Context, run job.Run, doing string) error {
	view := trace.NewView(run.ID, a.kinds().Named(run.Kind).Topology)
	err := new(waits).during(ctx, a, run.ID, doing, func() error {
		for item, err := range a.hub.Watch(ctx, run.Workspace, run.ID, 0) {
			if err != nil {
				return err
			}
			for _, e := range item.Events {
				view.Apply(e)
			}
			a.progressLine(doing, view)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.env.terminal {
		fmt.Fprint(a.env.stdout, "\r\x1b[K")
	}
	if ctx.Err() != nil {
		return domain.Errorf(domain.Unavailable, "Stopped. It continues when the program next runs.")
	}
	ended, err := a.queue.Get(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	if ended.Status != job.Done {
		return domain.Errorf(domain.Unavailable, "It ended as %s. %s", ended.Status, ended.Problem)
	}
	return nil
}

// checkPrefix begins the names of the folders with the stores that a check compares with.
const checkPrefix = "clew-check-"

// checkFolder returns the parent of those folders: the data folder, or the system's temporary folder if there is none.
func (a *app) checkFolder() string {
	if a.cfg.Stores() == config.Fleet {
		return os.TempDir()
	}
	return a.cfg.Data
}

// staleAfter is the age at which such a folder belongs to a killed process.
const staleAfter = 24 * time.Hour

// removeStaleChecks removes the folders of killed checks.
func (a *app) removeStaleChecks() error {
	left, err := filepath.Glob(filepath.Join(a.checkFolder(), checkPrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && a.env.now().Sub(info.ModTime()) > staleAfter {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
