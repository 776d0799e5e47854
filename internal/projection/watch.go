package projection

import "context"

// watching is the key of a watcher in a context.
type watching struct{}

// Watched is ctx for a call of Apply that tells tell, now and then, how much of
// an index it has brought to where the graph is. The cursor of the index, which
// Behind shows, moves only once that is done.
func Watched(ctx context.Context, tell func(done, total int)) context.Context {
	return context.WithValue(ctx, watching{}, tell)
}

// watcher is whom to tell.
func watcher(ctx context.Context) func(done, total int) {
	if tell, ok := ctx.Value(watching{}).(func(done, total int)); ok {
		return tell
	}
	return func(int, int) {}
}
