package parse

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// readHTML reads the content of a web page. It leaves out menus and the like if the page marks them
// or readability recognises them.
func readHTML(ctx context.Context, w *writer, data []byte) error {
	page, err := decodeHTML(w, data)
	if err != nil {
		return err
	}
	filter := newMarkupFilter(ctx, page)
	doc := filter.parse(w)
	if doc == nil {
		return ctx.Err()
	}
	factsOfPage(w, doc)
	statesPage(w, doc)
	title, h1 := plainText(find(doc, atom.Title)), tidyLine(plainText(find(doc, atom.H1)))
	if h1 != "" && strings.Contains(tidyLine(title), h1) {
		w.name(h1) // the rest is the site's name
	}
	w.name(title)
	w.name(h1)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	content := contentOf(doc, filter.nodes)
	if h1 != "" && find(content, atom.H1) == nil && !hasHeading(content, h1) {
		w.heading(1, h1) // readability drops a heading that repeats the title
	}
	r := htmlReader{w: w, page: filter}
	r.node(content)
	r.flush()
	return nil
}

// parse returns the tree of the page, with the look of words expressed in its texts. The parser refuses nesting beyond
// 512 levels, and the filter too many elements; then parse writes the text without structure and returns nil.
func (f *markupFilter) parse(w *writer) *html.Node {
	doc, err := html.Parse(f)
	switch {
	case err == nil:
		rewriteLooks(doc, f.styles, w.keepStruck)
		return doc
	case f.ctx.Err() != nil:
		return nil
	case errors.Is(err, errTooManyNodes):
		w.warn("The page is too large to follow its structure; only its words were read.")
	default:
		w.warn("The page is nested too deeply to follow its structure; only its words were read.")
	}
	w.paragraph(textOfMarkup(f.page, w.keepStruck))
	return nil
}

// write adds the whole body of the page to the text.
func (f *markupFilter) write(w *writer) error {
	if doc := f.parse(w); doc != nil {
		r := htmlReader{w: w, page: f}
		r.node(find(doc, atom.Body))
		r.flush()
	}
	return f.ctx.Err()
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

// maxReadable is the maximum number of nodes of a page given to readability, which copies the page several times.
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

// each calls f for n and its visible descendants.
func each(n *html.Node, f func(*html.Node)) {
	if n == nil || isHidden(n) {
		return
	}
	f(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		each(c, f)
	}
}

// find returns the first element of a kind at or below n, or nil.
func find(n *html.Node, kind atom.Atom) *html.Node {
	if n == nil || n.DataAtom == kind && n.Type == html.ElementNode {
		return n
	}
	for c := range n.Descendants() {
		if c.DataAtom == kind && c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

// findOnly returns the first visible element of a kind, and whether it is the only one.
func findOnly(n *html.Node, kind atom.Atom) (*html.Node, bool) {
	var found []*html.Node
	each(n, func(c *html.Node) {
		if c.DataAtom == kind {
			found = append(found, c)
		}
	})
	if len(found) == 0 {
		return nil, false
	}
	return found[0], len(found) == 1
}

// plainText returns the visible text below n, with line breaks around blocks. It is empty for nil.
func plainText(n *html.Node) string {
	var b strings.Builder
	writePlain(&b, n)
	return b.String()
}

func writePlain(b *strings.Builder, n *html.Node) {
	switch {
	case n == nil, isHidden(n):
		return
	case n.Type == html.TextNode:
		b.WriteString(flow(n.Data))
		return
	case n.DataAtom == atom.Br || isBlock(n):
		b.WriteByte('\n')
		defer b.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writePlain(b, c)
	}
}

// flow replaces line breaks by spaces, as a browser does.
func flow(s string) string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
}

var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// headingLevel returns the level of a heading element, or 0.
func headingLevel(n *html.Node) int { return slices.Index(headings, n.DataAtom) + 1 }

// isHidden reports whether n is invisible, or a control rather than content.
func isHidden(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode, html.DoctypeNode:
		return true
	case html.TextNode, html.DocumentNode:
		return false
	}
	if n.DataAtom == atom.Aside && isNote(n) {
		return hiddenByAttribute(n)
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas,
		atom.Video, atom.Audio, atom.Nav, atom.Footer, atom.Aside, atom.Button, atom.Select, atom.Input, atom.Textarea, atom.Datalist, atom.Dialog:
		return true
	}
	return hiddenByAttribute(n)
}

func hiddenByAttribute(n *html.Node) bool {
	for _, a := range n.Attr {
		value := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return value == "true"
		case "role":
			return value == "navigation" || value == "search" || value == "contentinfo" || value == "complementary"
		case "style":
			return strings.Contains(value, "display:none") || strings.Contains(value, "visibility:hidden")
		}
	}
	return false
}

