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
