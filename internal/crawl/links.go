package crawl

import (
	"bytes"
	"context"
	"io"
	"net/url"

	"github.com/clewhq/clew/internal/domain"
	readable "github.com/clewhq/clew/internal/parse"
)

// A Reader reads the links of files that nobody vouches for.
type Reader interface {
	LinksOfPage(ctx context.Context, page io.Reader, size int64) (readable.Links, error)
	LinksOfSitemap(ctx context.Context, sitemap io.Reader, size int64) (readable.Links, error)
}

// A page is what a web page says of where it leads.
type page struct {
	links     []*url.URL
	canonical *url.URL // the address of the same host under which it wants to be known, nil for its own
}

// readPage returns the links of a page that may be followed.
func (s *Service) readPage(ctx context.Context, f File) (p page, err error) {
	l, err := s.Links.LinksOfPage(ctx, bytes.NewReader(f.Data), int64(len(f.Data)))
	base := f.Address
	if to := resolved(base, l.Base); to != nil && l.Base != "" {
		base = to
	}
	for _, link := range l.Pages[:min(len(l.Pages), maxLinks)] {
		if to := resolved(base, link); to != nil {
			p.links = append(p.links, to)
		}
	}
	if to := resolved(base, l.Canonical); to != nil && l.Canonical != "" && to.Host == f.Address.Host && to.String() != f.Address.String() {
		p.canonical = to
	}
	return p, err
}

// maxLinks is the most links of a page that are followed.
const maxLinks = 5000

// resolved returns the address that a link on a page leads to, nil for none that can be fetched.
func resolved(base *url.URL, link string) *url.URL {
	to, err := base.Parse(link)
	if err != nil {
		return nil
	}
	if to, err = parse(to.String()); err != nil {
		return nil
	}
	return to
}

// readSitemap returns the addresses in a sitemap, and those of further sitemaps. The error says what is wrong with it.
func (s *Service) readSitemap(ctx context.Context, f File) (pages, sitemaps []*url.URL, err error) {
	l, err := s.Links.LinksOfSitemap(ctx, bytes.NewReader(f.Data), int64(len(f.Data)))
	if domain.KindOf(err) == domain.Invalid {
		err = domain.Because(domain.Invalid, err, "%s is not a sitemap, or it is damaged: it holds no list of addresses in XML.", f.Address)
	}
	return parsed(l.Pages), parsed(l.Sitemaps), err
}

func parsed(links []string) (all []*url.URL) {
	for _, link := range links {
		if to, err := parse(link); err == nil {
			all = append(all, to)
		}
	}
	return all
}
