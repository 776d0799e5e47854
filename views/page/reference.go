package page

import (
	"strings"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/layout"
)

// ReferenceProps describe the routes of the API.
type ReferenceProps struct {
	App    layout.Props
	Origin string // the program's address for the reader
	Groups []RouteGroup
}

// RouteGroup is the routes under the first part of their paths.
type RouteGroup struct {
	Name   string
	Routes []RouteLine
}

func (p ReferenceProps) routes() (n int) {
	return lists.Sum(p.Groups, func(g RouteGroup) int { return len(g.Routes) })
}

// RouteLine is a route as the reference describes it.
type RouteLine struct {
	Method, Path string
	Does         string // in a sentence
	Command      string // with the same effect
	Scope        operation.Scope
	Fields       []RouteField
	Answer       string // of the example, in a few words
	Curl         string // the rest of a line for curl, after the address and the token
	Status       string // of the example's answer
	Example      string // its answer, as JSON
	Errors       []RouteError
}

// RouteError is a status with which a route refuses.
type RouteError struct{ Status, When string }

// RouteField is a field of a request.
type RouteField struct {
	Name, In, Type, Default, Doc string
	Needed                       bool
}

// ID names the route within the page.
func (r RouteLine) ID() string {
	return strings.NewReplacer("/", "-", "{", "", "}", "").Replace(strings.ToLower(r.Method) + r.Path)
}
