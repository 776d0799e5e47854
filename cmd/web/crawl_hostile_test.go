package main

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/run/job"
)

// peakOfHeap watches the heap until the function that it returns is called, which returns the most bytes that it has
// grown by.
func peakOfHeap() func() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	held := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, done, peak := held(), make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		for {
			select {
			case <-done:
				peak <- max(most, held()) - before
				return
			case <-time.After(time.Millisecond):
				most = max(most, held())
			}
		}
	}()
	return func() uint64 {
		close(done)
		return <-peak
	}
}

// packed serves text again and again, about so many megabytes, compressed.
func packed(kind, head, text string, megabytes int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, head)
		block := strings.Repeat(text, (1<<20)/len(text))
		for range megabytes {
			if _, err := fmt.Fprint(z, block); err != nil {
				return // the client has gone
			}
		}
		_ = z.Close()
	}
}

// TestAHostileSiteTakesLittleMemory fetches what is small on the wire and large in memory. It runs alone, as it measures
// the heap.
func TestAHostileSiteTakesLittleMemory(t *testing.T) {
	for _, tt := range []struct {
		name   string
		robots http.HandlerFunc
		page   http.HandlerFunc
		order  crawl.Order
	}{
		{"robots.txt", packed("text/plain", "User-agent: *\n", "Disallow: /*a*b*c\n", 90), packed("text/html", "<p>A page.", " ", 0), crawl.Order{}},
		{"robots.txt with one rule", packed("text/plain", "User-agent: *\nDisallow: /x", "*a", 90), packed("text/html", "<p>A page.", " ", 0), crawl.Order{}},
		{"attributes", http.NotFound, packed("text/html", "<a ", "a=1 ", 30), crawl.Order{Depth: 1}},
		{"links", http.NotFound, packed("text/html", "", "<a href=x1>", 30), crawl.Order{Depth: 1}},
		{"a sitemap's attributes", http.NotFound, packed("application/xml", "<?xml version='1.0'?><urlset ", "a='' ", 30), crawl.Order{Sitemap: true}},
		{"a sitemap's addresses", http.NotFound, packed("application/xml", "<?xml version='1.0'?><urlset>", "<url><loc>http://a.test/</loc></url>", 30), crawl.Order{Sitemap: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/robots.txt", tt.robots)
			mux.HandleFunc("/", tt.page)
			site := httptest.NewServer(mux)
			defer site.Close()
			a := newShell(t, "WEB_ALLOW=127.0.0.1").app(t)
			tt.order.Address, tt.order.Most, tt.order.Rate = site.URL+"/"+strings.Repeat("abc", 500), 1, 20
			peak := peakOfHeap()
			noError(t, a.crawl.Walk(t.Context(), domain.DefaultWorkspace, tt.order, func(r crawl.Result) error {
				t.Logf("%.60q: %v %s", r.Address, r.Err, r.Note)
				return nil
			}))
			if mb := peak() >> 20; mb > 250 {
				t.Errorf("the heap grew by %d MB", mb)
			} else {
				t.Logf("the heap grew by %d MB", mb)
			}
		})
	}
}

// TestAHostileSiteHearsStop stops a crawl, and the worker, while a site does not go on: it sends byte after byte, and
// never ends, or makes a parser spin.
func TestAHostileSiteHearsStop(t *testing.T) {
	t.Parallel()
	reached := func(once *sync.Once, c chan struct{}) { once.Do(func() { close(c) }) }
	for _, tt := range []struct {
		name  string
		path  string
		begin string
		drips bool
		order crawl.Order
	}{
		{"robots.txt", "/robots.txt", "User-agent: *\n", true, crawl.Order{}},
		{"a page", "/page", "<!DOCTYPE html>", true, crawl.Order{}},
		{"a sitemap", "/page", "<?xml version='1.0'?><urlset>", true, crawl.Order{Sitemap: true}},
		{"links", "/page", "<!DOCTYPE html>" + spins, false, crawl.Order{Depth: 1}},
		{"a sitemap that spins", "/page", "<?xml version='1.0'?><urlset>" + spins, false, crawl.Order{Sitemap: true}},
	} {
		for _, by := range []string{"stop", "SIGTERM"} {
			t.Run(tt.name+" by "+by, func(t *testing.T) {
				t.Parallel()
				at, once := make(chan struct{}), sync.Once{}
				site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != tt.path {
						http.NotFound(w, r)
						return
					}
					fmt.Fprint(w, tt.begin)
					for i := 0; tt.drips; i++ {
						if _, err := fmt.Fprint(w, "a"); err != nil || r.Context().Err() != nil {
							return
						}
						w.(http.Flusher).Flush()
						reached(&once, at)
						time.Sleep(time.Millisecond)
					}
					reached(&once, at)
				}))
				defer site.Close()
				a := newShell(t, "WEB_ALLOW=127.0.0.1").app(t)
				worker := a.worker(a.kinds().Concurrency(crawl.Kind))
				noError(t, worker.Start(t.Context()))
				tt.order.Address = site.URL + "/page"
				id, err := a.crawl.Start(t.Context(), domain.DefaultWorkspace, tt.order)
				noError(t, err)
				<-at
				began := time.Now()
				want := job.Stopped
				if by == "stop" {
					noError(t, a.queue.Stop(t.Context(), domain.DefaultWorkspace, id))
					a.finishes(t, id)
				} else {
					want = job.Waiting // for another worker
				}
				noError(t, worker.Stop(t.Context()))
				took := time.Since(began)
				r, err := a.queue.Get(t.Context(), domain.DefaultWorkspace, id)
				if err != nil || r.Status != want || took > 20*time.Second {
					t.Errorf("after %v the run is %s, want %s: %s, error %v", took, r.Status, want, r.Problem, err)
				}
				t.Logf("it took %v", took)
			})
		}
	}
}
