package parse

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// breakAt ends the line at a tag of a block.
func breakAt(b *strings.Builder, name []byte) {
	if kind := atom.Lookup(name); kind == atom.Br || isBlockKind(kind) {
		b.WriteByte('\n')
	}
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
func textOfMarkup(s []byte) string {
	var b strings.Builder
	hidden := ""
	for z := html.NewTokenizer(bytes.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden == "" {
				b.WriteString(html.UnescapeString(string(z.Raw())))
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			if string(name) == "script" || string(name) == "style" {
				hidden = string(name)
			}
			breakAt(&b, name)
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			breakAt(&b, name)
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == hidden {
				hidden = ""
			}
			breakAt(&b, name)
		}
	}
}
