package api

import (
	"regexp"

	"github.com/clewhq/clew/internal/operation"
)

// parameter matches a name in a path.
var parameter = regexp.MustCompile(`\{[^}]*\}`)

// at returns the path at which a route is described, and the names of its parameters there by those of the operation's
// fields. OpenAPI forbids paths that differ only in such names, so the first one that is described gives them.
func (b book) at(r operation.Route) (path string, names map[string]string) {
	path, names = r.Path, map[string]string{}
	shape := parameter.ReplaceAllString(r.Path, "{}")
	for known := range b.Paths {
		if parameter.ReplaceAllString(known, "{}") == shape {
			path = known
		}
	}
	for i, name := range operation.ParseRoute(r.Method + " " + path).Names {
		names[r.Names[i]] = name
	}
	return path, names
}
