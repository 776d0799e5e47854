package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/operation"
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
