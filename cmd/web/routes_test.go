package main

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"reflect"
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
			if !slices.Contains(operation.Scopes(), row.Scope) {
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

// TestTheAPIIsDescribed checks that every operation is described and that no two schemas share a name.
func TestTheAPIIsDescribed(t *testing.T) {
	t.Parallel()
	described := map[string]bool{"/me": true}
	for _, o := range offers() {
		for _, row := range o.rows {
			for _, text := range row.Routes {
				described[operation.ParseRoute(text).Path] = true
			}
		}
	}
	e, w := echo.New(), httptest.NewRecorder()
	if err := api.New((&app{}).operations(), "test").Document(e.NewContext(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), w)); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Paths map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Paths) != len(described) {
		t.Errorf("%d paths are described, want %d", len(doc.Paths), len(described))
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
