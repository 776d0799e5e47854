package bearer

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

func TestRates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := NewRates(3, func() time.Time { return now })
	for i, want := range []string{`"token";r=2;t=20`, `"token";r=1;t=20`, `"token";r=0;t=20`} {
		h := http.Header{}
		if err := r.take(h, "a"); err != nil || h.Get("RateLimit") != want || h.Get("RateLimit-Policy") != `"token";q=3;w=60` {
			t.Errorf("request %d: %v %v, want %s", i, h, err, want)
		}
	}
	now = now.Add(5 * time.Second)
	h := http.Header{}
	err := r.take(h, "a")
	if after := domain.RetryAfter(err); domain.KindOf(err) != domain.TooMany || after.Round(time.Second) != 15*time.Second || h.Get("RateLimit") != `"token";r=0;t=15` {
		t.Errorf("the fourth: %v %v after %s", h, err, after)
	}
	if err := r.take(http.Header{}, "b"); err != nil {
		t.Errorf("another token: %v", err)
	}
	now = now.Add(16 * time.Second)
	if err := r.take(http.Header{}, "a"); err != nil {
		t.Errorf("after the pause: %v", err)
	}
	if err := NewRates(0, time.Now).take(h, "a"); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

func TestRatesAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := NewRates(60, func() time.Time { return now })
	for i := range 10 * maxIdle {
		now = now.Add(time.Second)
		if err := r.take(http.Header{}, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.all) > maxIdle {
		t.Errorf("%d limiters are kept", len(r.all))
	}
}
