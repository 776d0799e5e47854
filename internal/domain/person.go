package domain

import "context"

type personKey struct{}

// WithPerson returns a context for work requested by the named person.
func WithPerson(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, personKey{}, name)
}

// PersonOf returns the name of the requesting person, or "" if nobody signs in.
func PersonOf(ctx context.Context) string {
	name, _ := ctx.Value(personKey{}).(string)
	return name
}

// A Viewer is somebody who sees only what is theirs, what belongs to everybody in the workspace, and what is shared.
type Viewer struct {
	Account string // "" for a program that belongs to no account
	Admin   bool   // may see the work of the program itself
	Access  string // the session or token that let them in, see AccessOf
}

// AccessLength is the length of the prefix of a session's or token's id that identifies it.
const AccessLength = 16

// AccessOf identifies the session or token with an id.
func AccessOf(id string) string { return id[:min(len(id), AccessLength)] }

type viewerKey struct{}

// WithViewer returns a context for the requests of a viewer.
func WithViewer(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

// ViewerOf returns the viewer of ctx. There is none without accounts, in the work of runs, and for whoever runs commands
// on the machine: these see everything.
func ViewerOf(ctx context.Context) (v Viewer, limited bool) {
	v, limited = ctx.Value(viewerKey{}).(Viewer)
	return v, limited
}

type workspaceKey struct{}

// WithWorkspace returns a context for work on a workspace.
func WithWorkspace(ctx context.Context, w WorkspaceID) context.Context {
	return context.WithValue(ctx, workspaceKey{}, w)
}

// WorkspaceOf returns the workspace of ctx, or "" if it has none, in which nothing is found.
func WorkspaceOf(ctx context.Context) WorkspaceID {
	w, _ := ctx.Value(workspaceKey{}).(WorkspaceID)
	return w
}
