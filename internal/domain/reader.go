package domain

import (
	"context"
	"time"
)

// Operator is the person of commands: whoever runs them on the machine may see and do all.
const Operator = "command line"

// Anyone is a reader whom no document names: what Anyone may read, every member may.
const Anyone = "*"

type readerKey struct{}

// WithReader returns a context in which documents are read for the named person, whoever asked for the work; for "" all
// documents are read.
func WithReader(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, readerKey{}, name)
}

// ReaderOf returns the name of the person for whom documents are read, or "" if all of them are: for the work of the program
// itself, for an operator, and if nobody signs in. It is the requesting person by default.
func ReaderOf(ctx context.Context) string {
	name, ok := ctx.Value(readerKey{}).(string)
	if !ok {
		name = PersonOf(ctx)
	}
	if name == Operator {
		return ""
	}
	return name
}

type rightsKey struct{}

// WithRightsAt returns a context in which documents are read with the rights that their reader has had since a time:
// what may be read only since later is excluded.
func WithRightsAt(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, rightsKey{}, at)
}

// RightsAt returns the time of WithRightsAt, or the zero time if documents are read with the rights of the moment.
func RightsAt(ctx context.Context) time.Time {
	at, _ := ctx.Value(rightsKey{}).(time.Time)
	return at
}
