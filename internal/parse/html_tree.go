package parse

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/parse/script"
)

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
	out                     strings.Builder
	line                    script.Line
	hidden                  atom.Atom // the element whose text is left out
	struck, raised, lowered int       // elements that are open
}

// tag begins an element, or ends it with -1.
func (m *markupReader) tag(kind atom.Atom, n int) {
	switch kind {
	case atom.Script, atom.Style:
		if n > 0 {
			m.hidden = kind
		} else if kind == m.hidden {
			m.hidden = 0
		}
	case atom.Del, atom.S, atom.Strike:
		m.struck = max(0, m.struck+n)
	case atom.Sup:
		m.raised = max(0, m.raised+n)
	case atom.Sub:
		m.lowered = max(0, m.lowered+n)
	}
	if kind == atom.Br || isBlockKind(kind) {
		m.flush()
		m.out.WriteByte('\n')
	}
}

func (m *markupReader) look() script.Look {
	switch {
	case m.struck > 0:
		return script.Struck
	case m.raised > 0:
		return script.Raised
	case m.lowered > 0:
		return script.Lowered
	}
	return script.Plain
}

func (m *markupReader) flush() {
	m.out.WriteString(m.line.String())
	m.line.Reset()
}
