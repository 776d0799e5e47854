package link

import (
	"context"
	"strings"
)

// InWorkspace begins the addresses of what belongs to a workspace, whose name follows.
const InWorkspace = "/w/"

type baseKey struct{}

// WithBase returns a context for a page of a workspace.
func WithBase(ctx context.Context, workspace string) context.Context {
	return context.WithValue(ctx, baseKey{}, InWorkspace+workspace)
}

// Base returns what stands before the addresses of a workspace's pages, or "" outside of one.
func Base(ctx context.Context) string {
	base, _ := ctx.Value(baseKey{}).(string)
	return base
}

// At returns an address in the workspace of a page. Addresses elsewhere, within the page and outside of workspaces are
// returned as they are.
func At(ctx context.Context, address string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.HasPrefix(address, InWorkspace) || address == Login || strings.HasPrefix(address, Login+"?") || address == SignOn || strings.HasPrefix(address, SignOn+"?") || strings.HasPrefix(address, SignOn+"/") {
		return address
	}
	return Base(ctx) + address
}

// Out returns an address without the workspace that it is in.
func Out(address string) string {
	rest, ok := strings.CutPrefix(address, InWorkspace)
	if !ok {
		return address
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 && rest[i] == '/' {
		return rest[i:]
	}
	return Home
}
