package place

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
)

// Site follows the pages of a site below the folder of an address, or those that a sitemap lists. A page that its server says
// is unchanged is not downloaded; its links were followed when it was.
type Site struct{ Web *crawl.Service }

// Traits implements source.Kind.
func (Site) Traits() source.Traits { return source.Traits{Asks: true} }

// Check implements source.Kind.
func (s Site) Check(ctx context.Context, p source.Place) (source.Place, error) {
	return onWeb(ctx, s.Web, p)
}

// onWeb returns a place on the web in its one form. A host of an inner network is refused at once.
func onWeb(ctx context.Context, web *crawl.Service, p source.Place) (source.Place, error) {
	p.Address = strings.TrimSpace(p.Address)
	if p.Address != "" && !strings.Contains(p.Address, "://") {
		p.Address = "https://" + p.Address
	}
	u, err := crawl.Canonical(p.Address)
	if err != nil {
		return p, err
	}
	if p.Rules.Rate < 0 || p.Rules.Rate > mostRate {
		return p, domain.Errorf(domain.Invalid, "The rate should be at most %d requests a second.", mostRate)
	}
	p.Address = u.String()
	return p, web.Fetch.Reach(ctx, u.Hostname())
}

// mostRate is the most requests to a site in a second.
const mostRate = 20

// List implements source.Kind. at names a sitemap within the first one.
func (s Site) List(ctx context.Context, p source.Place, at string) (l source.Listing, err error) {
	if !p.Rules.Sitemap {
		return source.Listing{Items: []source.Item{{Name: p.Address}}}, nil
	}
	start, err := crawl.Canonical(p.Address)
	if err != nil {
		return l, err
	}
	waiting := strings.Fields(at) // sitemaps still to be read; an address has no spaces
	if at == "" {
		waiting = []string{p.Address}
	}
	pages, maps, err := s.Web.Sitemap(ctx, waiting[0], rate(p))
	if err != nil {
		return l, err
	}
	seen := map[string]bool{}
	for _, u := range pages {
		if name := u.String(); u.Host != start.Host || leavesOut(p, u.Path) {
			l.LeftOut++
		} else if !seen[name] {
			seen[name], l.Items = true, append(l.Items, source.Item{Name: name})
		}
	}
	waiting = waiting[1:]
	for _, u := range maps {
		if at == "" && u.Host == start.Host && len(waiting) < mostSitemaps { // lists of lists of lists are not read
			waiting = append(waiting, u.String())
		}
	}
	l.Next = strings.Join(waiting, " ")
	return l, nil
}

// mostSitemaps is how many further sitemaps are read of one.
const mostSitemaps = 200

// Open implements source.Kind.
func (s Site) Open(ctx context.Context, p source.Place, i source.Item, stamp string) (source.Content, error) {
	start, err := crawl.Canonical(p.Address)
	if err != nil {
		return source.Content{}, err
	}
	f, links, err := s.Web.Page(ctx, i.Name, stamp, rate(p))
	if errors.Is(err, crawl.ErrUnchanged) {
		return source.Content{}, source.ErrSame
	}
	if err != nil {
		return source.Content{}, err
	}
	within := func(u *url.URL) bool {
		return u.Host == start.Host && (p.Rules.Sitemap || strings.HasPrefix(u.Path, crawl.Folder(start))) && !leavesOut(p, u.Path)
	}
	c := page(f)
	at := f.Address.String()
	switch {
	case at != i.Name && !within(f.Address):
		return source.Content{}, domain.Errorf(domain.Invalid, "%s redirects to %s, which is not of the source.", i.Name, at)
	case at != i.Name:
		return source.Content{Stamp: c.Stamp, Leads: []source.Item{{Name: at}}}, nil
	case links.Canonical != nil && within(links.Canonical):
		c.Body = nil // the other page has it
		links.To = append(links.To, links.Canonical)
	}
	for _, to := range links.To {
		if within(to) && !p.Rules.Sitemap {
			c.Leads = append(c.Leads, source.Item{Name: to.String()})
		}
	}
	return c, nil
}

// page returns the content of a file of the web.
func page(f crawl.File) source.Content {
	return source.Content{Name: f.Name, Source: domain.SourceWeb, Link: f.Address.String(), Stamp: f.Tag, Body: inMemory(f.Data)}
}

// inMemory returns a body that is in memory.
func inMemory(data []byte) io.ReadSeekCloser { return nothingToClose{bytes.NewReader(data)} }

type nothingToClose struct{ *bytes.Reader }

// Close does nothing.
func (nothingToClose) Close() error { return nil }
