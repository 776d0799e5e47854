package parse

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/domain"
)

// Links are the addresses in a web page or a sitemap, as written: they are neither resolved nor checked.
type Links struct {
	Base      string // base for the others; "" for the page's own address
	Canonical string // the page's preferred address; "" if it names none or several
	Pages     []string
	Sitemaps  []string
}

// The limits of links. What is beyond them is left out.
const (
	MaxLinks     = 20_000  // of each kind
	MaxLinkBytes = 4 << 20 // of all together
	maxLinked    = 10 << 20
	maxSitemap   = 50 << 20
	maxMarkup    = 1 << 20 // bytes of a tag or a text; larger ones are skipped
	maxRead      = 100     // attributes of a tag
)

// LinksOfPage returns the links in a web page, or none if the page says not to follow them.
func LinksOfPage(data []byte) Links {
	p := &pageReader{}
	_ = p.scan(bytes.NewReader(data[:min(len(data), maxLinked)]), p.read) // it does not fail
	if p.unfollowed {
		p.Pages = nil
	}
	if p.canonicals > 1 {
		p.Canonical = ""
	}
	return p.Links
}

// pageReader reads the links of a web page.
type pageReader struct {
	linkReader
	unfollowed bool // the page asks not to follow links
	body       bool // the body has begun: it may include text by visitors
	canonicals int  // different ones in the head
}

func (p *pageReader) read(t tag) {
	rel := strings.Fields(strings.ToLower(t.attr["rel"]))
	switch address := addressIn(t.attr["href"]); t.kind {
	case atom.Body:
		p.body = true
	case atom.Base:
		p.Base = cmp.Or(p.Base, address)
	case atom.Meta:
		content := strings.ToLower(t.attr["content"])
		if strings.EqualFold(t.attr["name"], "robots") && (strings.Contains(content, "nofollow") || strings.Contains(content, "none")) {
			p.unfollowed = true
		}
	case atom.Link:
		if address != "" && !p.body && slices.Contains(rel, "canonical") && address != p.Canonical {
			p.Canonical = address
			p.canonicals++
		}
	case atom.A, atom.Area:
		if !slices.Contains(rel, "nofollow") {
			p.Pages = p.with(p.Pages, address)
		}
	}
}

// LinksOfSitemap returns the addresses in a sitemap, which may be compressed by gzip. The error is Invalid.
func LinksOfSitemap(data []byte) (Links, error) {
	var in io.Reader = bytes.NewReader(data)
	if bytes.HasPrefix(data, []byte{0x1F, 0x8B}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return Links{}, noSitemap(err)
		}
		in = z
	}
	l := &linkReader{}
	is, space, within := false, "", ""
	broken := l.scan(io.LimitReader(in, maxSitemap), func(t tag) {
		prefix, name, found := strings.Cut(t.name, ":")
		if !found {
			prefix, name = "", t.name
		}
		switch {
		case name == "urlset" || name == "sitemapindex":
			is = true
		case name == "url" || name == "sitemap":
			is, space, within = true, prefix, name
		case name == "loc" && prefix == space: // others belong to pictures and videos
			address := addressIn(l.text())
			switch within {
			case "sitemap":
				l.Sitemaps = l.with(l.Sitemaps, address)
			case "url":
				l.Pages = l.with(l.Pages, address)
			}
		}
	})
	if !is {
		return Links{}, noSitemap(broken)
	}
	return l.Links, nil
}

func noSitemap(err error) error {
	return domain.Because(domain.Invalid, err, "It is not a sitemap, or it is damaged: it contains no list of addresses in XML.")
}

// linkReader scans markup for links.
type linkReader struct {
	Links
	size int // bytes of the addresses
	in   *html.Tokenizer
}

// tag is a start tag with its first attributes.
type tag struct {
	kind atom.Atom
	name string
	attr map[string]string
}

// scan calls each for every start tag, and returns the error of in. It holds one token at a time and skips those that
// are too large.
func (l *linkReader) scan(in io.Reader, each func(tag)) error {
	for {
		l.in = html.NewTokenizer(in)
		l.in.AllowCDATA(true)
		l.in.SetMaxBuf(maxMarkup)
		for kind := l.in.Next(); kind != html.ErrorToken; kind = l.in.Next() {
			if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
				each(l.tag())
			}
		}
		if err := l.in.Err(); !errors.Is(err, html.ErrBufferExceeded) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		in = io.MultiReader(bytes.NewReader(bytes.Clone(l.in.Buffered())), in)
	}
}

// tag returns the current tag of the scan.
func (l *linkReader) tag() tag {
	name, more := l.in.TagName()
	t := tag{kind: atom.Lookup(name), name: string(name), attr: map[string]string{}}
	for n := 0; more && n < maxRead; n++ {
		var key, value []byte
		if key, value, more = l.in.TagAttr(); len(value) <= 2*maxLink {
			if _, again := t.attr[string(key)]; !again {
				t.attr[string(key)] = string(value)
			}
		}
	}
	return t
}

// text returns the text after the current tag, up to the next tag.
func (l *linkReader) text() string {
	var text strings.Builder
	for {
		switch l.in.Next() {
		case html.TextToken:
			if text.Len() <= maxLink {
				text.Write(l.in.Text())
			}
		case html.CommentToken:
		default:
			return text.String()
		}
	}
}

// with appends an address to a list, unless it is empty or there is no room.
func (l *linkReader) with(list []string, address string) []string {
	if address == "" || len(list) >= MaxLinks || l.size+len(address) > MaxLinkBytes {
		return list
	}
	l.size += len(address)
	return append(list, address)
}

// addressIn returns the address in an attribute or an element, or "" if there is none.
func addressIn(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return -1 // as browsers do
		}
		return r
	}, strings.TrimSpace(s))
	if len(s) > maxLink || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}
