package link

import (
	"context"
	"strings"
)

// InWorkspace is the beginning of the addresses in a workspace, followed by its name.
const InWorkspace = "/w/"

type baseKey struct{}

// WithBase returns a context for pages of the workspace of a name, or with "" outside of any.
func WithBase(ctx context.Context, workspace string) context.Context {
	return context.WithValue(ctx, baseKey{}, workspace)
}

// Workspace returns the name of the workspace of a page, or "" outside of any.
func Workspace(ctx context.Context) string {
	name, _ := ctx.Value(baseKey{}).(string)
	return name
}

// Under returns the address of a page in the workspace of a name, or address if that is "".
func Under(workspace, address string) string {
	if workspace == "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.HasPrefix(address, InWorkspace) || outside(address) {
		return address
	}
	return InWorkspace + workspace + address
}

// At returns an address in the workspace of a page. Addresses elsewhere, within the page and outside of workspaces are
// returned as they are. See [Mounted].
func At(ctx context.Context, address string) string { return In(ctx, Workspace(ctx), address) }

// In is At for another workspace than that of the page.
func In(ctx context.Context, workspace, address string) string {
	if Below(Mount(ctx), address) {
		return address
	}
	return Mounted(ctx, Under(workspace, address))
}

// outside reports whether a page belongs to no workspace.
func outside(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	switch path {
	case Login, Code, Logout, Setup, Alone, SignOn:
		return true
	}
	return strings.HasPrefix(path, Join("")) || strings.HasPrefix(path, Reset("")) || strings.HasPrefix(path, SignOn+"/")
}

// Out returns an address without the workspace that it is in, and without the path that the site's addresses begin with.
func Out(ctx context.Context, address string) string {
	if path := Mount(ctx); Below(path, address) {
		address = strings.TrimPrefix(address, path)
	}
	rest, ok := strings.CutPrefix(address, InWorkspace)
	if !ok {
		return address
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 && rest[i] == '/' {
		return rest[i:]
	}
	return Home
}
