package link

import (
	"context"
	"strings"
)

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
