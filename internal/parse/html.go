package parse

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML reads the content of a web page. It leaves out menus and the like if the page marks them
// or readability recognises them.
func readHTML(ctx context.Context, w *writer, data []byte) error {
	page, err := decodeHTML(w, data)
	if err != nil {
		return err
	}
	doc, nodes := parseHTML(ctx, w, page)
	if doc == nil {
		return ctx.Err()
	}
	factsOfPage(w, doc)
	title, h1 := plainText(find(doc, atom.Title)), tidyLine(plainText(find(doc, atom.H1)))
	if h1 != "" && strings.Contains(tidyLine(title), h1) {
		w.name(h1) // the rest is the site's name
	}
	w.name(title)
	w.name(h1)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	content := contentOf(doc, nodes)
	if h1 != "" && find(content, atom.H1) == nil && !hasHeading(content, h1) {
		w.heading(1, h1) // readability drops a heading that repeats the title
	}
	r := htmlReader{w: w}
	r.node(content)
	r.flush()
	return nil
}

// parseHTML parses a page and returns its tree, in whose texts the look of words stands, and the size of that. The parser refuses nesting
// beyond 512 levels, and the filter before it too many elements; then parseHTML writes the text
// without structure and returns nil.
func parseHTML(ctx context.Context, w *writer, page []byte) (*html.Node, int) {
	filter := newMarkupFilter(ctx, page)
	doc, err := html.Parse(filter)
	switch {
	case err == nil:
		rewriteLooks(doc, filter.styles, w.keepStruck)
		return doc, filter.nodes
	case ctx.Err() != nil:
		return nil, 0
	case errors.Is(err, errTooManyNodes):
		w.warn("The page is too large to follow its structure; only its words were read.")
	default:
		w.warn("The page is nested too deep to follow its structure; only its words were read.")
	}
	w.paragraph(textOfMarkup(page, w.keepStruck))
	return nil, 0
}

// decodeHTML converts a page to UTF-8 from the encoding that a person chose, its byte order mark,
// its meta tags or its bytes suggest.
func decodeHTML(w *writer, data []byte) ([]byte, error) {
	declared := declaredIn(data)
	if m := metaCharset.FindSubmatch(data[:min(len(data), 4096)]); m != nil {
		declared = string(m[1])
	}
	page, err := decodeDeclared(w, data, declared)
	return []byte(page), err
}

// metaCharset finds the encoding in a meta tag of either form.
var metaCharset = regexp.MustCompile(`(?i)<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([-\w.:]{2,40})`)

// maxReadable is the most nodes of a page that readability is asked about: it copies the page
// several times over.
const maxReadable = 100_000

// contentOf returns the main element, the only article, what readability finds, or the body.
// Readability is made for news and loses tables and short sections of other pages, so its result
// counts only if what it leaves out is mostly links.
func contentOf(doc *html.Node, nodes int) *html.Node {
	body := find(doc, atom.Body)
	if body == nil {
		return doc
	}
	for _, kind := range []atom.Atom{atom.Main, atom.Article} {
		if n, only := findOnly(body, kind); only && len(plainText(n))*2 > len(plainText(body)) {
			return n
		}
	}
	if nodes > maxReadable {
		return body
	}
	article, err := readability.FromDocument(doc, &url.URL{Scheme: "http", Host: "localhost"})
	if err != nil || article.Node == nil {
		return body
	}
	all, kept := linked(body), linked(article.Node)
	if left := all.text - kept.text; kept.text > 0 && left > 0 && 2*(all.links-kept.links) >= left {
		return article.Node
	}
	return body
}

// An amount is a quantity of text and the part of it that is links, in bytes.
type amount struct{ text, links int }

func linked(n *html.Node) amount {
	a := amount{text: len(tidyLine(plainText(n)))}
	each(n, func(c *html.Node) {
		if c.DataAtom == atom.A {
			a.links += len(tidyLine(plainText(c)))
		}
	})
	return a
}

func hasHeading(n *html.Node, s string) bool {
	found := false
	each(n, func(c *html.Node) {
		found = found || headingLevel(c) > 0 && tidyLine(plainText(c)) == s
	})
	return found
}
