package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestASiteBelowAPath opens pages of a site whose addresses begin with /clew, and asks for what they lead to.
func TestASiteBelowAPath(t *testing.T) {
	t.Parallel()
	const base = "/clew"
	b := open(t, testkit.Options{}, func(p *Params) { p.BasePath = base })
	testkit.Must(t, b.server.Mountable(base))
	f := b.fill(t)
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	if p := b.get(t, "/healthz"); p.status != http.StatusOK {
		t.Errorf("a probe that comes past the proxy: status %d", p.status)
	}
	b.client.Transport = &http.Transport{}
	if p := b.get(t, base); p.header.Get("Location") != base+"/" {
		t.Errorf("GET %s leads to %q", base, p.header.Get("Location"))
	}
	signIn := b.get(t, base+"/w/library/documents").header.Get("Location")
	if !strings.HasPrefix(signIn, base+link.Login+"?next=") {
		t.Fatalf("a stranger is sent to %s", signIn)
	}
	next, err := url.Parse(signIn)
	testkit.Must(t, err)
	in := b.post(t, base+link.Login, url.Values{"name": {"ada"}, "password": {"correct horse"}, "next": {next.Query().Get("next")}})
	if at := in.header.Get("Location"); at != base+"/w/library/documents" {
		t.Fatalf("signed in, one is sent to %q: %s", at, in.main(t))
	}
	for _, c := range in.header.Values("Set-Cookie") {
		if !strings.Contains(c, "Path="+base) {
			t.Errorf("a cookie for other sites of the host: %s", c)
		}
	}
	asked := map[string]bool{}
	for _, path := range f.pages() {
		at := base + link.Under("library", path)
		p := b.get(t, at)
		if p.status != http.StatusOK {
			t.Errorf("GET %s: status %d, to %q", at, p.status, p.header.Get("Location"))
			continue
		}
		for _, to := range addresses(t, p.body) {
			if !link.Below(base, to) {
				t.Errorf("%s leads out of the site, to %s", at, to)
			}
			asked[strings.TrimSuffix(to, "#")] = true
		}
	}
	for to := range asked {
		if strings.Contains(to, "/static/") || strings.HasSuffix(to, "/healthz") {
			if p := b.get(t, to); p.status != http.StatusOK {
				t.Errorf("GET %s: status %d", to, p.status)
			}
		}
	}
	if len(asked) < 200 {
		t.Errorf("the pages lead to %d addresses", len(asked))
	}
}

// addresses returns the addresses of this host in the attributes of a page.
func addresses(t *testing.T, body string) (list []string) {
	t.Helper()
	for _, n := range nodes(t, body, func(*html.Node) bool { return true }) {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Val, "/") && !slices.Contains([]string{"value", "data-insert"}, a.Key) {
				list = append(list, a.Val)
			}
		}
	}
	return list
}

// TestASiteIsNotBelowItsOwnPages refuses paths at which there are pages.
func TestASiteIsNotBelowItsOwnPages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	for base, free := range map[string]bool{"": true, "/clew": true, "/team/clew": true, "/documents": false, "/w": false, "/api": false} {
		if err := b.server.Mountable(base); err == nil != free || !free && domain.KindOf(err) != domain.Invalid {
			t.Errorf("below %q: %v", base, err)
		}
	}
}
