package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// TestRobots reads rules as RFC 9309 has them.
func TestRobots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		yes    string // paths that may be fetched
		no     string
		delays time.Duration
	}{
		{"", "/ /a", "", 0},
		{"<html>Not found", "/a", "", 0},
		{"User-agent: *\nDisallow: /", "", "/ /a", 0},
		{"User-agent: *\nDisallow:", "/ /a", "", 0},
		{"user-AGENT: clew/1.0\r\nDISALLOW: /a\r\n\r\nUser-agent: *\r\nDisallow: /", "/b", "/a /ab", 0},
		{"User-agent: Clewed\nDisallow: /", "/a", "", 0},
		{"User-agent: Other\nUser-agent: Clew # us\n\nDisallow: /a # not this\nUser-agent: Other\nDisallow: /b\nUser-agent: Clew\nDisallow: /c", "/b", "/a /c", 0},
		{"User-agent: *\nSitemap: http://x/\nUser-agent: Other\nDisallow: /a\n", "/b", "/a", 0},
		{"User-agent: *\nDisallow: /a\nAllow: /a/b\nAllow: /c\nDisallow: /c", "/a/b /c", "/a /a/c", 0},
		{"User-agent: *\nDisallow: *.pdf$\nDisallow: /x*/y*z", "/a.pdf?b /a.pdfs /x/y", "/a.pdf /xx/yaz /x/q/yz/", 0},
		{"User-agent: *\nDisallow: /a$\nDisallow: /b*$\nDisallow: /c**d", "/ab /a/", "/a /b /bc /cd /cxd", 0},
		{"User-agent: *\nDisallow: /%7ejoe/\nDisallow: /ö\nDisallow: /a%3cd\nDisallow: /100%", "/joe", "/~joe/ /%7Ejoe/ /%C3%B6 /ö /a%3Cd /100%", 0},
		{"\uFEFFUser-agent: *\rDisallow: /a\rCrawl-delay: 2.5", "/b", "/a", 2500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 1e300", "/", "", time.Minute},
		{"User-agent: *\nCrawl-delay: NaN\nCrawl-delay: -3", "/", "", 0},
	} {
		r := readRules(tt.text)
		for path := range strings.FieldsSeq(tt.yes) {
			if !r.allows(path) {
				t.Errorf("%q forbids %s", tt.text, path)
			}
		}
		for path := range strings.FieldsSeq(tt.no) {
			if r.allows(path) {
				t.Errorf("%q allows %s", tt.text, path)
			}
		}
		if r.delay != tt.delays {
			t.Errorf("%q asks for a delay of %v, want %v", tt.text, r.delay, tt.delays)
		}
	}
}

// TestHostileRobots matches the slowest rules that fit into a robots.txt with long addresses.
func TestHostileRobots(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"many rules": "Disallow: /*b\n", "many stars": "Disallow: /" + strings.Repeat("*a", 100_000) + "b\n",
		"overlapping": "Disallow: " + strings.Repeat("*"+strings.Repeat("a", 500)+"b", 400) + "\n", "escapes": "Disallow: /" + strings.Repeat("*%", 1000) + "\n",
		"many agents": "User-agent: Clew\n", "many groups": "User-agent: Clew\nDisallow: /*c*d*e*f\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "User-agent: *\n" + strings.Repeat(line, maxRobots/len(line)+1)
			began := time.Now()
			r := readRules(text[:maxRobots])
			for range 10 {
				r.allows("/" + strings.Repeat("a", maxAddress))
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("ten addresses took %v", took)
			}
		})
	}
}

// TestMannersForgetHosts visits more hosts than are kept, and the same ones at once.
func TestMannersForgetHosts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	m := &manners{now: func() time.Time { return now }, wait: func(context.Context, time.Duration) error { return nil }, hosts: map[string]*host{},
		get: func(context.Context, *url.URL) ([]byte, error) { return []byte("User-agent: *\nDisallow: /no"), nil }}
	done := make(chan error)
	for range 8 {
		go func() {
			for i := range 3 * maxHosts {
				if err := m.enter(t.Context(), &url.URL{Scheme: "http", Host: fmt.Sprint("h", i), Path: "/"}, time.Second); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := len(m.hosts); n > maxHosts {
		t.Errorf("%d hosts are kept", n)
	}
}

// TestMannersHearTheirContext ends a visit that waits for the rules of a host, which another fetches.
func TestMannersHearTheirContext(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	m := &manners{now: time.Now, wait: domain.Sleep, hosts: map[string]*host{}, get: func(ctx context.Context, _ *url.URL) ([]byte, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	u := &url.URL{Scheme: "http", Host: "slow.test", Path: "/"}
	first, endFirst := context.WithCancel(t.Context())
	second, endSecond := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- m.enter(first, u, 0) }()
	<-began
	go func() { ended <- m.enter(second, u, 0) }()
	endSecond()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the second: %v", err)
	}
	endFirst()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
}