func isBlock(n *html.Node) bool { return isBlockKind(n.DataAtom) }

func isBlockKind(kind atom.Atom) bool {
	switch kind {
	case atom.Address, atom.Article, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Div, atom.Dl, atom.Dt,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Li, atom.Main, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody,
		atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// textOfMarkup returns the text between the tags of a piece of HTML, without scripts and styles, and
// with line breaks around blocks.
func textOfMarkup(s []byte, keepStruck bool) string {
	m := markupReader{line: script.Line{KeepStruck: keepStruck}}
	for z := html.NewTokenizer(bytes.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			m.flush()
			return m.out.String()
		case html.TextToken:
			if m.hidden == 0 {
				m.line.Add(m.look(), html.UnescapeString(string(z.Raw())))
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			m.tag(atom.Lookup(name), 1)
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			m.tag(atom.Lookup(name), 0)
		case html.EndTagToken:
			name, _ := z.TagName()
			m.tag(atom.Lookup(name), -1)
		}
	}
}

// A markupReader reads markup without its tree.
type markupReader struct {
	out    strings.Builder
	line   script.Line
	hidden atom.Atom               // the element whose text is left out
	open   [script.Formula + 1]int // elements by their looks
}

// tagLooks maps elements to the look of their text.
var tagLooks = map[atom.Atom]script.Look{atom.Del: script.Struck, atom.S: script.Struck, atom.Strike: script.Struck, atom.Sup: script.Raised, atom.Sub: script.Lowered}

// tag begins an element, or ends it with -1.
func (m *markupReader) tag(kind atom.Atom, n int) {
	switch {
	case kind != atom.Script && kind != atom.Style:
	case n > 0:
		m.hidden = kind
	case kind == m.hidden:
		m.hidden = 0
	}
	if look := tagLooks[kind]; look != script.Plain {
		m.open[look] = max(0, m.open[look]+n)
	}
	if kind == atom.Br || isBlockKind(kind) {
		m.flush()
		m.out.WriteByte('\n')
	}
}

func (m *markupReader) look() script.Look {
	return script.Look(max(0, slices.IndexFunc(m.open[:], func(n int) bool { return n > 0 })))
}

func (m *markupReader) flush() {
	m.out.WriteString(m.line.String())
	m.line.Reset()
}

// A markupFilter is the markup of a page without what makes the parser's tree far larger than the
// page: it reopens formatting elements in every paragraph after them. They are renamed to span or
// del, which are read the same and never reopened. Scripts, styles and comments are dropped; nothing that
// they hide can be markup to the parser. Reading fails when the tree would be too large, or when
// ctx ends.
type markupFilter struct {
	ctx   context.Context
	page  []byte
	in    *html.Tokenizer
	out   bytes.Buffer
	err   error
	nodes int       // approximate size of the tree
	open  int       // elements begun since the last link
	raw   atom.Atom // element whose text follows

	styles   *styleSheet
	beside   beside   // the files next to the page, or nil
	pictures []string // addresses of pictures, by the numbers of their elements
}

// beside are the files of a package beside a page.
type beside interface {
	// sheet returns the style sheet at an address; "" if there is none.
	sheet(address string) string

	// picture returns the picture at an address, or nil.
	picture(address string) []byte
}

// The limits of a page: the nodes of its tree, and what is kept of an element.
const (
	maxTree       = 1_000_000
	maxAttributes = 32
	maxAttribute  = 1000 // bytes; embedded images are longer
)

var errTooManyNodes = errors.New("too many elements")

func newMarkupFilter(ctx context.Context, page []byte) *markupFilter {
	return &markupFilter{ctx: ctx, page: page, in: html.NewTokenizer(bytes.NewReader(page)), styles: newStyleSheet()}
}

// Read returns filtered markup.
func (f *markupFilter) Read(p []byte) (int, error) {
	for f.out.Len() == 0 && f.err == nil {
		f.next()
		switch {
		case f.nodes > maxTree:
			f.err = errTooManyNodes
		case f.ctx.Err() != nil:
			f.err = f.ctx.Err()
		}
	}
	if f.err != nil && !errors.Is(f.err, io.EOF) {
		return 0, f.err
	}
	if f.out.Len() == 0 {
		return 0, io.EOF
	}
	return f.out.Read(p)
}

// next filters a token.
func (f *markupFilter) next() {
	raw := f.raw
	f.raw = 0
	switch kind := f.in.Next(); kind {
	case html.ErrorToken:
		f.err = f.in.Err()
	case html.TextToken:
		if raw == atom.Style {
			f.styles.read(string(f.in.Raw()))
		}
		if dropped(raw) {
			return
		}
		f.nodes++
		if raw == atom.Xmp || raw == atom.Plaintext {
			f.out.WriteString(html.EscapeString(string(f.in.Raw())))
		} else {
			f.out.WriteString(html.EscapeString(string(f.in.Text())))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		f.start(kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := f.in.TagName()
		if kind := atom.Lookup(name); !dropped(kind) && !verbatim(kind) {
			if f.count(kind); kind == atom.P || kind == atom.Br {
				f.nodes++ // the parser creates it if none is open
			}
			f.out.WriteString("</" + tagName(kind, name) + ">")
		}
	case html.DoctypeToken:
		f.out.Write(f.in.Raw())
	}
}

func (f *markupFilter) start(selfClosing bool) {
	name, more := f.in.TagName()
	kind := atom.Lookup(name)
	f.raw = kind
	if dropped(kind) || verbatim(kind) {
		return
	}
	f.nodes++
	f.count(kind)
	f.out.WriteString("<" + tagName(kind, name))
	if called := string(name); f.styles.tags[called] && called != tagName(kind, name) {
		f.out.WriteString(" " + wasCalled + `="` + called + `"`)
	}
	rel, address := "", ""
	for n := 0; more; n++ {
		var key, value []byte
		key, value, more = f.in.TagAttr()
		switch string(key) {
		case "rel":
			rel = string(value)
		case "href":
			address = string(value)
		case "src":
			if kind == atom.Img {
				f.notePicture(string(value))
			}
		}
		if n < maxAttributes && len(key)+len(value) <= maxAttribute && string(key) != pictureNumber {
			f.out.WriteString(" " + string(key) + `="` + html.EscapeString(string(value)) + `"`)
		}
	}
	if selfClosing {
		f.out.WriteByte('/')
	}
	f.out.WriteByte('>')
	if kind == atom.Link && hasWord(rel, "stylesheet") && f.beside != nil {
		f.styles.read(f.beside.sheet(address))
	}
	f.open++
	if kind == atom.A {
		f.open = 0
	}
}

// pictureNumber is the attribute with the number of the picture that an element shows. The page's own is left out.
const pictureNumber = "data-clew-picture"

// notePicture numbers the picture that an element shows, if it is in the page or beside it. Nothing is fetched.
func (f *markupFilter) notePicture(address string) {
	held := strings.HasPrefix(address, dataImage)
	if held || f.beside != nil && address != "" && (strings.HasPrefix(address, contentID) || !strings.Contains(address, ":")) {
		if len(f.pictures) < maxObjects {
			fmt.Fprintf(&f.out, ` %s="%d"`, pictureNumber, len(f.pictures))
			f.pictures = append(f.pictures, address)
		}
	}
}

// The beginnings of addresses that contain a picture themselves, and of those of parts of a mail.
const (
	dataImage = "data:image/"
	contentID = "cid:"
)

// pictureAt returns the picture at an address that notePicture has numbered, or nil.
func pictureAt(address string, files beside) []byte {
	if !strings.HasPrefix(address, dataImage) {
		return files.picture(address)
	}
	kind, content, _ := strings.Cut(address, ",")
	if plain, err := url.PathUnescape(content); err == nil {
		content = plain
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), "")) // it may contain spaces and line breaks
	if err != nil || !strings.HasSuffix(kind, ";base64") {
		return nil
	}
	return data
}

// count adds what the parser adds for a link that is closed around other elements: up to eight
// times it copies the link and two elements in it.
func (f *markupFilter) count(kind atom.Atom) {
	if kind == atom.A {
		f.nodes += 3 * min(f.open, 8)
	}
}

// tagName returns the name of an element, which is another one for formatting.
func tagName(kind atom.Atom, name []byte) string {
	switch kind {
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.Small, atom.Strong, atom.Tt, atom.U:
		return "span"
	case atom.S, atom.Strike:
		return "del"
	}
	return string(name)
}

// dropped reports whether an element holds text that is never shown, and no markup.
func dropped(kind atom.Atom) bool {
	switch kind {
	case atom.Script, atom.Style, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes:
		return true
	}
	return false
}

// verbatim reports whether an element shows its text verbatim.
func verbatim(kind atom.Atom) bool { return kind == atom.Xmp || kind == atom.Plaintext }
