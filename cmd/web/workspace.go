package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// The flag and the setting that name the workspace of a command.
const (
	workspaceFlag    = "workspace"
	workspaceSetting = "WORKSPACE"
)

// chosen returns the workspace that the settings name, and a context for work in it.
func (a *app) chosen(ctx context.Context) (context.Context, domain.Workspace, error) {
	w, err := a.workspaces.Choose(ctx, a.cfg.Workspace)
	return link.WithMount(link.WithBase(domain.WithWorkspace(ctx, w.ID), w.Name), a.cfg.BasePath), w, err
}

// within returns a context for work in the workspace that the settings name.
func (a *app) within(ctx context.Context) (context.Context, error) {
	ctx, _, err := a.chosen(ctx)
	return ctx, err
}

// toChange is within for a command that changes the workspace, asks or spends: it refuses an archived one.
func (a *app) toChange(ctx context.Context) (context.Context, error) {
	ctx, w, err := a.chosen(ctx)
	return ctx, cmp.Or(err, w.Refuse())
}

// inEach calls work for all workspaces, also for those that are being deleted, unless some are named. An error in one does
// not keep it from the others.
func (a *app) inEach(ctx context.Context, work func(ctx context.Context, w domain.Workspace) error, only ...string) error {
	all, err := a.ledger.Workspaces(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range only {
		if _, err := a.workspaces.Choose(ctx, name); err != nil {
			return err
		}
	}
	for _, w := range all {
		if ctx.Err() == nil && (len(only) == 0 || slices.Contains(only, w.Name)) {
			errs = append(errs, work(domain.WithWorkspace(ctx, w.ID), w))
		}
	}
	return errors.Join(errs...)
}

// onDisk is where the program keeps its ledger and its files.
type onDisk struct{ *app }

// Erased implements purge.Disk.
func (d onDisk) Erased(ctx context.Context, tx *sql.Tx) error { return d.db.erased(ctx, tx) }

// Explain implements purge.Disk.
func (d onDisk) Explain(err error) error { return d.db.explain(err) }

// Forget implements purge.Disk. It removes what is remembered of folders that were followed for the workspace, too.
func (d onDisk) Forget(ctx context.Context, w domain.WorkspaceID) error {
	if w == domain.DefaultWorkspace {
		return errors.New("the first workspace stays")
	}
	return errors.Join(d.files.Clear(ctx, w), os.RemoveAll(d.watched(w)))
}

// purgeInterval is how long a workspace may stay after its deletion can't be undone any more.
const purgeInterval = time.Minute

// purgeLoop removes deleted workspaces for good until ctx ends.
func (r *running) purgeLoop(ctx context.Context) {
	tick := time.NewTicker(purgeInterval)
	defer tick.Stop()
	for {
		a := r.used.Load()
		if err := a.purge().CarryOut(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "deleted workspaces are removed later", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// named returns the workspace that the flag of a command names, if any: the setting is for commands in one workspace.
func named(cmd *cobra.Command) []string {
	if f := cmd.Flag(workspaceFlag); f != nil && f.Changed {
		return []string{f.Value.String()}
	}
	return nil
}

// wanted is the workspace that a command names, to be compared with that of the server's token.
type wanted struct {
	name  string
	once  sync.Once
	wrong error
}

// inWorkspace returns an error unless the server's token is for the workspace that the command names, if it names one.
func (r remote) inWorkspace(ctx context.Context) error {
	if r.workspace == nil || r.workspace.name == "" {
		return nil
	}
	r.workspace.once.Do(func() { r.workspace.wrong = r.compared(ctx, r.workspace.name) })
	return r.workspace.wrong
}

func (r remote) compared(ctx context.Context, name string) error {
	var used auth.UsedToken
	r.workspace = nil // this request does the comparison
	err := r.do(ctx, operation.ParseRoute("GET /me").Target(&struct{}{}), "application/json", func(body io.Reader) error { return json.NewDecoder(body).Decode(&used) })
	if err != nil || used.Workspace == name {
		return err
	}
	return domain.Errorf(domain.Forbidden, "The token is for the workspace %s, not for %s. Use a token of that workspace, or leave out --%s and the setting %s.", used.Workspace, name, workspaceFlag, workspaceSetting)
}
