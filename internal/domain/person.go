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

// WorkspaceOf returns the workspace of ctx, by default the only one of an installation.
func WorkspaceOf(ctx context.Context) WorkspaceID {
	if w, ok := ctx.Value(workspaceKey{}).(WorkspaceID); ok {
		return w
	}
	return DefaultWorkspace
}
