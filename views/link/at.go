package link

import (
	"context"
	"net/http"
	"slices"
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

type mountKey struct{}

// WithMount returns a context for pages of a site whose addresses begin with a path, such as /clew, or with "" of one that has its
// host to itself.
func WithMount(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, mountKey{}, path)
}

// Mount returns the path that the addresses of a page's site begin with, or "".
func Mount(ctx context.Context) string {
	path, _ := ctx.Value(mountKey{}).(string)
	return path
}

// Mounted returns an address of this program as browsers and programs reach it: with the path that the site's addresses begin
// with. Addresses that have it, and those elsewhere and within the page, are returned as they are.
func Mounted(ctx context.Context, address string) string {
	path := Mount(ctx)
	if path == "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || Below(path, address) {
		return address
	}
	return path + address
}

// Below reports whether an address is path or below it. Nothing is below "".
func Below(path, address string) bool {
	rest, ok := strings.CutPrefix(address, path)
	return ok && path != "" && (rest == "" || strings.ContainsRune("/?#", rune(rest[0])))
}

type mayKey struct{}

// WithMay returns a context for a page that is shown to somebody who may send a request of a method to an address, which
// is one of this package, if may returns true.
func WithMay(ctx context.Context, may func(method, address string) bool) context.Context {
	return context.WithValue(ctx, mayKey{}, may)
}

// May reports whether a page may link an address: whoever reads it is not refused there.
func May(ctx context.Context, address string) bool { return may(ctx, http.MethodGet, address) }

// MayPost reports whether a page may show a form that is sent to an address: whoever reads it is not refused there.
func MayPost(ctx context.Context, address string) bool { return may(ctx, http.MethodPost, address) }

// Keeps reports whether a form that is sent to an address, without its workspace, leaves the workspace as it is: it is about
// workspaces themselves, or about the person.
func Keeps(address string) bool {
	return slices.ContainsFunc([]string{Workspaces, Account, Logout, Names}, func(of string) bool { return address == of || strings.HasPrefix(address, of+"/") })
}

func may(ctx context.Context, method, address string) bool {
	check, limited := ctx.Value(mayKey{}).(func(method, address string) bool)
	return !limited || check(method, address)
}
