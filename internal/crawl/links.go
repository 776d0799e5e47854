package crawl

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The most links that are looked at in a page, and bytes of a sitemap.
const (
	maxLinks   = 5000
	maxSitemap = 50 << 20
)

// A page is what a web page says of where it leads.
type page struct {
	links     []*url.URL
	canonical *url.URL // the address under which it wants to be known, nil for its own
}

// readPage returns the links of a page that may be followed. A page that asks for
// none to be followed has none.
func readPage(f File) page { //nolint:gocognit // one walk over the tags
	p, base, follow := page{}, f.Address, true
	resolve := func(s string) *url.URL {
		to, err := base.Parse(strings.TrimSpace(s))
		if err != nil {
			return nil
		}
		if to, err = parse(to.String()); err != nil {
			return nil
		}
		return to
	}
	for z := html.NewTokenizer(bytes.NewReader(f.Data)); ; {
		kind := z.Next()
		if kind == html.ErrorToken || len(p.links) == maxLinks {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		a := map[string]string{}
		for _, at := range t.Attr {
			a[at.Key] = at.Val
		}
		rel := " " + strings.ToLower(a["rel"]) + " "
		switch t.DataAtom {
		case atom.Base:
			if to := resolve(a["href"]); to != nil && a["href"] != "" {
				base = to
			}
		case atom.Meta:
			if strings.EqualFold(a["name"], "robots") && (strings.Contains(a["content"], "nofollow") || strings.Contains(a["content"], "none")) {
				follow = false
			}
		case atom.Link:
			if to := resolve(a["href"]); to != nil && strings.Contains(rel, " canonical ") && to.Host == f.Address.Host {
				p.canonical = to
			}
		case atom.A, atom.Area:
			if to := resolve(a["href"]); to != nil && a["href"] != "" && !strings.Contains(rel, " nofollow ") {
				p.links = append(p.links, to)
			}
		}
	}
	if !follow {
		p.links = nil
	}
	return p
}

// readSitemap returns the addresses in a sitemap, and those of further sitemaps.
func readSitemap(f File) (pages, sitemaps []*url.URL, err error) {
	var in io.Reader = bytes.NewReader(f.Data)
	if bytes.HasPrefix(f.Data, []byte{0x1F, 0x8B}) {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, nil, err
		}
	}
	d := xml.NewDecoder(io.LimitReader(in, maxSitemap))
	d.Strict = false
	within, loc := "", false
	var words strings.Builder
	for len(pages)+len(sitemaps) < maxLinks*10 {
		token, err := d.Token()
		if err == io.EOF { //nolint:errorlint // the decoder returns it bare
			break
		}
		if err != nil {
			return pages, sitemaps, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "url", "sitemap":
				within = t.Name.Local
			case "loc":
				loc = true
				words.Reset()
			}
		case xml.CharData:
			if loc && words.Len() < maxAddress {
				words.Write(t)
			}
		case xml.EndElement:
			if t.Name.Local != "loc" {
				continue
			}
			loc = false
			to, err := parse(words.String())
			switch {
			case err != nil:
			case within == "sitemap":
				sitemaps = append(sitemaps, to)
			case within == "url":
				pages = append(pages, to)
			}
		}
	}
	return pages, sitemaps, nil
}
