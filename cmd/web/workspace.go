package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// The flag and the setting that name the workspace of a command.
const (
	workspaceFlag    = "workspace"
	workspaceSetting = "WORKSPACE"
)

// within returns a context for work in the workspace that the settings name.
func (a *app) within(ctx context.Context) (context.Context, error) {
	w, err := a.workspaces.Choose(ctx, a.cfg.Workspace)
	return domain.WithWorkspace(ctx, w.ID), err
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

// named returns the workspace that the flag of a command names, if any: the setting is for commands in one workspace.
func named(cmd *cobra.Command) []string {
	if f := cmd.Flag(workspaceFlag); f != nil && f.Changed {
		return []string{f.Value.String()}
	}
	return nil
}

// sameWorkspace returns an error unless the server's token is for the workspace that the command names, if it names one.
func (r remote) sameWorkspace(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	var used auth.UsedToken
	r.checked = nil // this request is the check
	err := r.do(ctx, operation.ParseRoute("GET /me").Target(&struct{}{}), "application/json", func(body io.Reader) error { return json.NewDecoder(body).Decode(&used) })
	if err != nil || used.Workspace == name {
		return err
	}
	return domain.Errorf(domain.Forbidden, "The token is for the workspace %s, not for %s. Use a token of that workspace, or leave out --%s and the setting %s.", used.Workspace, name, workspaceFlag, workspaceSetting)
}
