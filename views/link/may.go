package link

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

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
