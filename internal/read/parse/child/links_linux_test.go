package child

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestLinksAreReadByAChild(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	page := `<base href="/in/"><link rel=canonical href=c><a href=one><a href="two">`
	got, err := p.LinksOfPage(t.Context(), strings.NewReader(page), int64(len(page)))
	if diff := gocmp.Diff(parse.Links{Base: "/in/", Canonical: "c", Pages: []string{"one", "two"}}, got); err != nil || diff != "" {
		t.Errorf("a page: %v (-want +got)\n%s", err, diff)
	}
	if got, err = p.LinksOfPage(t.Context(), strings.NewReader("words"), 5); err != nil || !gocmp.Equal(got, parse.Links{}) {
		t.Errorf("a page without links: %+v, %v", got, err)
	}
	list := `<urlset><url><loc>http://a/</loc></url><sitemap><loc>http://b/</loc></sitemap></urlset>`
	got, err = p.LinksOfSitemap(t.Context(), strings.NewReader(list), int64(len(list)))
	if diff := gocmp.Diff(parse.Links{Pages: []string{"http://a/"}, Sitemaps: []string{"http://b/"}}, got); err != nil || diff != "" {
		t.Errorf("a sitemap: %v (-want +got)\n%s", err, diff)
	}
	if _, err = p.LinksOfSitemap(t.Context(), strings.NewReader(page), int64(len(page))); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a page that is no sitemap: %v", err)
	}
	many := strings.Repeat("<a href="+strings.Repeat("x", 1000)+">", 3*parse.MaxLinks/2)
	if got, err = p.LinksOfPage(t.Context(), strings.NewReader(many[:9<<20]), 9<<20); err != nil || len(got.Pages) != parse.MaxLinkBytes/1000 {
		t.Errorf("many links: %d, %v", len(got.Pages), err)
	}
	if n := len(p.idle); n != 1 && !raced() { // under the detector it has grown too large to be kept
		t.Errorf("%d children are idle, want the one that did everything", n)
	}
}

// TestReadingLinksCanBeStopped stops a child that spins over a page, and has one that grows stopped by its limit.
func TestReadingLinksCanBeStopped(t *testing.T) {
	t.Parallel()
	p := testPool(t)
	p.warm(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	page := deed("spin")
	if _, err := p.LinksOfPage(ctx, strings.NewReader(page), int64(len(page))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	page = deed("grow")
	if _, err := p.LinksOfSitemap(t.Context(), strings.NewReader(page), int64(len(page))); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("error %v, want that of the limit", err)
	}
	if _, err := p.LinksOfPage(t.Context(), strings.NewReader(""), p.Limits.MaxBytes+1); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("a page over the limit: %v", err)
	}
}
