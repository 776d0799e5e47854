package web

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/testkit/race"
)

// TestARequestKeepsWhatItBeganWith changes what a Server answers with while requests are under way.
func TestARequestKeepsWhatItBeganWith(t *testing.T) {
	race.Want(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate, open := make(chan struct{}), make(chan struct{})
		close(open)
		pages := func(word string, gate <-chan struct{}) *echo.Echo {
			e := echo.New()
			e.GET("/", func(c echo.Context) error {
				<-gate
				return c.String(http.StatusOK, word)
			})
			return e
		}
		s := &Server{}
		s.pages.Store(pages("former", gate))
		get := func() string {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
			return w.Body.String()
		}
		var begun sync.WaitGroup
		for range 3 {
			begun.Go(func() {
				if got := get(); got != "former" {
					t.Errorf("what had begun says %q", got)
				}
			})
		}
		synctest.Wait()
		s.pages.Store(pages("next", open))
		if got := get(); got != "next" {
			t.Errorf("afterwards a page says %q", got)
		}
		close(gate)
		begun.Wait()
	})
}
