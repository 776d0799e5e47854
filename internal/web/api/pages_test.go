package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

type peal struct {
	ID string `json:"id"`
}

type behind struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

type skipping struct {
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

// peals are as many as no window of an operation's list reaches.
func peals() []peal {
	all := make([]peal, maxOffset+321)
	for i := range all {
		all[i].ID = fmt.Sprintf("peal %05d", i)
	}
	return all
}

// TestListsAreReadToTheirEnds follows the cursors of long lists.
func TestListsAreReadToTheirEnds(t *testing.T) {
	t.Parallel()
	all, most := peals(), 0
	cut := func(from, limit int) []peal {
		most = max(most, limit)
		return all[min(from, len(all)):min(from+limit, len(all))]
	}
	rows := operation.On(func(struct{}) tower { return tower{} }, []operation.Operation[tower]{
		operation.Op[tower, behind, []peal]{Name: "peals after", Scope: operation.Read, Routes: []string{"GET /after"}, Do: func(_ tower, _ context.Context, in behind) ([]peal, error) {
			return cut(slices.IndexFunc(all, func(p peal) bool { return p.ID == in.After })+1, in.Limit), nil
		}},
		operation.Op[tower, skipping, []peal]{Name: "peals offset", Scope: operation.Read, Routes: []string{"GET /offset"}, Do: func(_ tower, _ context.Context, in skipping) ([]peal, error) {
			return cut(in.Offset, in.Limit), nil
		}},
	})
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { _ = Fail(c, err) }
	x := auth.Access{Token: ledger.Token{Scopes: []string{string(operation.Read)}}}
	New(rows, "1", "").Routes(func(method, path string, _ bool, h echo.HandlerFunc) {
		e.Add(method, path, func(c echo.Context) error {
			c.SetRequest(c.Request().WithContext(auth.WithAccess(c.Request().Context(), x)))
			return h(c)
		})
	})
	for path, begin := range map[string]int{"/after?limit=200": 0, "/offset?limit=200": 0, "/after?limit=200&after=peal%2010000": 10_001, "/offset?limit=200&offset=10000": 10_000} {
		var read []peal
		for at := Root + path; at != ""; {
			w := httptest.NewRecorder()
			e.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, at, nil))
			var page struct {
				Items []peal `json:"items"`
				Next  string `json:"next"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%s: status %d, %.200s", at, w.Code, w.Body)
			}
			read = append(read, page.Items...)
			if at = ""; page.Next != "" {
				at = Root + path + "&cursor=" + page.Next
			}
		}
		if !slices.Equal(read, all[begin:]) {
			t.Errorf("%s: %d were read, want %d", path, len(read), len(all)-begin)
		}
	}
	if most > MaxLimit+1 {
		t.Errorf("an operation had to list %d", most)
	}
}
