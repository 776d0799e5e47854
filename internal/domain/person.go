package domain

import "context"

type personKey struct{}

// WithPerson returns a context for work that the named person asks for.
func WithPerson(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, personKey{}, name)
}

// PersonOf returns the name of the person who asks, or "" where nobody signs
// in.
func PersonOf(ctx context.Context) string {
	name, _ := ctx.Value(personKey{}).(string)
	return name
}
