package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
)

// TestEveryRouteNeedsItsScope asks each route of the API with each scope alone, by accounts of each role. Whatever passes is
// an operation of that scope, and of those that an account may do none is refused for the scope.
func TestEveryRouteNeedsItsScope(t *testing.T) {
	t.Parallel()
	e := echo.New()
	var rows []operation.Row[struct{}]
	scopes := map[string]operation.Scope{}
	for _, o := range offers() {
		for _, row := range o.rows {
			bound := operation.Bind((*app)(nil), row)
			bound.Do = func(context.Context, struct{}, any) (any, error) {
				return nil, domain.Errorf(domain.Conflict, "It was reached.")
			}
			rows = append(rows, bound)
			for _, text := range row.Routes {
				scopes[text] = row.Scope
			}
		}
	}
	var x auth.Access // of the token that asks
	let := func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.SetRequest(c.Request().WithContext(auth.WithAccess(c.Request().Context(), x)))
			if err := next(c); err != nil {
				return api.Fail(c, err)
			}
			return nil
		}
	}
	api.New(rows, "test", "").Routes(func(method, path string, _ bool, h echo.HandlerFunc) { e.Add(method, path, h, let) })
	value := regexp.MustCompile(`{[^}]*}`)
	for text, needed := range scopes {
		r := operation.ParseRoute(text)
		path := api.Root + value.ReplaceAllString(r.Path, "1")
		for _, role := range []domain.Role{domain.Owner, domain.Admin, domain.Curator, domain.Contributor, domain.Reader, ""} {
			for _, has := range operation.Scopes() {
				x = auth.Access{Token: ledger.Token{Prefix: "clew_0000", Scopes: []string{string(has)}}, Role: role}
				answer := httptest.NewRecorder()
				e.ServeHTTP(answer, httptest.NewRequest(r.Method, path, nil))
				may := (has == needed || needed == operation.Any) && needed.Check(role) == nil
				if (answer.Code != http.StatusForbidden) != may {
					t.Errorf("%s of %q with the scope %s: status %d, it needs %s", text, role, has, answer.Code, needed)
				}
			}
		}
	}
	if len(scopes) < 50 {
		t.Errorf("only %d routes were asked", len(scopes))
	}
}
