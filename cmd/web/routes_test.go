package main

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
)

// TestEveryOperationHasARoute: programs can do what commands and pages can, unless the operation says why not.
func TestEveryOperationHasARoute(t *testing.T) {
	t.Parallel()
	taken := map[string]string{}
	for _, o := range offers() {
		for _, row := range o.rows {
			if (len(row.Routes) == 0) == (row.Apart == "") {
				t.Errorf("%s has the routes %q, and the reason %q for having none", row.Name, row.Routes, row.Apart)
			}
			if row.Scope != operation.Any && !slices.Contains(operation.Scopes(), row.Scope) {
				t.Errorf("%s has the scope %q", row.Name, row.Scope)
			}
			fields := operation.Fields(row.In)
			for _, text := range row.Routes {
				if other := taken[text]; other != "" {
					t.Errorf("%s and %s have the route %s", row.Name, other, text)
				}
				taken[text] = row.Name
				r := operation.ParseRoute(text)
				for _, name := range r.Names {
					i := slices.IndexFunc(fields, func(f operation.Field) bool { return f.Name == name })
					if i < 0 || fields[i].Type.Kind() == reflect.Bool {
						t.Errorf("%s: %s names no field %s", row.Name, text, name)
					}
				}
				for _, f := range fields {
					if f.Type == reflect.TypeFor[operation.File]() && !r.HasBody() {
						t.Errorf("%s: no file can be sent to %s", row.Name, text)
					}
				}
			}
		}
	}
}

// TestTheAPIIsDescribed checks that every route is described, at paths that differ in more than the names of parameters.
func TestTheAPIIsDescribed(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`\{[^}]*\}`)
	described := map[string]bool{}
	for _, o := range offers() {
		for _, row := range o.rows {
			for _, text := range row.Routes {
				described[operation.ParseRoute(text).Method+name.ReplaceAllString(operation.ParseRoute(text).Path, "{}")] = true
			}
		}
	}
	e, w := echo.New(), httptest.NewRecorder()
	if err := api.New((&app{}).operations(), "test", "").Document(e.NewContext(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), w)); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct{ Parameters []struct{ Name, In string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	shapes, routes := map[string]string{}, 0
	for path, methods := range doc.Paths {
		shape := name.ReplaceAllString(path, "{}")
		if other := shapes[shape]; other != "" {
			t.Errorf("%s and %s are the same address", path, other)
		}
		shapes[shape] = path
		for method, op := range methods {
			var names []string
			for _, p := range op.Parameters {
				if p.In == "path" {
					names = append(names, "{"+p.Name+"}")
				}
			}
			want := name.FindAllString(path, -1)
			slices.Sort(names)
			slices.Sort(want)
			if !described[strings.ToUpper(method)+shape] || !slices.Equal(names, want) {
				t.Errorf("%s %s is described with the parameters %v", method, path, names)
			}
			routes++
		}
	}
	if routes != len(described) {
		t.Errorf("%d routes are described, want %d", routes, len(described))
	}
}

// TestTheReferenceShowsEveryRoute with a line for curl, and one of these lines works.
func TestTheReferenceShowsEveryRoute(t *testing.T) {
	t.Parallel()
	s, _ := speak(t)
	_, text := (&served{url: s.url}).get(t, "/api")
	for _, o := range offers() {
		for _, row := range o.rows {
			for _, route := range row.Routes {
				if !strings.Contains(text, "<code>"+route+"</code>") {
					t.Errorf("the reference lacks %s", route)
				}
			}
		}
	}
	if !strings.Contains(html.UnescapeString(text), s.url+`/api/v1/search -X POST -H 'Content-Type: application/json' -d '{"limit":1,"question":"Who founded the Carrow Foundry?"}'`) {
		t.Error("there is no line for a search")
	}
	if status, found := s.post("/api/v1/search", `{"question":"Carrow"}`); status != 200 || !strings.Contains(found, "Maud Ferring") {
		t.Errorf("that line finds %d, %s", status, found)
	}
}

// TestEveryFieldIsDescribed: the API's description, its reference and the tools of models say what each field means.
func TestEveryFieldIsDescribed(t *testing.T) {
	t.Parallel()
	for _, row := range allRows() {
		for _, f := range operation.Fields(row.In) {
			if f.Doc == "" {
				t.Errorf("%s: the field %s has no doc", row.Name, f.Name)
			}
		}
	}
}
