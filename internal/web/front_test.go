package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// bare returns a Site with one page, which says a word once gate is closed.
func bare(word string, gate <-chan struct{}) *Site {
	s := &Site{echo: echo.New(), closing: make(chan struct{})}
	s.echo.GET("/", func(c echo.Context) error {
		<-gate
		return c.String(http.StatusOK, word)
	})
	return s
}

// TestAFrontHandsOverWithoutRefusing changes the Site while requests come: the former
// answers what it has begun, the next one all others.
func TestAFrontHandsOverWithoutRefusing(t *testing.T) {
	race.Want(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate, open := make(chan struct{}), make(chan struct{})
		close(open)
		former, next := bare("former", gate), bare("next", open)
		f := &Front{}
		f.site.Store(former)
		get := func() string {
			w := httptest.NewRecorder()
			f.serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
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
		f.Use(next)
		ended := make(chan error)
		go func() { ended <- former.End(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Errorf("it ended under open requests: %v", err)
		case <-former.closing:
		}
		if got := get(); got != "next" {
			t.Errorf("afterwards a page says %q", got)
		}
		close(gate)
		begun.Wait()
		testkit.Must(t, <-ended)
	})
}

func TestTheEndOfASiteIsBounded(t *testing.T) {
	race.Want(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		s := bare("never", gate)
		f := &Front{}
		f.site.Store(s)
		go f.serve(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := s.End(ctx); err == nil {
			t.Error("it ended under an open request")
		}
		close(gate)
	})
}
