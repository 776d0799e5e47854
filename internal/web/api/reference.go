package api

import (
	"cmp"
	_ "embed" // examples
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/operation"
	pages "github.com/clewhq/clew/views/page"
)

// Reference returns the routes by group, in the order of their paths.
func (a *API) Reference() []pages.RouteGroup {
	ran := Examples()
	groups := map[string][]pages.RouteLine{}
	for _, r := range a.routes {
		groups[tag(r.Route)] = append(groups[tag(r.Route)], r.described(ran))
	}
	for _, s := range a.streams {
		groups[tag(s.Route)] = append(groups[tag(s.Route)], s.line())
	}
	all := make([]pages.RouteGroup, 0, len(groups))
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		slices.SortFunc(groups[name], func(x, y pages.RouteLine) int {
			return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Method, y.Method))
		})
		all = append(all, pages.RouteGroup{Name: name, Routes: groups[name]})
	}
	return all
}

func (r route) described(ran []Example) pages.RouteLine {
	d := pages.RouteLine{Method: r.Method, Path: r.Path, Does: r.row.Short, Command: "clew " + r.row.Name, Scope: r.row.Scope, Answer: "an object"}
	switch {
	case r.row.Out == reflect.TypeFor[operation.Nothing]():
		d.Answer = "nothing (204)"
	case r.row.Out == reflect.TypeFor[operation.Made]():
		d.Answer = "a file"
	case r.row.Lists():
		d.Answer = "a list: items, next"
	}
	path, body, query := r.Path, map[string]any{}, []string{}
	file := ""
	for _, f := range r.fields {
		one := pages.RouteField{Name: f.Name, In: "query", Type: kindOf(f), Default: f.Default, Doc: plain(f.Doc), Needed: f.Needed}
		switch {
		case slices.Contains(r.Names, f.Name):
			one.In, one.Needed = "path", true
			path = strings.ReplaceAll(path, "{"+f.Name+"}", strings.ToUpper(f.Name))
		case isFile(f):
			one.In, file = "form", " -F "+f.Name+"=@FILE"
		case r.HasBody():
			one.In = "body"
			if f.Needed {
				body[f.Name] = sample(f)
			}
		case f.Needed:
			query = append(query, f.Name+"="+strings.ToUpper(f.Name))
		}
		d.Fields = append(d.Fields, one)
	}
	d.Errors = r.errors()
	if i := slices.IndexFunc(ran, func(e Example) bool { return e.Route == r.Method+" "+r.Path }); i >= 0 {
		d.Curl, d.Status, d.Example = ran[i].curl(r.Method), ran[i].status(), ran[i].Answer
		return d
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	d.Curl = Root + path
	switch {
	case file != "":
		d.Curl += file
	case r.HasBody():
		text, err := json.Marshal(body)
		if err == nil {
			d.Curl += " -X " + r.Method + " -H 'Content-Type: application/json' -d '" + string(text) + "'"
		}
	case r.Method != http.MethodGet:
		d.Curl += " -X " + r.Method
	}
	return d
}

// curl returns the rest of a line for curl that sends the request.
func (e Example) curl(method string) string {
	line := Root + e.Path
	if strings.ContainsAny(line, "?&") {
		line = "'" + line + "'"
	}
	switch {
	case strings.HasPrefix(e.Body, "{"):
		line += " -X " + method + " -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(e.Body, "'", `'\''`) + "'"
	case e.Body != "":
		line += " " + e.Body
	case method != http.MethodGet:
		line += " -X " + method
	}
	return line
}

func (e Example) status() string { return strconv.Itoa(e.Status) + " " + http.StatusText(e.Status) }

// errors returns the statuses with which a route refuses.
func (r route) errors() []pages.RouteError {
	all := []pages.RouteError{{Status: "401", When: "no token, or one that has ended"}}
	if r.row.Scope == operation.Ask || r.row.Scope == operation.Evaluate || slices.ContainsFunc(r.fields, isFile) {
		all = append(all, pages.RouteError{Status: "402", When: "a cap is reached: which one, and when it opens again"})
	}
	all = append(all, pages.RouteError{Status: "403", When: "the token lacks the scope " + string(r.row.Scope)})
	if len(r.Names) > 0 {
		all = append(all, pages.RouteError{Status: "404", When: "not here, or not in the token’s workspace"})
	}
	if r.Method != http.MethodGet {
		all = append(all, pages.RouteError{Status: "409", When: "it is in a state in which that can’t be done"})
	}
	if slices.ContainsFunc(r.fields, isFile) {
		all = append(all, pages.RouteError{Status: "413", When: "a file is too large"})
	}
	if len(r.fields) > 0 {
		all = append(all, pages.RouteError{Status: "422", When: "a field is wrong: which one, and why"})
	}
	return append(all, pages.RouteError{Status: "429", When: "too many requests: wait for Retry-After"})
}

// kindOf names the type of a field.
func kindOf(f operation.Field) string {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case isFile(f) && f.Several:
		return "files"
	case isFile(f):
		return "file"
	case t.Kind() == reflect.Slice:
		return "list of strings"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "string"
	}
	return "number"
}

// sample returns a value for a field that is needed.
func sample(f operation.Field) any {
	switch kindOf(f) {
	case "list of strings":
		return []string{strings.ToUpper(f.Name)}
	case "number":
		return 1
	case "true or false":
		return true
	}
	return strings.ToUpper(f.Name)
}

// An Example is a request that was carried out on a small library, and its answer. Ids, times and what depends on the machine
// are replaced, long lists and texts are cut.
type Example struct {
	Route  string `json:"route"`
	Path   string `json:"path"`           // under Root, with the query
	Body   string `json:"body,omitempty"` // JSON, or a form as sent by curl
	Status int    `json:"status"`
	Answer string `json:"answer,omitempty"` // JSON, or the name of a file
}

//go:embed examples.json
var examples []byte

// Examples returns an example of each route, by route.
func Examples() []Example {
	var all []Example
	_ = json.Unmarshal(examples, &all) // a test writes and checks it
	return all
}
