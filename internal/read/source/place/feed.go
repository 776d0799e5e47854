package place

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"html"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
)

// Feed follows the entries of an RSS or Atom feed: each is the page that it links to. An entry that is no longer listed
// is not gone.
type Feed struct{ Web *crawl.Service }

// Traits implements source.Kind.
func (Feed) Traits() source.Traits { return source.Traits{} }

// Check implements source.Kind.
func (f Feed) Check(ctx context.Context, p source.Place) (source.Place, error) {
	return onWeb(ctx, f.Web, p)
}

// announced is the part of a feed that is read, in RSS 2.0, RSS 1.0 or Atom.
type announced struct {
	XMLName xml.Name
	Channel struct {
		Items []entry `xml:"item"`
	} `xml:"channel"`
	Items   []entry `xml:"item"` // of RSS 1.0, next to the channel
	Entries []entry `xml:"entry"`
}

type entry struct {
	Title string `xml:"title"`
	Links []struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Text string `xml:",chardata"`
	} `xml:"link"`
	Date    string `xml:"pubDate"`
	Updated string `xml:"updated"`
	DC      string `xml:"date"`
}

// List implements source.Kind. The stamp of an entry is its date: without one it is asked for at each look.
func (f Feed) List(ctx context.Context, p source.Place, _ string) (l source.Listing, err error) {
	file, err := f.Web.Text(ctx, p.Address, "", rate(p))
	if err != nil {
		return l, err
	}
	var a announced
	d := xml.NewDecoder(bytes.NewReader(file.Data))
	d.Strict, d.CharsetReader, d.Entity = false, charset.NewReaderLabel, xml.HTMLEntity
	err = d.Decode(&a)
	if root := a.XMLName.Local; err != nil || root != "rss" && root != "RDF" && root != "feed" {
		return l, domain.Because(domain.Invalid, err, "%s is not a feed in RSS or Atom.", p.Address)
	}
	seen := map[string]bool{}
	for _, e := range append(append(a.Channel.Items, a.Items...), a.Entries...) {
		to := e.link(file.Address)
		switch {
		case to == nil || leavesOut(p, to.Path):
			l.LeftOut++
		case !seen[to.String()]:
			seen[to.String()] = true
			l.Items = append(l.Items, source.Item{Name: to.String(), Stamp: dated(cmp.Or(e.Updated, e.Date, e.DC)), Title: domain.Cut(domain.OneLine(html.UnescapeString(e.Title)), mostTitle)})
		}
	}
	return l, nil
}

// mostTitle is the most characters that are kept of a title.
const mostTitle = 300

// link returns the address that an entry links to, or nil if there is none.
func (e entry) link(feed *url.URL) *url.URL {
	for _, link := range e.Links {
		if link.Rel != "" && link.Rel != "alternate" {
			continue
		}
		to, err := feed.Parse(strings.TrimSpace(cmp.Or(link.Href, link.Text)))
		if err != nil {
			continue
		}
		if to, err = crawl.Canonical(to.String()); err == nil {
			return to
		}
	}
	return nil
}

// datedPrefix distinguishes the stamps of feeds from those of servers.
const datedPrefix = "dated "

func dated(date string) string {
	if date = domain.OneLine(date); date == "" {
		return ""
	}
	return datedPrefix + domain.Cut(date, 100)
}

// Open implements source.Kind.
func (f Feed) Open(ctx context.Context, p source.Place, i source.Item, stamp string) (source.Content, error) {
	if strings.HasPrefix(stamp, datedPrefix) {
		stamp = ""
	}
	file, _, err := f.Web.Page(ctx, i.Name, stamp, rate(p))
	if errors.Is(err, crawl.ErrUnchanged) {
		return source.Content{}, source.ErrSame
	}
	if err != nil {
		return source.Content{}, err
	}
	c := page(file)
	c.Stamp = cmp.Or(i.Stamp, c.Stamp)
	return c, nil
}
